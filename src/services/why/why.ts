/**
 * Why: the verdict on the app or on one thing, and its reasons. Verdicts on the app that name the thing take precedence, otherwise its own rows
 * decide.
 */
import type { ShownKind } from "../../api/show.ts";
import type { Evidence } from "../../api/verdicts.ts";
import { InvalidInputError, NotFoundError } from "../../errors.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { type Found, find } from "../find/find.ts";
import { identifiedObject, isStoredObject } from "../find/identified-object.ts";
import { parseInput, type RawInput, text } from "../input/input.ts";
import { describedIds, notInThisApp } from "../model/resolve-ids.ts";
import { livenessOf, silenceWords } from "../model/runner-liveness.ts";
import { examined, examinedParts } from "../verdicts/examined.ts";
import { COMMAND_PATIENCE, trendFacts } from "../verdicts/read-trends.ts";
import { type FoundVerdict, findVerdicts } from "../verdicts/verdicts.ts";
import { explanation, type FoundWhy, naming, ranked, type ThingWhy } from "./thing-verdict.ts";
import { whyEvent } from "./why-event.ts";
import { whyInvocation, whyWorkflow } from "./why-invocation.ts";
import { whyTask } from "./why-task.ts";
import { whyTrigger } from "./why-trigger.ts";
import { whyTriggerRun } from "./why-trigger-run.ts";

const INPUT = { id: text };

/**
 * The verdict on the app, or with `id` on the thing with that id (in any form) or task name.
 *
 * @throws InvalidInputError if several things match, NotFoundError if none does.
 * @param patience maximum milliseconds to wait for figures over time.
 */
export async function why(app: OpenedApp, raw: RawInput, patience: number = COMMAND_PATIENCE): Promise<FoundWhy> {
  const { id = "" } = parseInput(INPUT, raw);
  if (id.trim() === "") return whyApp(app, patience);
  const found = await find(app, { q: [id] }, []);
  const { matches, near, complete } = found;
  const things = matches.filter(isStoredObject);
  const thing = identifiedObject(found);
  if (thing !== null) return whyThing(app, thing.kind, thing.id, patience);
  if (things.length > 0) {
    const accepted = complete
      ? "it matches several things, the first ones:"
      : "it may match others too; give the full id:";
    throw new InvalidInputError([{ parameter: "id", value: id, accepted }], thingLines(things).join("\n"));
  }
  const apps = [...new Set(near.flatMap(({ app_id }) => app_id ?? []))];
  if (apps.length > 0) throw notInThisApp(app, { kind: "thing", id }, apps);
  const like = near.length === 0 ? [] : ["Similar ids:", ...thingLines(near)];
  throw new NotFoundError(
    "thing",
    id,
    ["Enter an id of any kind, in full or shortened, or the name of a task.", ...like].join("\n"),
  );
}

/** Maximum number of things listed in an error. */
const SHOWN = 10;

function thingLines(found: readonly Found[]): string[] {
  return found
    .slice(0, SHOWN)
    .map(({ kind, id, label }) => `  ${kind.replaceAll("_", " ")}  ${id}${label === id ? "" : `  ${label}`}`);
}

/** The state of the app: its first verdict, and all others. */
async function whyApp(app: OpenedApp, patience: number): Promise<FoundWhy> {
  const trends = await trendFacts(app, patience);
  return app.store.read(async (reads) => {
    const [[verdict = null, ...others], parts] = await Promise.all([
      findVerdicts(app, reads, trends),
      examined(app, reads, trends),
    ]);
    const subject = { kind: "app" as const, id: app.app_id, label: app.store.location };
    return { subject, verdict, others, chain: [], phases: null, critical_path: null, ...parts };
  });
}

/** @throws NotFoundError if nothing is known about an invocation, event or trigger with this id. */
async function whyThing(app: OpenedApp, kind: ShownKind, id: string, patience: number): Promise<FoundWhy> {
  const { label, ...found } = await whyOf(app, kind, id, patience);
  return {
    subject: { kind, id, label },
    ...found,
    ...examinedParts([[EXAMINED[kind] ?? "whether a verdict names it", null]]),
  };
}

const EXAMINED: Partial<Record<ShownKind, string>> = {
  invocation: "its status, its history, what it waits for and the failures below it",
  workflow: "verdicts on invocations of the run",
  event: "the conditions for its code and what they started",
  trigger: "its conditions and what waits for it",
  trigger_run: "what took part in it",
  task: "whether a verdict names it, and what its triggers wait for",
  runner: "its heartbeat",
};

function whyOf(app: OpenedApp, kind: ShownKind, id: string, patience: number): Promise<ThingWhy> {
  if (kind === "invocation") return whyInvocation(app, id);
  if (kind === "workflow") return whyWorkflow(app, id);
  if (kind === "trigger") return whyTrigger(app, id);
  if (kind === "trigger_run") return whyTriggerRun(app, id);
  if (kind === "event") return whyEvent(app, id);
  if (kind === "task") return whyTask(app, id, patience);
  return kind === "runner" ? whyRunner(app, id) : whyAny(app, kind, id, patience);
}

function whyRunner(app: OpenedApp, id: string): Promise<ThingWhy> {
  return app.store.read(async (reads) => {
    const [verdicts, [heartbeat], { dead_before, silence }, [described]] = await Promise.all([
      findVerdicts(app, reads),
      reads.orchestrator.heartbeatsByIds([id]),
      livenessOf(app, reads),
      describedIds(reads, [{ kind: "runner", id }]),
    ]);
    const active = heartbeat !== undefined && heartbeat.last_heartbeat >= dead_before;
    const sentence =
      heartbeat === undefined
        ? "No heartbeat of it is stored, so whether it lives is not known. Processes that only call tasks send none."
        : active
          ? "It sends heartbeats."
          : `Its last heartbeat is older than ${silenceWords(silence)}: it counts as dead.`;
    const own = explanation({
      code: active ? "runner_active" : "runner_silent",
      sentence,
      since: isoOrNull(heartbeat?.last_heartbeat),
    });
    return {
      label: described?.detail ?? "runner",
      phases: null,
      critical_path: null,
      chain: [],
      ...ranked(naming(verdicts, "runner", id), own),
    };
  });
}

async function whyAny(app: OpenedApp, kind: ShownKind, id: string, patience: number): Promise<ThingWhy> {
  const trends = await trendFacts(app, patience);
  return app.store.read(async (reads) => {
    const verdicts = await findVerdicts(app, reads, trends);
    return {
      label: kind.replaceAll("_", " "),
      phases: null,
      critical_path: null,
      chain: [],
      ...ranked(naming(verdicts, kind, id), null),
    };
  });
}

/** Verdicts on the app that name any of these, for a page. */
export async function verdictsOn(
  app: OpenedApp,
  pieces: readonly Pick<Evidence, "kind" | "id">[],
): Promise<FoundVerdict[]> {
  if (pieces.length === 0) return [];
  // Uses what is known already: a page about one thing does not wait for figures.
  const trends = await trendFacts(app, 0);
  const verdicts = await app.store.read((reads) => findVerdicts(app, reads, trends));
  return [...new Set(pieces.flatMap(({ kind, id }) => naming(verdicts, kind, id)))];
}
