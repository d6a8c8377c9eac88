import { StoreUnreachableError } from "../../errors.ts";
import type { AppReads } from "../../stores/ports/store.ts";

export interface QueueLength {
  /** Null where the broker cannot be reached. */
  messages: number | null;
  /** Why not, as a sentence. */
  unreachable: string | null;
}

/**
 * For what shows the queue in passing: a broker that is kept apart may be away while everything else can be read. What is about the queue
 * itself asks the port and fails.
 */
export async function queueLength(reads: AppReads): Promise<QueueLength> {
  try {
    return { messages: await reads.broker.countMessages(), unreachable: null };
  } catch (error) {
    if (error instanceof StoreUnreachableError) return { messages: null, unreachable: error.message };
    throw error;
  }
}
