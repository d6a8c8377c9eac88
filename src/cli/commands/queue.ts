import { queue } from "../../questions/queue.ts";
import { answering } from "../answering.ts";
import { printQueue } from "../details/queue.ts";

/** `monitor queue`: waiting messages in the order in which runners take them. Nothing is consumed. */
export const run = answering(
  queue,
  (list, out, { now }) => printQueue(list, now, out),
  ({ messages, queue: name }) => (messages.length > 0 || name === null ? {} : { queues: [name] }),
);
