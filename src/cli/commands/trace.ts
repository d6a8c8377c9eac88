import type { Trace } from "../../api/causes.ts";
import { TRACE_FORMATS } from "../../api/words.ts";
import { count } from "../../presentation/text.ts";
import { dotText, MERMAID_EDGES, mermaidText } from "../../presentation/trace-text.ts";
import { counted } from "../../pynenc/numbers.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import { trace as question } from "../../questions/trace.ts";
import { parseTraceInput, TRACED, trace } from "../../services/causes/trace.ts";
import { traceTree } from "../../services/causes/trace-tree.ts";
import { withId } from "../../services/model/resolve-ids.ts";
import { asOf, instantOf } from "../as-of.ts";
import { assertNoJson, oneOf } from "../exported.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { traceLines } from "../print/families.ts";
import { withApp } from "../session.ts";

type Format = (typeof TRACE_FORMATS)[number];

/**
 * `monitor trace <id>`: the causal chain around an event, an invocation or a trigger run. People get a tree; programs that read its output get JSON,
 * as they did before there was a tree.
 */
export async function run(flags: Flags, [id = ""]: readonly string[]): Promise<void> {
  const given = flags.format === undefined ? null : oneOf("--format", flags.format, TRACE_FORMATS);
  const raw = rawInput(flags, question.input);
  await withApp(flags, async (app, out) => {
    if (given !== null && given !== "json") assertNoJson(out, given);
    const format = given ?? (out.terminal && !out.json ? "tree" : "json");
    const input = await inFlagWords(question.input, async () => parseTraceInput(raw));
    const at = await instantOf(flags, app);
    const found = await withId(app, { parameter: "<id>", kinds: TRACED, text: id }, (whole) =>
      asOf(flags, app, out, (then) => trace(then, null, whole, input)),
    );
    if (format === "json") out.document(found);
    else out.lines(linesOf(found, format, { paint: out.paint, width: out.width, now: app.now(), at: isoOrNull(at) }));
    if (format === "mermaid" && found.edges.length > MERMAID_EDGES) {
      const edges = count(found.edges.length);
      out.say(`Mermaid draws at most ${MERMAID_EDGES} edges unless maxEdges is raised; this diagram has ${edges}.`);
    }
    if (found.truncated)
      out.say(`The trace is incomplete: it stopped at ${counted(found.limit, "node")}. Raise --limit for more.`);
  });
}

function linesOf(found: Trace, format: Exclude<Format, "json">, out: Parameters<typeof traceLines>[1]): string[] {
  if (format === "tree") return traceLines(traceTree(found), out);
  return [(format === "mermaid" ? mermaidText(found) : dotText(found)).trimEnd()];
}
