import type { QueueMessage } from "../../pynenc/records.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { Slice } from "./common.ts";

/** One queue that has messages. */
export interface QueueCount {
  /** Null for the single queue of layouts without named queues. */
  queue_name: string | null;
  messages: number;
  /** When its oldest message was enqueued; null if that is not stored. */
  oldest: EpochSeconds | null;
}

/** How the app stores its messages. */
export interface QueueLayout {
  /** Messages are in named queues and have priorities: since 0.4. */
  named: boolean;
  /** False while there may be queues that are not listed yet. */
  complete: boolean;
  /** A sentence about what is uncertain in the list of queues, or null. */
  note: string | null;
}

export interface BrokerReads {
  layout(): Promise<QueueLayout>;
  /** With a name, only that queue is counted. */
  countMessages(queueName?: string): Promise<number>;
  /** Queues with messages, by name. */
  queues(): Promise<QueueCount[]>;
  /**
   * Messages by queue name, then in the order they are taken: highest priority first, then oldest. pynenc defines no order across queues. With a
   * name, only that queue. Never consumes.
   */
  peekMessages(slice: Slice, queueName?: string): Promise<QueueMessage[]>;
  /** All messages of these invocations, in the order they were enqueued if the store keeps it. */
  messagesOf(invocationIds: readonly string[]): Promise<QueueMessage[]>;
}
