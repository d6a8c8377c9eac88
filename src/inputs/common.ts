/** Parameters that several questions take. */
import { EXPORT_FORMATS, STATUS_MODES } from "../api/words.ts";
import { MAX_PRIORITY, QUEUE_NAME } from "../pynenc/queue-limits.ts";
import { number, onOff, text, whole, word } from "./parameter.ts";

export const MOMENTS = "2h, yesterday 14:05, 2026-07-04T10:00";

/** @param from what the start means, as "emitted at or after this time" */
export function timeRange(from: string, to: string) {
  return {
    from: text(`${from}: ${MOMENTS}`, { flag: "--since <time>", read: "time", otherNames: ["start", "start_date"] }),
    to: text(to, { flag: "--until <time>", read: "time", otherNames: ["end", "end_date"] }),
    // The form sends `custom` if its other fields have a start and an end.
    range: text("a length of time back from now: 15m, 1h30m, 2d", {
      otherNames: ["time_range"],
      read: "length",
      absent: "custom",
    }),
  };
}

/** The time range on pages that do not only show what happened in it. */
export const TIME_RANGE = timeRange("what happened at or after this time", "what happened at or before this time");

export const at = text(`as it was then, from the status history: ${MOMENTS}`, { flag: "--at <time>", read: "time" });

export const pageNumber = whole("page of the list", { least: 1, usual: 1 }, { flag: "--page <number>" });

export function limit(most: number, usual: number, meaning = "rows per page", flag = "--limit <rows>") {
  return whole(meaning, { least: 1, most, usual }, { flag });
}

export function paging(most = 500, usual = 50) {
  return { page: pageNumber, limit: limit(most, usual) };
}

/** Cursors of lists that change while they are read. */
export const after = text("a cursor that an earlier answer gave as `older`: continues after it, whatever came since", {
  read: "all",
});

/** Read by pages alone. */
export const columns = text("columns of the page, or usual; browsers keep them. JSON has all members");

export const fileFormat = word("format of the file", EXPORT_FORMATS, { usual: "csv" });

/** Filters of invocations. */
export const invocationFilter = {
  q: text(
    "only invocations that match all terms of a search such as 'status:failed task:shop.* error:Timeout run>5s' (docs/commands.md)",
    { flag: "--query <query>", completion: "query" },
  ),
  status: text("only invocations with one of these statuses: several separated by commas, or repeated", {
    flag: "--status <status>",
    repeatable: true,
    completion: "status",
    read: "all",
  }),
  status_mode: word("when they had the status", STATUS_MODES, {
    flag: "--status-mode <mode>",
    explained: { current: "now", history: "at any time, or within the time range" },
    usual: "current",
  }),
  task_id: text("only invocations of this task: module.function", { flag: "--task <key>", completion: "task" }),
  call_id: text("only invocations of this call: module.function:arguments_id", { flag: "--call <key>" }),
  workflow_id: text("only invocations inside this workflow run", { flag: "--workflow-id <id>" }),
  workflow_type: text("only invocations inside runs of this workflow type", {
    flag: "--workflow-type <key>",
    completion: "workflow_type",
  }),
  runner: text("only invocations that this runner worked on", {
    flag: "--runner <id>",
    completion: "runner",
  }),
  registered_by: text("only invocations that this runner or process registered", {
    flag: "--registered-by <id>",
    completion: "runner",
  }),
  parent: text("only invocations called by this one", { flag: "--parent <id>", completion: "invocation" }),
  id_prefix: text("only invocations whose id starts with this", { flag: "--id-prefix <text>" }),
  ...timeRange(
    "only invocations with a status change at or after this time",
    "only invocations with a status change at or before this time",
  ),
} as const;

/** Only the given ids. */
export const inv_ids = text("only these ids, comma-separated", { read: "list" });

/** Queue and priority of new messages, in stores with named queues. */
export const messageRoute = {
  queue: text("queue for the message, instead of the one from settings or waiting messages (pynenc 0.4)", {
    flag: "--queue <name>",
    read: "exact",
    completion: "queue",
    form: QUEUE_NAME,
    accepted: "letters, digits, dots, dashes and underscores",
  }),
  priority: number(
    `priority of the message, from -${MAX_PRIORITY} to ${MAX_PRIORITY}; higher is taken first (pynenc 0.4)`,
    { least: -MAX_PRIORITY, most: MAX_PRIORITY },
    { flag: "--priority <number>" },
  ),
} as const;

/** A file that a command writes. */
export const outFile = {
  out: text("write to a file instead of standard output (-); it appears when it is complete", {
    flag: "-o, --out <file>",
  }),
  force: onOff("replace the file if it exists", { flag: "--force" }),
};

export const queueFilter = text("only messages of this queue, where queues have names (pynenc 0.4)", {
  flag: "--queue <name>",
  argument: "queue",
  read: "exact",
  completion: "queue",
});
