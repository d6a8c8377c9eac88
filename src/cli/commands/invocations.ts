import type { GroupedBy, InvocationGroup, InvocationGroups, InvocationList } from "../../api/invocations.ts";
import { GROUPED_BY } from "../../api/words.ts";
import { shellWord } from "../../config/shell-word.ts";
import { INVOCATION_COLUMNS } from "../../presentation/facts/invocation.ts";
import { count, NOTHING } from "../../presentation/text.ts";
import { counted } from "../../pynenc/numbers.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import { invocations } from "../../questions/invocations.ts";
import type { RawInput } from "../../services/input/input.ts";
import { cursorsIn } from "../../services/input/paging.ts";
import { chosenFields, exportText, type InvocationField, readFields } from "../../services/invocations/exports.ts";
import { followInvocations } from "../../services/invocations/follow.ts";
import { groupInvocations } from "../../services/invocations/groups.ts";
import { invocationsAt, listInvocations, readInvocationInput } from "../../services/invocations/invocations.ts";
import { readSort } from "../../services/invocations/sorted.ts";
import { unknownNames } from "../../services/invocations/unknown-names.ts";
import type { ExportFormat } from "../../services/model/export-lines.ts";
import { instantOf, sayAsOf } from "../as-of.ts";
import { assertNoJson, conflict, exportFormat, oneOf, printExport } from "../exported.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { asksToFollow, printFollowed } from "../followed.ts";
import { refuseUnknown } from "../known-names.ts";
import { printRows } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import { fieldColumns } from "../print/rows.ts";
import { withProgress } from "../print/search-progress.ts";
import type { Column } from "../print/table.ts";
import { idColumn, pageNotes } from "../print/text.ts";
import { withTerms } from "../search-terms.ts";
import { withApp } from "../session.ts";

/** What chooses columns and their order is read apart. */
const { fields: _columns, sort: _order, ...FILTER } = invocations.input;

/** How many invocations `--by` reads if no index has the counts: far more than a page reads, but still only seconds. */
const BUDGET = { matches: 100_000, candidates: 200_000 };

/** How many candidates a query reads in full: more than in a server, because nothing else waits for this process. */
export const SCAN_LIMIT = 50_000;

/** `monitor invocations`: one page of the filtered list, all of it with `--format`, or what is new with `--follow`. */
export async function run(given: Flags, terms: readonly string[]): Promise<void> {
  const flags = withTerms(given, terms);
  const format = exportFormat(flags, ["page", "after"]);
  const fields = chosenOf(flags);
  const by = groupedBy(flags);
  for (const name of flags.at === undefined ? [] : ["format", "by", "sort", "follow"]) {
    if (flags[name] !== undefined)
      throw conflict(
        `--${name}`,
        String(flags[name]),
        `it cannot be used with --at, which lists a page, the latest change first`,
      );
  }
  const raw = rawInput(flags, FILTER);
  if (asksToFollow(flags, ["format", "fields", "by", "sort", "limit", "page", "after"])) return follow(flags, raw);
  await withApp(flags, async (app, out) => {
    assertNoJson(out, format);
    const input = await inFlagWords(invocations.input, () => readInvocationInput(app, raw, "list"));
    const sort = await inFlagWords(invocations.input, async () => readSort(asText(flags.sort)));
    if (format !== null) {
      refuseUnknown(await unknownNames(app, input.filter));
      const limit = flags.limit === undefined ? null : input.page.size;
      if (format === "ids" && fields.length > 0)
        throw conflict("--fields", String(flags.fields), "--format ids prints ids");
      const text = (as: ExportFormat) => exportText(app, input.filter, as, { fields, sort, limit });
      return inFlagWords(invocations.input, () => printExport(text, "invocation_id", format, out));
    }
    if (by !== null) {
      const [groups] = await withProgress(out, (onProgress) =>
        groupInvocations(app, input.filter, [by], { ...BUDGET, onProgress }),
      );
      if (groups === undefined) return;
      if (groups.groups.length === 0) refuseUnknown(await unknownNames(app, input.filter));
      return out.json ? out.document(groups) : printGroups(groups, out);
    }
    await inFlagWords(invocations.input, async () => cursorsIn(input.after ?? [], sort === null ? null : "--sort"));
    const scanLimit = input.filter.conditions.length === 0 ? undefined : SCAN_LIMIT;
    const at = await instantOf(flags, app);
    const list = await inFlagWords(invocations.input, () =>
      at === null
        ? withProgress(out, (onProgress) => listInvocations(app, { ...input, sort }, scanLimit, onProgress))
        : invocationsAt(app, raw, at),
    );
    if (list.invocations.length === 0) refuseUnknown(await unknownNames(app, input.filter));
    const chosen = list.invocations.map((row) => chosenFields(row, fields));
    if (out.json) return out.document(fields.length === 0 ? list : { ...list, invocations: chosen });
    sayAsOf(isoOrNull(at), out);
    if (fields.length === 0) printRows(INVOCATION_COLUMNS, list.invocations, out, { now: at ?? app.now() });
    else out.table(fieldColumns(fields), chosen);
    if (list.invocations.length === 0 && list.page.number === 1) {
      out.say(nothingListed(app.app_id, list, Object.keys(raw).length > 0));
    }
    out.say(...pageNotes(list.page, "invocation"), ...list.notes);
    // The search stopped before the page was full.
    if (list.older !== null && !list.page.has_next) {
      out.say(`To continue: the same command with --after ${shellWord(list.older)}`);
    }
  });
}

function follow(flags: Flags, raw: RawInput): Promise<void> {
  return withApp(
    flags,
    (app, out) =>
      inFlagWords(invocations.input, async () => {
        const { filter } = await readInvocationInput(app, raw);
        await printFollowed((clock) => followInvocations(app, filter, clock), out);
      }),
    { paged: false },
  );
}

function asText(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}

/** `--fields`; empty for the default columns. @throws InvalidInputError */
function chosenOf(flags: Flags): InvocationField[] {
  const given = asText(flags.fields);
  return given === undefined ? [] : readFields([given], "--fields");
}

/** `--by`. @throws InvalidInputError also if combined with flags that choose rows. */
function groupedBy(flags: Flags): GroupedBy | null {
  if (flags.by === undefined) return null;
  const by = oneOf("--by", flags.by, GROUPED_BY);
  for (const name of ["format", "limit", "page", "after", "fields", "sort"]) {
    const value = flags[name];
    if (value !== undefined) throw conflict(`--${name}`, String(value), "--by counts all rows and lists none");
  }
  return by;
}

function printGroups(found: InvocationGroups, out: Output): void {
  const { by, groups, groups_count, invocations, notes } = found;
  out.table(groupColumns(by, groups), groups);
  if (groups.length === 0) out.say(by === "exception" ? "No failed invocation matches." : "No invocation matches.");
  else out.say(`${counted(invocations, by === "exception" ? "failed invocation" : "invocation")} counted.`);
  if (groups_count > groups.length) out.say(`The largest ${count(groups.length)} of ${count(groups_count)} groups.`);
  out.say(...notes);
}

function groupColumns(by: GroupedBy, groups: readonly InvocationGroup[]): Column<InvocationGroup>[] {
  const latest = idColumn<InvocationGroup>("LATEST", (group) => group.latest_invocation_id);
  return [
    { title: by.toUpperCase(), cell: ({ value }) => value ?? "(not stored)", cut: "start", min: 14 },
    { title: "INVOCATIONS", align: "right", cell: (group) => count(group.invocations) },
    ...(groups.some((group) => group.latest_invocation_id !== null) ? [latest] : []),
    { title: "SEARCH", cell: ({ query }) => query ?? NOTHING, optional: true },
  ];
}

/** What an empty first page means. */
function nothingListed(appId: string, { page }: InvocationList, filtered: boolean): string {
  if (!filtered) return `${appId} has no invocations yet.`;
  const whole = page.total !== null && !page.total_capped;
  return whole ? "No invocation matches the filter." : "No match among the invocations that were searched.";
}
