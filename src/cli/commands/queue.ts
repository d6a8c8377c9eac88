import { queuePage } from "../../services/components/broker.ts";
import { unknownAmong } from "../../services/model/known-names.ts";
import { printQueue } from "../details/queue.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { refuseUnknown } from "../known-names.ts";
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
    printQueue(list, app.now(), out);
  });
}
