import type { QueuedInvocation, QueuePage } from "../../api/components.ts";
import type { QueueHealth } from "../../api/health.ts";
import { count, isMissed, NOTHING, QUEUE_STATES, visibleLine } from "../../presentation/text.ts";
import { counted } from "../../pynenc/numbers.ts";
import { queuePage } from "../../services/components/broker.ts";
import { unknownAmong } from "../../services/model/known-names.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { refuseUnknown } from "../known-names.ts";
import type { Output } from "../print/output.ts";
import type { Column } from "../print/table.ts";
import { idColumn, pageNotes, seconds, statusColumn, taskColumn } from "../print/text.ts";
import { time } from "../print/zone.ts";
import { withApp } from "../session.ts";

const FLAGS = { page: "page", limit: "limit", queue: "queue" };

/** `monitor queue`: waiting messages in the order in which runners take them. Nothing is consumed. */
export async function queue(flags: Flags): Promise<void> {
  const raw = rawInput(flags, FLAGS);
  await withApp(flags, async (app, out) => {
    const list = await inFlagWords(FLAGS, () => queuePage(app, raw));
    if (list.messages.length === 0 && list.queue !== null) {
      refuseUnknown(await unknownAmong(app, { queues: [list.queue] }));
    }
    if (out.json) return out.document(list);
    if (!list.queue_peek)
      return out.lines([`${counted(list.page.total ?? 0, "message")}; this broker cannot list them.`]);
    if (list.named_queues) {
      out.table(queueColumns(out), list.queues);
      if (list.more_queues > 0) out.say(`${counted(list.more_queues, "more queue is", "more queues are")} not listed.`);
      out.lines([""]);
    }
    out.table(columns(out, list.named_queues), list.messages);
    if (list.messages.length === 0 && list.page.number === 1) out.say(nothingIn(list));
    out.say(...pageNotes(list.page, "message"));
    if (list.queue_note !== null) out.say(list.queue_note);
  });
}

function nothingIn({ queue: name, queues_complete }: QueuePage): string {
  if (!queues_complete) return "No message was found yet.";
  return name === null ? "The queue is empty." : `No message is in queue ${visibleLine(name)}.`;
}

function queueColumns(out: Output): Column<QueueHealth>[] {
  return [
    { title: "QUEUE", cell: (row) => visibleLine(row.queue_name ?? NOTHING), cut: "end", min: 10 },
    { title: "WAITING", align: "right", cell: (row) => count(row.waiting) },
    { title: "OLDEST", align: "right", cell: (row) => seconds(row.oldest_seconds) },
    { title: "CONSUMERS", align: "right", cell: (row) => count(row.active_consumers) },
    {
      title: "STATE",
      cell: (row) => ({
        text: QUEUE_STATES[row.health],
        ...(isMissed(row) ? { paint: out.paint.warning } : {}),
      }),
    },
    {
      title: "ALREADY FINAL",
      align: "right",
      cell: (row) => (row.finished === null ? NOTHING : count(row.finished)),
      optional: true,
    },
  ];
}

function columns(out: Output, named: boolean): Column<QueuedInvocation>[] {
  const inQueue: Column<QueuedInvocation>[] = [
    { title: "QUEUE", cell: (row) => visibleLine(row.queue_name ?? NOTHING), cut: "end", min: 8 },
    { title: "POSITION", align: "right", cell: (row) => count(row.place) },
    { title: "PRIORITY", align: "right", cell: (row) => (row.priority === null ? NOTHING : String(row.priority)) },
  ];
  return [
    ...(named ? inQueue : []),
    { title: "QUEUED", cell: (row) => time(row.queued_at), optional: true },
    { title: "WAITING", align: "right", cell: (row) => seconds(row.queued_seconds) },
    idColumn("INVOCATION", (row) => row.invocation_id),
    taskColumn((row) => row.task_id_key),
    statusColumn((row) => row.status, out),
  ];
}
