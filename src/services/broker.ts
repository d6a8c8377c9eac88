import { isoOrNull, secondsSince } from "../pynenc/time.ts";
import type { AppReads } from "../stores/ports.ts";
import { integer, pageNumber, parseInput, type RawInput } from "./input.ts";
import { type InvocationRow, invocationRows } from "./invocation-rows.ts";
import type { OpenedApp } from "./opened-app.ts";
import { type PageInfo, pageOf, sliceOf } from "./paging.ts";
import { deadBefore } from "./runner-liveness.ts";
import { type SettingRow, settingRows } from "./setting-rows.ts";

export interface QueuedInvocation extends InvocationRow {
  /** Null where the queue does not keep it. */
  queued_at: string | null;
  queued_seconds: number | null;
}

export interface BrokerOverview {
  settings: SettingRow[];
  /** False when the app's broker is not in this store (kept in memory or elsewhere). */
  present: boolean;
  /** False when the messages can only be counted. */
  queue_peek: boolean;
  /** Messages of other apps may be among them. */
  queue_shared: boolean;
  messages: number;
  oldest_queued_at: string | null;
  oldest_seconds: number | null;
  active_runners: number;
  /** The messages that runners will take next. */
  next: QueuedInvocation[];
}

export interface QueuePage {
  /** As in `BrokerOverview`. */
  present: boolean;
  queue_peek: boolean;
  messages: QueuedInvocation[];
  page: PageInfo;
}

const NEXT_SHOWN = 5;

/** Which queue it is, where that is not told by the store of the app. */
const SERVER_SETTINGS = ["rabbitmq_host", "rabbitmq_port", "rabbitmq_virtual_host", "rabbitmq_queue_prefix"];

export async function brokerOverview(app: OpenedApp): Promise<BrokerOverview> {
  return app.store.read(async (reads) => {
    const [{ components, queue_peek, queue_shared }, messages, active_runners, next] = await Promise.all([
      reads.layout.capabilities(),
      reads.broker.countMessages(),
      deadBefore(app, reads).then((dead) => reads.orchestrator.countHeartbeats(dead)),
      queued(app, reads, { limit: NEXT_SHOWN, offset: 0 }),
    ]);
    return {
      settings: settingRows(app.settings, [
        "broker_cls",
        "queue_timeout_sec",
        ...(queue_shared ? SERVER_SETTINGS : []),
      ]),
      present: components.broker,
      queue_peek,
      queue_shared,
      messages,
      oldest_queued_at: next[0]?.queued_at ?? null,
      oldest_seconds: next[0]?.queued_seconds ?? null,
      active_runners,
      next,
    };
  });
}

/** @throws InvalidInputError */
export async function queuePage(app: OpenedApp, raw: RawInput): Promise<QueuePage> {
  const { page, limit } = parseInput({ page: pageNumber, limit: integer(1, 1000, 50) }, raw);
  const wanted = { number: page, size: limit };
  return app.store.read(async (reads) => {
    const [{ components, queue_peek }, total, listed] = await Promise.all([
      reads.layout.capabilities(),
      reads.broker.countMessages(),
      queued(app, reads, sliceOf(wanted)),
    ]);
    const { rows, page: place } = pageOf(listed, wanted, total);
    return { present: components.broker, queue_peek, messages: rows, page: place };
  });
}

/** Messages oldest first with what is known of their invocations. Looking takes nothing from the queue. */
async function queued(
  app: OpenedApp,
  reads: AppReads,
  slice: { limit: number; offset: number },
): Promise<QueuedInvocation[]> {
  const messages = await reads.broker.peekMessages(slice);
  const rows = await invocationRows(
    reads,
    messages.map((m) => m.invocation_id),
  );
  return rows.map((row, index) => {
    const queuedAt = messages[index]?.queued_at ?? null;
    return {
      ...row,
      queued_at: isoOrNull(queuedAt),
      queued_seconds: queuedAt === null ? null : secondsSince(queuedAt, app.now()),
    };
  });
}
