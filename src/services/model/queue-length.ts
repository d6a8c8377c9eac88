import { StoreUnreachableError } from "../../errors.ts";
import type { AppReads } from "../../stores/ports/store.ts";

export interface QueueLength {
  /** Null if the broker cannot be reached. */
  messages: number | null;
  /** The reason as a sentence. */
  unreachable: string | null;
}

/**
 * For views where the queue length is secondary: an external broker may be unreachable while everything else can be read. Views about the queue
 * itself call the port directly and fail.
 */
export async function queueLength(reads: AppReads): Promise<QueueLength> {
  try {
    return { messages: await reads.broker.countMessages(), unreachable: null };
  } catch (error) {
    if (error instanceof StoreUnreachableError) return { messages: null, unreachable: error.message };
    throw error;
  }
}
