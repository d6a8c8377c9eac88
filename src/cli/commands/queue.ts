import { counted } from "../../pynenc/numbers.ts";
import { type QueuedInvocation, queuePage } from "../../services/broker.ts";
import { inFlagWords, rawInput } from "../flags.ts";
import type { Output } from "../print/output.ts";
import type { Column } from "../print/table.ts";
import { idColumn, pageNotes, seconds, statusColumn, taskColumn, time } from "../print/text.ts";
import type { Flags } from "../program.ts";
import { withApp } from "../session.ts";

const FLAGS = { page: "page", limit: "limit" };

/** `monitor queue`: the messages that wait, oldest first. Looking takes nothing from the queue. */
export async function queue(flags: Flags): Promise<void> {
  const raw = rawInput(flags, FLAGS);
  await withApp(flags, async (app, out) => {
    const list = await inFlagWords(FLAGS, () => queuePage(app, raw));
    if (out.json) return out.document(list);
    if (!list.queue_peek) return out.lines([`${counted(list.page.total ?? 0, "message")}; this broker tells no more.`]);
    out.table(columns(out), list.messages);
    if (list.messages.length === 0 && list.page.number === 1) out.say("The queue is empty.");
    out.say(...pageNotes(list.page, "message"));
  });
}

function columns(out: Output): Column<QueuedInvocation>[] {
  return [
    { title: "QUEUED", cell: (row) => time(row.queued_at), optional: true },
    { title: "WAITS", align: "right", cell: (row) => seconds(row.queued_seconds) },
    idColumn("INVOCATION", (row) => row.invocation_id),
    taskColumn((row) => row.task_id_key),
    statusColumn((row) => row.status, out),
  ];
}
