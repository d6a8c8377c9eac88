import { EXPORT_FORMATS, GROUPED_BY, INVOCATION_FIELDS, SORT_FIELDS } from "../api/words.ts";
import { after, fileFormat, inv_ids, invocationFilter, paging } from "./model/common-input.ts";
import { file, onOff, page, question, refresh, text, word } from "./model/declare.ts";

const input = {
  ...invocationFilter,
  inv_ids,
  ...paging(1_000),
  after: { ...after, flag: "--after <cursor>" },
  fields: text(
    "columns to show, named as in JSON and separated by commas, or usual; browsers keep them, and JSON over HTTP has all",
    { flag: "--fields <names>", completion: INVOCATION_FIELDS, several: true },
  ),
  sort: text(`sort by ${SORT_FIELDS.join(", ")}, where at most 1,000 match; -duration_seconds puts the longest first`, {
    flag: "--sort <field>",
    completion: SORT_FIELDS.flatMap((field) => [field, `-${field}`]),
  }),
} as const;
const { after: _after, ...exported } = input;

export const invocations = question({
  name: "invocations",
  area: "invocations",
  summary: "list invocations, newest first",
  input,
  addresses: [
    page("/invocations/"),
    refresh("/invocations/table", "the list of invocations"),
    file("/invocations/export", ["text/csv", "application/x-ndjson"], {
      summary: "All invocations that match, as a file",
      input: { ...exported, format: fileFormat },
    }),
  ],
  command: {
    usage: "invocations [query...]",
    examples: [
      "monitor invocations status:failed error:Timeout since:2h",
      "monitor invocations status:failed since:1h --by exception",
      "monitor invocations ORD-10012",
      "monitor invocations 'task:shop.* run>5s -status:success'",
      "monitor invocations --status failed --status retry",
      "monitor invocations --task shop.orders.ship --since 1h",
      "monitor invocations --since 2026-07-04T10:00 --until 2026-07-04T11:00",
      "monitor invocations status:success since:1h --sort -duration_seconds --limit 10",
      "monitor invocations --fields invocation_id,status,exception_type --format csv",
      "monitor invocations --format csv > invocations.csv",
      "monitor invocations --status failed --format jsonl | jq -r .invocation_id",
      "monitor invocations --follow --status failed | jq -r .task_id_key",
    ],
    options: {
      by: word("count the matches instead of listing them, by", GROUPED_BY, { flag: "--by <what>" }),
      format: word("print one page, or all matching rows", ["table", ...EXPORT_FORMATS], {
        flag: "--format <format>",
        usual: "table",
      }),
      follow: onOff("print a JSON line for each status change from now on, until Ctrl-C", { flag: "--follow" }),
    },
    watch: true,
  },
  tool: {
    name: "invocations",
    takes: ["q", "from", "to", "limit", "after"],
    most: 200,
    note: "For the next ones, pass `older` of an answer as `after`.",
  },
  async answers() {
    const { InvocationGroups, InvocationList, InvocationTable } = await import("../api/invocations.ts");
    const { FollowedStatus } = await import("../api/wait.ts");
    return [InvocationList, InvocationTable, InvocationGroups, FollowedStatus];
  },
  async ask(app, input) {
    const { listInvocations, readInvocationInput } = await import("../services/invocations/invocations.ts");
    return listInvocations(app, await readInvocationInput(app, input, "list"));
  },
});
