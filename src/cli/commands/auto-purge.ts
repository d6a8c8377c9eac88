import type { AutoPurgePreview, EventPurgeOutcome, OrchestratorPurgeOutcome } from "../../api/actions.ts";
import { errorOfStep, InvalidInputError, StoreUnreachableError } from "../../errors.ts";
import { eventRules, orchestratorRules } from "../../inputs/actions.ts";
import { visible } from "../../presentation/text.ts";
import { autoPurge } from "../../questions/auto-purge.ts";
import {
  autoPurgeEvents,
  autoPurgeOrchestrator,
  previewEventAutoPurge,
  previewOrchestratorAutoPurge,
  purgeCounts,
} from "../../services/actions/auto-purge.ts";
import { partOf, type RawInput } from "../../services/input/input.ts";
import { type Done, type RecordedPart, runAction } from "../action.ts";
import { oneOf } from "../exported.ts";
import { type Flags, flagOf, inFlagWords, rawInput } from "../flags.ts";
import { printCounts, printHead, printRunners, printSettings, rowsText } from "../print/action.ts";
import type { Output } from "../print/output.ts";
import { facts, heading, indented } from "../print/text.ts";
import { zonedTime } from "../print/zone.ts";

/** The parts to purge, each in its own transaction. */
const PARTS = {
  orchestrator: {
    input: orchestratorRules,
    preview: previewOrchestratorAutoPurge,
    act: autoPurgeOrchestrator,
  },
  events: { input: eventRules, preview: previewEventAutoPurge, act: autoPurgeEvents },
} as const;

type Part = keyof typeof PARTS;
type Outcome = OrchestratorPurgeOutcome | EventPurgeOutcome;
type Previews = Partial<Record<Part, AutoPurgePreview>>;

const ALL_PARTS = Object.keys(PARTS) as Part[];

/** `monitor auto-purge [target]`: removes what is old enough by pynenc's own settings. */
export async function run(flags: Flags, [given = "all"]: readonly string[]): Promise<void> {
  const parts = partsOf(given);
  const raw = rawInput(flags, autoPurge.input);
  assertBelonging(raw, parts);
  const rawOf = (part: Part) => partOf(raw, PARTS[part].input);
  await runAction(flags, async (app) => {
    const previews: Previews = {};
    for (const part of parts)
      previews[part] = await inFlagWords(autoPurge.input, () => PARTS[part].preview(app, rawOf(part)));
    // A layout without events is no reason to refuse the orchestrator; any other refusal holds for both.
    const open = parts.filter((part) => previews[part]?.refused === null);
    const reason = parts.map((part) => previews[part]?.refused ?? null).find((refused) => refused !== null) ?? null;
    const counts = open.flatMap((part) => previews[part]?.counts ?? []);
    return {
      name: `auto-purge ${parts.join(" and ")}`,
      preview: previews,
      show: (out) => show(previews, raw, app.now(), out),
      refused: open.length > 0 ? null : reason,
      empty: counts.every(({ rows }) => rows === 0),
      question: `Auto-purge ${open.join(" and ")} of ${app.app_id} (${rowsText(counts)}, permanently)?`,
      act: (record) => act(open, (part) => PARTS[part].act(app, rawOf(part)), record),
    };
  });
}

function partsOf(given: string): readonly Part[] {
  const part = oneOf("[target]", given, [...ALL_PARTS, "all"]);
  return part === "all" ? ALL_PARTS : [part];
}

/** @throws InvalidInputError for flags that would change nothing. */
function assertBelonging(raw: RawInput, parts: readonly Part[]): void {
  const problems = ALL_PARTS.filter((part) => !parts.includes(part)).flatMap((part) =>
    Object.entries(partOf(raw, PARTS[part].input)).map(([name, values]) => ({
      parameter: flagOf(autoPurge.input, name) ?? name,
      value: values?.join(", ") ?? "",
      accepted: `use it with ${part} or all`,
    })),
  );
  if (problems.length > 0) throw new InvalidInputError(problems);
}

/** Runs the parts in order. If a later one fails, the outcome says which ones were done. */
async function act(
  parts: readonly Part[],
  actOn: (part: Part) => Promise<Outcome>,
  record: RecordedPart,
): Promise<Done> {
  const outcome: Partial<Record<Part, Outcome>> = {};
  let failure: unknown = null;
  for (const part of parts) {
    try {
      outcome[part] = await record(() => actOn(part), `auto-purge ${part}`);
    } catch (error) {
      if (Object.keys(outcome).length === 0) throw error;
      failure = afterOthers(error, part);
    }
  }
  const print = (out: Output) => {
    for (const done of Object.values(outcome)) {
      out.lines([visible(done.message)]);
      printCounts(purgeCounts("", done), "WHAT", out);
    }
    if (failure !== null) out.say("This much was done. The rest failed:");
  };
  return { outcome, print, failure };
}

/** The error of a part after others were done. */
function afterOthers(error: unknown, part: Part): unknown {
  if (!(error instanceof StoreUnreachableError)) return error;
  const { reason, unchanged } = errorOfStep(error);
  const message = `${part}${unchanged ? ": nothing was removed" : ""}: ${reason}`;
  return new StoreUnreachableError(error.reason, message, error.hint, { cause: error });
}

function show(previews: Previews, raw: RawInput, now: number, out: Output): void {
  const shown = Object.values(previews);
  const [first] = shown;
  if (first === undefined) return;
  printHead("Auto-purge", first, out);
  for (const preview of shown) {
    const { title, counts, total, older_than } = preview;
    out.lines(heading(`${title[0]?.toUpperCase()}${title.slice(1)}`, out));
    if (preview.refused !== null) {
      out.lines(indented([visible(preview.refused)]));
      continue;
    }
    const limits = Object.entries(older_than).map(([kind, iso]): [string, string] => [
      `${kind[0]?.toUpperCase()}${kind.slice(1)} until`,
      iso === null ? "kept regardless of age" : zonedTime(iso),
    ]);
    const sentences: [string, string][] = [
      ["Consequences", visible(preview.consequences.join(" "))],
      ["Kept", visible(preview.stays.join(" "))],
    ];
    out.lines([...facts([...limits, ...sentences], out), ""]);
    const settings = preview.settings.map((row) =>
      raw[row.field] === undefined ? row : { ...row, origin: flagOf(autoPurge.input, row.field) ?? row.origin },
    );
    printSettings(settings, out);
    out.lines(["", total === 0 ? "Nothing to delete." : `Deletes ${rowsText(counts)} permanently:`]);
    printCounts(counts, "WHAT", out);
  }
  printRunners(first.runners_alive, now, out);
}
