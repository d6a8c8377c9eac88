import { basename } from "node:path";
import type { Verdict } from "../../api/verdicts.ts";
import type { WhyAnswer } from "../../api/why.ts";
import type { WrittenFile } from "../../api/written-file.ts";
import { outgoing } from "../../config/masking.ts";
import { InvalidInputError, NotFoundError } from "../../errors.ts";
import { loadAssets } from "../../http/assets.ts";
import { bundleFile } from "../../http/bundle-file.tsx";
import { createLinks } from "../../presentation/links.ts";
import { visible } from "../../presentation/text.ts";
import { KIND_WORDS } from "../../presentation/thing-links.ts";
import { placedWhy } from "../../presentation/verdict-steps.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import { bundle } from "../../questions/bundle.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import {
  BUNDLED_KINDS,
  type BundleContent,
  bundledInvocation,
  objectContent,
  searchContent,
} from "../../services/exports/bundle.ts";
import { type BundledLog, logsAbout } from "../../services/exports/bundle-logs.ts";
import { withoutValues } from "../../services/exports/without-values.ts";
import { find } from "../../services/find/find.ts";
import { identifiedObject, isStoredObject } from "../../services/find/identified-object.ts";
import { readInvocationInput } from "../../services/invocations/invocations.ts";
import type { FoundWhy } from "../../services/why/thing-verdict.ts";
import { conflict } from "../exported.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { wholeLog } from "../log-source.ts";
import { assertFileForJson, writeOut } from "../out-file.ts";
import { withTerms } from "../search-terms.ts";
import { withApp } from "../session.ts";
import { version } from "../version.ts";

/** `monitor bundle <id>|QUERY -o report.html`: one HTML file for a colleague or an issue. */
export async function run(flags: Flags, terms: readonly string[]): Promise<void> {
  if (flags.out === undefined)
    throw conflict("--out", "", "name the file to write: -o report.html, or -o - to print it");
  const logFiles = (Array.isArray(flags.logs) ? flags.logs : []).map(String);
  const noValues = flags.values === false;
  await withApp(
    flags,
    async (app, out) => {
      assertFileForJson(flags, out);
      const shown = noValues ? withoutValues(app) : app;
      const { content, about } = await contentOf(app, shown, flags, terms);
      const parts = [];
      for (const id of content.ids) {
        const { why, detail, picture, verdicts } = await bundledInvocation(shown, id);
        parts.push({
          // Its times are shown further down, with the invocation.
          why: { ...placed(why), phases: null, critical_path: null },
          // The small timeline is loaded by the page later, which a file cannot do.
          detail: { ...detail, timeline: null, picture, verdicts: verdicts.map((one) => ({ ...one, next: [] })) },
        });
      }
      const named = parts.flatMap(({ detail }) => [
        detail.invocation_id,
        ...(detail.picture?.rows ?? []).filter((row) => row.kind === "invocation").map((row) => row.id),
      ]);
      const ids = new Set([...content.rows.map((row) => row.invocation_id), ...named]);
      const logs: BundledLog[] = [];
      for (const path of logFiles) logs.push(await logsAbout(ids, basename(path), wholeLog(path)));
      const left_out = [
        ...content.left_out,
        ...(noValues ? ["Arguments, results, payloads and messages of exceptions were left out (--no-values)."] : []),
        "Whatever looks like a secret, by its name or its form, is masked as ••••••.",
      ];
      const head = {
        about,
        app_id: app.app_id,
        made_at: isoFromEpoch(app.now()),
        version: version(),
        left_out,
        rows: content.rows,
      };
      const why = content.why === null ? null : placed(content.why);
      const html = bundleFile(outgoing({ head, why, parts, logs }), loadAssets());
      const file = await writeOut(flags, [html], (text) => (out.terminal ? visible(text) : text));
      if (out.json && file !== null) {
        const { rows, ids, left_out: notes } = content;
        const invocations = new Set([...rows.map((row) => row.invocation_id), ...ids]).size;
        return out.document({ path: file, format: "html", invocations, notes } satisfies WrittenFile);
      }
      out.say(...(file === null ? [] : [`Written to ${file}.`]), ...content.left_out);
    },
    { paged: false },
  );
}

/** Without next steps: the pages they link to are not in the file. */
function placed(found: FoundWhy): WhyAnswer {
  const answer = placedWhy(createLinks(null), found);
  const { verdict, others } = answer;
  const withoutSteps = (one: Verdict): Verdict => ({ ...one, next: [] });
  return { ...answer, verdict: verdict && withoutSteps(verdict), others: others.map(withoutSteps) };
}

/** One thing if the words are its id, else the matches of the words as a search. */
async function contentOf(
  app: OpenedApp,
  shown: OpenedApp,
  flags: Flags,
  terms: readonly string[],
): Promise<{ content: BundleContent; about: string }> {
  const queried = withTerms(flags, terms);
  const raw = rawInput(queried, bundle.input);
  const [term, ...others] = terms;
  const filters = Object.keys(rawInput(flags, bundle.input));
  if (term !== undefined && others.length === 0 && filters.length === 0) {
    const found = await find(app, { q: [term] }, []);
    const thing = identifiedObject(found);
    if (thing !== null) {
      const kind = BUNDLED_KINDS.find((known) => known === thing.kind);
      if (kind !== undefined) {
        return { content: await objectContent(shown, kind, thing.id), about: `${KIND_WORDS[kind]} ${thing.id}` };
      }
      if (thing.kind !== "task") {
        const accepted = "expected an invocation, a workflow run, an event, a trigger run, or a search";
        throw conflict("<id>", `${thing.kind.replaceAll("_", " ")} ${thing.id}`, accepted);
      }
    }
    const things = found.matches.filter((one) => isStoredObject(one) && one.kind !== "task");
    if (things.length > 1) {
      const lines = things.slice(0, 10).map(({ kind, id }) => `  ${kind.replaceAll("_", " ")}  ${id}`);
      const problem = { parameter: "<id>", value: term, accepted: "it matches several things:" };
      throw new InvalidInputError([problem], lines.join("\n"));
    }
  }
  if (Object.keys(raw).length === 0) throw conflict("<id>", "", "name the invocations: an id, or a search");
  const { filter } = await inFlagWords(bundle.input, () => readInvocationInput(app, raw));
  const content = await searchContent(app, shown, filter);
  const about = Object.values(raw).flat().join(" ");
  if (content.rows.length === 0) throw new NotFoundError("invocation", about);
  return { content, about };
}
