import type { InvocationList } from "../../api/invocations.ts";
import { flagName, SINGLE_FILTERS } from "../../presentation/invocation-filters.ts";
import { exportText } from "../../services/invocations/exports.ts";
import { listInvocations, readInvocationInput } from "../../services/invocations/invocations.ts";
import { assertNoJson, exportFormat, printExport } from "../exported.ts";
import { type FlagNames, type Flags, inFlagWords, rawInput } from "../flags.ts";
import { invocationColumns } from "../print/invocations.ts";
import { pageNotes } from "../print/text.ts";
import { withApp } from "../session.ts";

/** Parameters of the filter with the flags that stand for them. */
export const FILTER_FLAGS: FlagNames = {
  q: "query",
  status: "status",
  status_mode: "status-mode",
  ...Object.fromEntries(SINGLE_FILTERS.map((filter) => [filter.parameter, flagName(filter)])),
  from: "since",
  to: "until",
};

const FLAGS: FlagNames = { ...FILTER_FLAGS, limit: "limit", page: "page" };

/** Candidates of which more is read for a query: nobody else waits for this process. */
const LOOK_LIMIT = 50_000;

/** `monitor invocations`: a page of the filtered list, or with `--format` all of it. */
export async function invocations(given: Flags, terms: readonly string[]): Promise<void> {
  const flags = withTerms(given, terms);
  const format = exportFormat(flags);
  const raw = rawInput(flags, FLAGS);
  await withApp(flags, async (app, out) => {
    assertNoJson(out, format);
    const input = await inFlagWords(FLAGS, () => readInvocationInput(app, raw));
    if (format !== null) return printExport(exportText(app, input.filter, format), format, out);
    const looked = input.filter.conditions.length === 0 ? undefined : LOOK_LIMIT;
    const list = await listInvocations(app, input, looked);
    if (out.json) return out.document(list);
    out.table(invocationColumns(app.now(), out), list.invocations);
    if (list.invocations.length === 0 && list.page.number === 1) {
      out.say(nothingListed(app.app_id, list, Object.keys(raw).length > 0));
    }
    out.say(...pageNotes(list.page, "invocation"), ...list.notes);
  });
}

/** What an empty first page means. */
function nothingListed(appId: string, { page }: InvocationList, filtered: boolean): string {
  if (!filtered) return `${appId} has no invocation yet.`;
  const whole = page.total !== null && !page.total_capped;
  return whole ? "No invocation matches the filter." : "No match among the invocations that were searched.";
}

/** Arguments are terms of a query, as `--query` is one. */
function withTerms(flags: Flags, terms: readonly string[]): Flags {
  if (terms.length === 0) return flags;
  const query = typeof flags.query === "string" ? [flags.query] : [];
  return { ...flags, query: [...query, ...terms.map(withQuotes)].join(" ") };
}

/** The shell has taken the quotes of `error:"no such shelf"`: one field with blanks in its value gets them back. */
function withQuotes(term: string): string {
  const match = /^(-?[a-z_]+(?:\.[\w.-]+)?(?:[<>]=?|[:=]))([^"]*\s[^"]*)$/i.exec(term);
  const several = /\s-?[a-z_]+(?:\.[\w.-]+)?[:=<>]/i.test(term);
  return match === null || several ? term : `${match[1]}"${match[2]}"`;
}
