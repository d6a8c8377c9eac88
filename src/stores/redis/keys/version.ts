/** Checks cheaply whether a server's data may have changed. */
import { createHash } from "node:crypto";
import { StoreUnreachableError } from "../../../errors.ts";
import type { Command, RedisConnection } from "../server/connection.ts";
import type { AppKeys } from "./keys.ts";

const COUNTERS: readonly Command[] = [
  ["INFO", "server"],
  ["INFO", "persistence"],
];

const COUNTER_NAMES = ["run_id", "rdb_changes_since_last_save", "rdb_last_save_time"];

/** Servers on which INFO is forbidden or incomplete. */
const silent = new WeakSet<RedisConnection>();

let unknown = 0;

/**
 * The server counts its changes since the last save. Together with the time of that save and the process's run id, this identifies a state of the
 * entire server. If INFO is not available, a few lengths are read instead (`changeProbes`), which change with almost everything: then the token contains `~`. An unreachable
 * server gives a token that equals no other.
 */
export async function versionOf(connection: RedisConnection, probes: readonly Command[]): Promise<string> {
  try {
    if (!silent.has(connection)) {
      const token = await counters(connection);
      if (token !== null) return token;
      silent.add(connection);
    }
    return `~${hash(JSON.stringify(await connection.exchange(probes)))}`;
  } catch {
    // The next read reports the error.
    return `unknown.${unknown++}`;
  }
}

/** Probes for the registry of a store. */
export const REGISTRY_PROBES: readonly Command[] = [["DBSIZE"]];

/** Reads values that change with any activity of an invocation, a runner or an event. */
export function changeProbes(keys: AppKeys): readonly Command[] {
  const newest = (key: string): Command => ["ZREVRANGE", key, "0", "0", "WITHSCORES"];
  return [
    ["LLEN", keys.key("broker", "default_queue")],
    ["LINDEX", keys.key("broker", "default_queue"), "0"],
    ["ZCARD", keys.key("orchestrator", "all_invocations_by_time")],
    ["ZCARD", keys.key("orchestrator", "invocation_auto_purge")],
    ["ZCARD", keys.key("orchestrator", "runner_heartbeats")],
    ["ZCARD", keys.key("blocking_control", "all_waited")],
    ["ZCARD", keys.key("state_backend", "history_by_timestamp")],
    newest(keys.key("state_backend", "history_by_timestamp")),
    ["ZCARD", keys.key("trigger", "evts_by_time")],
    ["ZCARD", keys.key("trigger", "evts_triggered")],
    ["ZCARD", keys.key("trigger", "truns_by_time")],
    ["DBSIZE"],
  ];
}

async function counters(connection: RedisConnection): Promise<string | null> {
  try {
    const info = (await connection.exchange(COUNTERS)).join("\n");
    const [run, ...counters] = COUNTER_NAMES.map((name) => new RegExp(`^${name}:(.*)$`, "m").exec(info)?.[1]?.trim());
    // A server that was started again may hold other data (`AppStore.version`).
    return [run, ...counters].includes(undefined) ? null : `${hash(run ?? "")}.${hash(counters.join(" "))}`;
  } catch (error) {
    if (error instanceof StoreUnreachableError && error.reason === "no-permission") return null;
    throw error;
  }
}

function hash(text: string): string {
  return createHash("sha1").update(text).digest("base64url");
}
