import { EXPORT_FORMATS, GROUPED_BY } from "../api/words.ts";
import { at, fileFormat } from "../inputs/common.ts";
import { invocationColumns, listedInvocations, pagedInvocations } from "../inputs/invocations.ts";
import { onOff, word } from "../inputs/parameter.ts";
import { file, page, question, refresh } from "./model/declare.ts";
import { instantIn } from "./model/instant.ts";

const { sort, ...listed } = listedInvocations;
const fields = invocationColumns;

const OF_THE_PAST = "filtered by task, call, workflow, parent or id alone";

export const invocations = question({
  name: "invocations",
  area: "invocations",
  summary: "list invocations, newest first",
  input: { ...listed, fields, sort },
  addresses: [
    page("/invocations/"),
    refresh("/invocations/table", "the list of invocations"),
    file("/invocations/export", ["text/csv", "application/x-ndjson"], {
      summary: "All invocations that match, as a file",
      input: { ...pagedInvocations, fields, sort, format: fileFormat },
    }),
  ],
  command: {
    usage: "invocations [query...]",
    group: "things",
    examples: [
      "monitor invocations status:failed error:Timeout since:2h",
      "monitor invocations status:failed since:1h --by exception",
      "monitor invocations 'task:shop.* run>5s' --format csv > slow.csv",
    ],
    options: {
      at: { ...at, meaning: `${at.meaning}; ${OF_THE_PAST}` },
      by: word("count the matches instead of listing them, by", GROUPED_BY, { flag: "--by <what>" }),
      format: word("print one page, or all matching rows", ["table", ...EXPORT_FORMATS, "ids"], {
        flag: "--format <format>",
        usual: "table",
      }),
      follow: onOff("print a JSON line for each status change from now on, until Ctrl-C", { flag: "--follow" }),
    },
    watch: true,
  },
  tool: {
    name: "invocations",
    takes: ["q", "task_id", "from", "to", "sort", "limit", "after", "at"],
    options: { at: { ...at, meaning: `${at.meaning}; then filtered by \`task\` alone` } },
    most: 200,
    note: "Use it for single invocations (runs of tasks) that meet conditions: status, task, argument, error text, host, time, or how long they ran (sort `-duration_seconds`: the slowest first). For counts use `failures`, `stats` or `tasks`. For the next ones, pass `older` of an answer as `after`.",
    async ask(app, { at, ...input }) {
      const service = await import("../services/invocations/invocations.ts");
      if (at === undefined) return service.listInvocations(app, await service.readInvocationInput(app, input, "list"));
      return service.invocationsAt(app, input, await instantIn(app, at));
    },
  },
  async answers() {
    const { InvocationGroups, InvocationList, InvocationTable } = await import("../api/invocations.ts");
    const { FollowedStatus } = await import("../api/wait.ts");
    return [InvocationList, InvocationTable, InvocationGroups, FollowedStatus];
  },
});
