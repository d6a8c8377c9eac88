import type { FailureGroup } from "../../api/stats.ts";
import { count, failuresInGroups, NOTHING, percentage, shortId, visibleLine } from "../../presentation/text.ts";
import { failures } from "../../questions/failures.ts";
import { unknownAmong } from "../../services/model/known-names.ts";
import { failures as read } from "../../services/stats/failures.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { refuseUnknown } from "../known-names.ts";
import { nothingThen } from "../print/stats.ts";
import type { Column } from "../print/table.ts";
import { timeColumn } from "../print/text.ts";
import { withApp } from "../session.ts";

/** `monitor failures`: failures and retries in a time range, grouped by task, exception and message. */
export async function run(flags: Flags): Promise<void> {
  const raw = rawInput(flags, failures.input);
  await withApp(flags, async (app, out) => {
    const model = await inFlagWords(failures.input, () => read(app, raw));
    const task = model.filter.task_id_key;
    if (model.groups.length === 0 && task !== null) refuseUnknown(await unknownAmong(app, { tasks: [task] }));
    if (out.json) return out.document(model);
    out.table(columns(app.now()), model.groups);
    if (model.groups.length === 0) out.say(...nothingThen(model, app.now(), "Nothing failed"));
    else out.say(`${failuresInGroups(model)}.`);
    out.say(...model.groups.flatMap((group) => group.stands_out.map((one) => standsOut(group, one))));
    if (model.groups_total > model.groups.length) {
      out.say(`The first ${count(model.groups.length)} are listed; --limit lists more.`);
    }
    if (model.groups.some(({ ever }) => !ever.complete)) {
      out.say(
        "The history before this range was not read: there may be more failures, and earlier ones (EVER, FIRST).",
      );
    }
    out.say(...model.notes);
  });
}

function standsOut(group: FailureGroup, one: FailureGroup["stands_out"][number]): string {
  const { kind, name, value, failures, failures_looked_at, successes, successes_looked_at } = one;
  const what = kind === "runner" ? `runner ${shortId(value)}` : `${name}=${value}`;
  const counts = `${count(failures)} of ${count(failures_looked_at)} failures examined, ${count(successes)} of ${count(successes_looked_at)} successes examined`;
  return visibleLine(`${task(group)}, ${cause(group)}: ${what} in ${counts}.`);
}

function columns(now: number): Column<FailureGroup>[] {
  return [
    { title: "FAILED", align: "right", cell: ({ failed }) => count(failed) },
    { title: "RETRIED", align: "right", cell: ({ retries }) => count(retries) },
    {
      title: "EVER",
      align: "right",
      cell: ({ ever }) => `${count(ever.failed + ever.retries)}${ever.complete ? "" : "+"}`,
      optional: true,
    },
    { title: "SHARE", align: "right", cell: ({ share }) => (share === null ? NOTHING : percentage(share)) },
    { title: "TASK", cell: task, cut: "start", min: 14 },
    { title: "CAUSE", cell: cause, cut: "end", min: 24 },
    { ...timeColumn<FailureGroup>("FIRST", (group) => group.ever.first_seen, now), optional: true },
    timeColumn("LAST", (group) => group.last_seen, now),
    { title: "EXAMPLE", cell: ({ invocation_ids: [id] }) => (id === undefined ? NOTHING : shortId(id)) },
  ];
}

function task({ task_id_key, tasks }: FailureGroup): string {
  return task_id_key ?? (tasks.length > 1 ? `${count(tasks.length)} tasks` : "(task not stored)");
}

function cause({ type, message, causes }: FailureGroup): string {
  if (type !== null) return message ? `${type}: ${message}` : type;
  return causes > 1 ? `${count(causes)} kinds` : "cause not stored";
}
