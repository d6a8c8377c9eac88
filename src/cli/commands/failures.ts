import type { FailureGroup, Failures } from "../../api/stats.ts";
import { causeText, count, NOTHING, percentage, shortId, visibleLine } from "../../presentation/text.ts";
import { counted } from "../../pynenc/numbers.ts";
import { failures } from "../../questions/failures.ts";
import { answering } from "../answering.ts";
import type { Output } from "../print/output.ts";
import { nothingThen } from "../print/stats.ts";
import type { Column } from "../print/table.ts";
import { facts, timeColumn } from "../print/text.ts";
import { time } from "../print/zone.ts";

/** `monitor failures`: failures and retries in a time range, grouped by task, exception and message. */
export const run = answering(failures, print, ({ groups, filter: { task_id_key: task } }) =>
  groups.length > 0 || task === null ? {} : { tasks: [task] },
);

function print(model: Failures, out: Output, { now }: { now: number }): void {
  if (model.groups.length > 0) out.lines([...facts([["Range", `${time(model.from)} to ${time(model.to)}`]], out), ""]);
  out.table(columns(now), model.groups);
  if (model.groups.length === 0) out.say(...nothingThen(model, now, "Nothing failed"));
  else {
    const found = counted(model.total, "failure or retry", "failures and retries");
    out.say(`${found} in ${counted(model.groups_total, "group")}.`);
  }
  out.say(...model.groups.flatMap((group) => group.stands_out.map((one) => standsOut(group, one))));
  if (model.groups_total > model.groups.length) {
    out.say(`The first ${count(model.groups.length)} are listed; --limit lists more.`);
  }
  if (model.groups.some(({ ever }) => !ever.complete)) {
    out.say("The history before this range was not read: EVER and FIRST may be incomplete.");
  }
  out.say(...model.notes);
}

function standsOut(group: FailureGroup, one: FailureGroup["stands_out"][number]): string {
  const { kind, name, value, failures, failures_looked_at, successes, successes_looked_at } = one;
  const what = kind === "runner" ? `runner ${shortId(value)}` : `${name}=${value}`;
  const counts = `${count(failures)} of ${count(failures_looked_at)} failures, ${count(successes)} of ${count(successes_looked_at)} successes examined`;
  return visibleLine(`${task(group)}, ${causeText(group)}: ${what} in ${counts}.`);
}

function columns(now: number): Column<FailureGroup>[] {
  return [
    { title: "FAILED", align: "right", cell: ({ failed }) => count(failed) },
    { title: "RETRIED", align: "right", cell: ({ retries }) => count(retries), optional: "first" },
    {
      title: "EVER",
      align: "right",
      cell: ({ ever }) => `${count(ever.failed + ever.retries)}${ever.complete ? "" : "+"}`,
      optional: "first",
    },
    {
      title: "SHARE",
      align: "right",
      cell: ({ share }) => (share === null ? NOTHING : percentage(share)),
      optional: "first",
    },
    { title: "TASK", cell: task, cut: "start", min: 14 },
    { title: "CAUSE", cell: causeText, cut: "end", min: 16 },
    { ...timeColumn<FailureGroup>("FIRST", (group) => group.ever.first_seen, now), optional: true },
    timeColumn("LAST", (group) => group.last_seen, now),
    {
      title: "EXAMPLE",
      cell: ({ invocation_ids: [id] }) => (id === undefined ? NOTHING : shortId(id)),
      optional: true,
    },
  ];
}

function task({ task_id_key, tasks }: FailureGroup): string {
  return task_id_key ?? (tasks.length > 1 ? `${count(tasks.length)} tasks` : "(task not stored)");
}
