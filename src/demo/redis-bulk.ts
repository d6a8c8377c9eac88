import type { InvocationRecord, InvocationStatusRecord } from "../pynenc/records.ts";
import type { EpochSeconds } from "../pynenc/time.ts";
import { type BulkOptions, bulkBatches } from "./bulk.ts";
import type { BulkOutput } from "./bulk-output.ts";
import type { RedisWriter } from "./writer/redis-writer.ts";

/** Writes the same data as `writeBulk` with the same options into a Redis server. */
export async function writeRedisBulk(writer: RedisWriter, options: BulkOptions): Promise<void> {
  for (const written of bulkBatches(writer, new KeyOutput(writer), options)) {
    await writer.outbox.flush();
    writer.forget();
    options.onProgress?.(written);
  }
}

class KeyOutput implements BulkOutput {
  /** Small enough that the commands are released before the garbage collector promotes them. */
  readonly batch = 2_000;
  readonly #writer: RedisWriter;

  constructor(writer: RedisWriter) {
    this.#writer = writer;
  }

  definition(record: InvocationRecord): void {
    this.#writer.put("state_backend_invocations", { ...record });
  }

  status(status: InvocationStatusRecord, registeredAt: EpochSeconds): void {
    this.#writer.put("orchestrator_invocations", { ...status, registered_at: registeredAt });
  }

  history(invocation_id: string, history_timestamp: EpochSeconds, history_status: string, history_json: string): void {
    this.#writer.put("state_backend_history", { invocation_id, history_timestamp, history_status, history_json });
  }

  result(invocation_id: string, result_data: string): void {
    this.#writer.put("state_backend_results", { invocation_id, result_data });
  }

  /** Does nothing: sending is asynchronous, so the loop over the batches does it. */
  flush(): void {}
}
