import { objectOrNull, parsedJson } from "../../../pynenc/plain-json.ts";
import { type EpochSeconds, epochFromIso } from "../../../pynenc/time.ts";
import { inChunks } from "../../server/chunks.ts";
import type { RedisReading } from "../keys/reading.ts";

/** Commands per round trip. */
const BATCH = 10_000;

/**
 * When these invocations were registered. Those missing in the orchestrator's index have the time of their first history entry; those without either
 * are omitted. At most two round trips per ten thousand ids.
 */
export async function registrationTimes(
  reading: RedisReading,
  invocationIds: readonly string[],
): Promise<Map<string, EpochSeconds>> {
  const { keys } = reading;
  const ids = [...new Set(invocationIds)];
  const index = keys.key("orchestrator", "all_invocations_by_time");
  const times = new Map<string, EpochSeconds>();
  for (const some of inChunks(ids, BATCH)) {
    const scores = await reading.db("orchestrator").scores(index, some);
    for (const [i, id] of some.entries()) {
      const score = scores[i] ?? null;
      if (score !== null) times.set(id, score);
    }
  }
  const others = ids.filter((id) => !times.has(id));
  for (const some of inChunks(others, BATCH)) {
    const entries = await reading
      .db("state_backend")
      .exchange(some.map((id) => ["LINDEX", keys.key("state_backend", "history", id), "0"]));
    for (const [i, id] of some.entries()) {
      const entry = entries[i];
      const time = typeof entry === "string" ? writtenAt(entry) : null;
      if (time !== null) times.set(id, time);
    }
  }
  return times;
}

/** Time of a history entry (storage-format.md 3.4). */
function writtenAt(historyJson: string): EpochSeconds | null {
  const time = objectOrNull(parsedJson(historyJson))?._timestamp;
  return typeof time === "string" ? epochFromIso(time) : null;
}
