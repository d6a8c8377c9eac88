import type { QueueMessage } from "../../pynenc/records.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { Slice } from "./common.ts";

/** One queue that has messages. */
export interface QueueCount {
  /** Null for the one queue of layouts without names. */
  queue_name: string | null;
  messages: number;
  /** When its oldest message was put in; null where that is not kept. */
  oldest: EpochSeconds | null;
}

/** In what form the messages of an app lie. */
export interface QueueLayout {
  /** Messages lie in named queues and have priorities: since 0.4. */
  named: boolean;
  /** False while there may be more queues than the port has listed. */
  complete: boolean;
  /** A sentence about what is uncertain in the list of queues; null if nothing is. */
  note: string | null;
}

export interface BrokerReads {
  layout(): Promise<QueueLayout>;
  /** With a name, those of that queue. */
  countMessages(queueName?: string): Promise<number>;
  /** Queues with messages, by name. */
  queues(): Promise<QueueCount[]>;
  /**
   * Queue after queue by name, the messages of each in the order in which they are taken: the greatest priority first, then the oldest. There
   * is no order over several queues. With a name, those of that queue. Never consumes.
   */
  peekMessages(slice: Slice, queueName?: string): Promise<QueueMessage[]>;
  /** All messages of these invocations, in the order in which they were put in where the store keeps that. */
  messagesOf(invocationIds: readonly string[]): Promise<QueueMessage[]>;
  /** Which of these invocations are in the queue now. */
  queuedAmong(invocationIds: readonly string[]): Promise<string[]>;
}
