import type { BrokerOverview, QueuePage } from "../../api/components.ts";
import { InvalidInputError } from "../../errors.ts";
import { queueInput } from "../../inputs/components.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { pageOf, sliceOf } from "../input/paging.ts";
import { instantOf } from "../input/time-bounds.ts";
import { unknownAmong } from "../model/known-names.ts";
import { assertNamedQueues } from "../model/queue-consumers.ts";
import { listedQueues, oldestWaiting, queuesOf } from "../model/queue-health.ts";
import { placed, queued } from "../model/queued-invocations.ts";
import { deadBefore } from "../model/runner-liveness.ts";
import { settingRows } from "../model/setting-rows.ts";
import { latelyNoted } from "../stats/trends.ts";
import { queueAt } from "./queue-at.ts";

/** How messages are routed, in stores with named queues. */
const QUEUE_SETTINGS = ["broker.queues", "priority_rules", "runner.queues", "queue_selection_strategy"];

/** Identifies the queue, if it is outside the store of the app. */
const SERVER_SETTINGS = ["rabbitmq_host", "rabbitmq_port", "rabbitmq_virtual_host", "rabbitmq_queue_prefix"];

/** @param range of figures over time, only for pages: a command would have to read it first. */
export async function brokerOverview(app: OpenedApp, range: RawInput | null = null): Promise<BrokerOverview> {
  const figured = await latelyNoted(app, {}, range);
  return app.store.read(async (reads) => {
    const [
      { components, queue_peek, queue_shared },
      messages,
      active_runners,
      { queues, named, note, complete, next },
    ] = await Promise.all([
      reads.layout.capabilities(),
      reads.broker.countMessages(),
      deadBefore(app, reads).then((dead) => reads.orchestrator.countHeartbeats(dead)),
      queuesOf(app, reads),
    ]);
    const oldest = oldestWaiting(queues);
    return {
      settings: settingRows(
        app.settings,
        ["broker_cls", "queue_timeout_sec", ...(named ? QUEUE_SETTINGS : []), ...(queue_shared ? SERVER_SETTINGS : [])],
        components,
      ),
      present: components.broker,
      queue_peek,
      queue_shared,
      named_queues: named,
      queue_note: note,
      queues_complete: complete,
      messages,
      ...listedQueues(queues),
      waiting: queues.reduce((sum, queue) => sum + queue.waiting, 0),
      oldest_queued_at: oldest?.oldest_queued_at ?? null,
      oldest_seconds: oldest?.oldest_seconds ?? null,
      active_runners,
      next: await queued(app, reads, next),
      ...figured,
    };
  });
}

/**
 * @param raw `queue` selects one of the queues, `at` an instant of the past.
 * @param patience see `queueAt`.
 * @throws InvalidInputError
 */
export async function queuePage(app: OpenedApp, raw: RawInput, patience?: number): Promise<QueuePage> {
  const { page, limit, queue, at } = parseInput(queueInput, raw);
  const wanted = { number: page, size: limit };
  if (at !== undefined) {
    const accepted = "only without an instant of the past: in which queue a message was is not stored";
    if (queue !== undefined) throw new InvalidInputError([{ parameter: "queue", value: queue, accepted }]);
    return queueAt(app, instantOf(at, raw, app.now()), wanted, patience);
  }
  const list = await app.store.read(async (reads): Promise<QueuePage> => {
    const [{ components, queue_peek }, counts, listed, { queues, named, note, complete }] = await Promise.all([
      reads.layout.capabilities(),
      reads.broker.queues(),
      reads.broker.peekMessages(sliceOf(wanted), queue),
      queuesOf(app, reads),
    ]);
    if (queue !== undefined) assertNamedQueues(named, queue);
    const ofQueue = queue === undefined ? counts : counts.filter((one) => one.queue_name === queue);
    const total = ofQueue.reduce((sum, { messages }) => sum + messages, 0);
    const { rows, page: place } = pageOf(placed(listed, ofQueue, sliceOf(wanted).offset), wanted, total);
    return {
      at: null,
      present: components.broker,
      queue_peek,
      named_queues: named,
      queue_note: note,
      queues_complete: complete,
      queue: queue ?? null,
      ...listedQueues(queues),
      messages: await queued(app, reads, rows),
      page: place,
    };
  });
  if (queue === undefined || list.messages.length > 0) return list;
  const unknown = (await unknownAmong(app, { queues: [queue] })).map(({ sentence }) => sentence);
  return {
    ...list,
    queue_note: [...(list.queue_note === null ? [] : [list.queue_note]), ...unknown].join(" ") || null,
  };
}
