import type { QueuePage } from "../../api/components.ts";
import { MESSAGE_COLUMNS, OF_NAMED_QUEUES, QUEUE_COLUMNS } from "../../presentation/facts/message.ts";
import { visibleLine } from "../../presentation/text.ts";
import { counted } from "../../pynenc/numbers.ts";
import { queuePage } from "../../services/components/broker.ts";
import { sayAsOf } from "../as-of.ts";
import { printRows } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import { pageNotes } from "../print/text.ts";
import type { Detail } from "./detail.ts";

/** One queue, or all of them: waiting messages in the order in which runners take them. */
export const queueDetails: Detail<QueuePage> = {
  load: (app, name) => queuePage(app, { queue: [name] }),
  print: printQueue,
};

export function printQueue(list: QueuePage, now: number, out: Output): void {
  sayAsOf(list.at, out);
  if (!list.queue_peek) {
    out.lines([`${counted(list.page.total ?? 0, "message")}; this broker cannot list them.`]);
    return;
  }
  if (list.named_queues) {
    const { queue, queues } = list;
    const shown = queue === null ? queues : queues.filter(({ queue_name }) => queue_name === queue);
    printRows(QUEUE_COLUMNS, shown, out, { now });
    if (queue === null && list.more_queues > 0)
      out.say(`${counted(list.more_queues, "more queue is", "more queues are")} not listed.`);
    out.lines([""]);
  }
  printRows(MESSAGE_COLUMNS, list.messages, out, {
    now,
    hide: [...(list.named_queues ? [] : OF_NAMED_QUEUES), ...(list.at === null ? [] : ["place"])],
  });
  if (list.messages.length === 0 && list.page.number === 1) out.say(nothingIn(list));
  out.say(...pageNotes(list.page, "message"));
  if (list.queue_note !== null) out.say(list.queue_note);
}

function nothingIn({ at, queue: name, queues_complete }: QueuePage): string {
  if (at !== null) return queues_complete ? "Nothing waited." : "Not known.";
  if (!queues_complete) return "No messages found yet.";
  return name === null ? "The queue is empty." : `No message is in queue ${visibleLine(name)}.`;
}
