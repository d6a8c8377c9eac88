import type { RedisReading } from "../keys/reading.ts";
import { textsOf } from "../server/db.ts";

/** Messages that are looked at. Right after a purge there are no more than came meanwhile. */
const LOOK_AT = 10_000;

/**
 * Messages whose invocation has no status or no definition, one for each. They are read before the records: those are written first, so that
 * what is missing then was never there or is gone.
 */
export async function messagesWithoutRecords(reading: RedisReading): Promise<string[]> {
  const { keys } = reading;
  const ids = textsOf(
    await reading.db("broker").ask("LRANGE", keys.key("broker", "default_queue"), "0", String(LOOK_AT - 1)),
  );
  const statusKey = (id: string) => keys.key("orchestrator", "invocation_status", id);
  const definitionKey = (id: string) => keys.key("state_backend", "invocation", id);
  const [statuses, definitions] = await Promise.all([
    reading.db("orchestrator").existing(ids.map(statusKey)),
    reading.db("state_backend").existing(ids.map(definitionKey)),
  ]);
  const [withStatus, defined] = [new Set(statuses), new Set(definitions)];
  return ids.filter((id) => !withStatus.has(statusKey(id)) || !defined.has(definitionKey(id)));
}

/** Removes them. @param beforeStep is called before something is deleted. */
export async function sweepQueue(reading: RedisReading, beforeStep: () => void): Promise<number> {
  const ids = [...new Set(await messagesWithoutRecords(reading))];
  if (ids.length === 0) return 0;
  beforeStep();
  const queue = reading.keys.key("broker", "default_queue");
  const removed = await reading.db("broker").transaction(ids.map((id) => ["LREM", queue, "0", id]));
  return removed.reduce<number>((sum, count) => sum + Number(count ?? 0), 0);
}
