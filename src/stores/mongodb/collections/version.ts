/** Checks cheaply whether an app's data may have changed. */
import { createHash } from "node:crypto";
import type { MongoDb } from "../server/db.ts";
import type { MongoReading } from "./reading.ts";

/** What changes most steadily while an app works. */
const PULSE = ["orchestrator", "runner_heartbeats", "last_heartbeat"] as const;

/** What else says that something happened: the newest document, or the member that is written last. Each is the end of an index. */
const NEWEST = [
  ["orchestrator", "invocations", "_id"],
  ["state_backend", "history", "_id"],
  ["state_backend", "history", "history_timestamp"],
  ["state_backend", "invocations", "_id"],
  ["broker", "messages", "_id"],
  ["client_data_store", "values", "_id"],
  ["trigger", "events", "_id"],
  ["trigger", "trigger_runs", "_id"],
  ["trigger", "valid_conditions", "_id"],
] as const;

/** Collections whose documents are removed again: their number changes too. */
const COUNTED = [
  ["orchestrator", "invocations"],
  ["orchestrator", "blocking_edges"],
  ["state_backend", "history"],
  ["broker", "messages"],
  ["trigger", "events"],
  ["trigger", "valid_conditions"],
  ["trigger", "conditions"],
] as const;

/** The pulse of an app when its version was last asked for, and whether it had changed since the time before. */
export interface SeenPulse {
  pulse: string;
  changed: boolean;
}

let unique = 0;

/**
 * Changes with the history, a message, an event, a heartbeat and most else. A server has no counter of its changes that a user of one database may
 * read, so a token contains `~`: a status that is written after its history is missed until the next change. Of an unreachable server it equals no
 * other.
 *
 * @param seen by app. While runners are heard each time, nothing else is asked for.
 */
export async function appVersion(reading: MongoReading, seen: Map<string, SeenPulse>): Promise<string> {
  return versionOf(async () => {
    const newest = async ([component, collection, member]: typeof PULSE | (typeof NEWEST)[number]) => {
      const found = await reading
        .of(component, collection as never)
        .findOne({}, { sort: { [member]: -1 }, only: { [member]: 1 } });
      return found?.[member] ?? null;
    };
    const pulse = JSON.stringify(await newest(PULSE));
    const before = seen.get(reading.appId);
    const changed = before !== undefined && before.pulse !== pulse;
    seen.set(reading.appId, { pulse, changed });
    if (changed && before.changed) return [pulse, unique++];
    const sizes = COUNTED.map(([component, collection]) => reading.of(component, collection as never).count({}));
    return Promise.all([pulse, ...NEWEST.map(newest), ...sizes]);
  });
}

/** Changes with the collections of a database. */
export async function registryVersion(db: MongoDb, names: RegExp): Promise<string> {
  return versionOf(async () => (await db.collections(names)).sort());
}

async function versionOf(state: () => Promise<unknown>): Promise<string> {
  try {
    return `~${createHash("sha1")
      .update(JSON.stringify(await state()))
      .digest("base64url")}`;
  } catch {
    // The next read reports the error.
    return `unknown.${unique++}`;
  }
}
