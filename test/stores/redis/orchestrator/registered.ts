/** Keys of an invocation as the orchestrator writes them (storage-format.md 9.2). */
import { isoFromEpoch } from "../../../../src/pynenc/time.ts";
import { AppKeys } from "../../../../src/stores/redis/keys/keys.ts";
import type { Command } from "../../../../src/stores/redis/server/connection.ts";

export interface Registered {
  id: string;
  task?: string;
  argumentsId?: string;
  /** Null for one that was purged, or lost it. */
  status: string | null;
  owner?: string | null;
  /** Of registration and status. */
  time: number;
  /** Status sets that it is in; that of its status unless given. */
  inSets?: readonly string[];
}

export function registered(appId: string, invocation: Registered): Command[] {
  const { id, task = "t.f", argumentsId = "no_args", status, owner = null, time, inSets } = invocation;
  const keys = new AppKeys(appId);
  const key = (...parts: string[]) => keys.key("orchestrator", ...parts);
  const sets = inSets ?? (status === null ? [] : [status]);
  const stored = JSON.stringify({ status, runner_id: owner, timestamp: isoFromEpoch(time) });
  return [
    ["ZADD", key("all_invocations_by_time"), String(time), id],
    ["ZADD", key("task_invocations_by_time", task), String(time), id],
    ["SADD", key("call_to_invocation", `${task}:${argumentsId}`), id],
    ["SET", key("invocation_to_call", id), `${task}:${argumentsId}`],
    ...sets.map((set): Command => ["SADD", key("status", set), id]),
    // pynenc's auto purge takes the rest away and leaves what is above.
    ...(status === null
      ? []
      : ([
          ["SADD", key("task", task), id],
          ["SET", key("invocation_status", id), stored],
        ] as Command[])),
  ];
}
