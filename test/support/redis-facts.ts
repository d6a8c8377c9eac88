/** The real data of a Redis server in test/fixtures/redis and what must be found in them. */
import { readFileSync } from "node:fs";
import { fixturePath } from "./fixtures.ts";

export const REDIS_RDB = fixturePath("redis/kitchen_sink_redis.rdb");

/** When the snapshot was taken, a moment after the last runner was killed in full flight. */
export const REDIS_PRESENT = Date.UTC(2026, 10, 21, 1, 3, 43) / 1000;

/**
 * Facts of one app, computed from the keys by an independent program. Instants are epoch seconds, of runners and of what is not final to the
 * millisecond.
 */
export interface RedisAppFacts {
  /** Invocations with a definition, with a status, with a history. */
  defined: number;
  with_status: number;
  with_history: number;
  history_entries: number;
  statuses: Record<string, number>;
  history_by_status: Record<string, number>;
  /** Of definitions: those without a status count. */
  tasks: Record<string, number>;
  /** By invocation, where it is not 0. */
  retries: Record<string, number>;
  results: number;
  results_by_reference: number;
  /** Name of the exception by invocation. */
  exceptions: Record<string, string>;
  /** Characters of each value by the beginning of its hash. */
  client_data: Record<string, number>;
  /** Arguments that are references, by whom they were externalised. */
  arguments_by_reference: number;
  roots: number;
  roots_with_children: number;
  /** The largest. Members without a status count. */
  families: { root: string; task: string; members: number; depth: number }[];
  /** Among definitions; a workflow that never ran has no run. */
  workflow_ids: number;
  workflow_runs: number;
  workflow_types: Record<string, number>;
  /** Runs with a parent workflow, by type. */
  sub_workflows: Record<string, number>;
  /** Number of values by workflow. */
  workflow_data: Record<string, number>;
  runner_contexts: Record<string, number>;
  contexts_with_parent: number;
  heartbeats: number;
  heartbeats_for_service: number;
  heartbeats_with_service: number;
  without_heartbeat: string[];
  /** Some of the heartbeats. */
  runners: { runner_id: string; runner_cls: string; created: number; last: number; service: boolean }[];
  queue: string[];
  not_final: {
    invocation_id: string;
    status: string;
    task_id_key: string;
    /** As stored. */
    arguments: string;
    runner_id: string | null;
    since: number;
    parent: string | null;
  }[];
  triggers: number;
  conditions: number;
  valid_conditions: number;
  condition_types: Record<string, number>;
  /** Last execution by condition. */
  cron: Record<string, number>;
  /** Parent by invocation: defined, and nothing else was written before the runner was killed. */
  torn: Record<string, string>;
  /** Registered, and neither a history nor a message was written. */
  without_history: string[];
  newest?: string[];
  oldest?: string;
  calls?: number;
  repeated_calls?: number;
  /** Keys of calls are cut. */
  most_repeated?: { call: string; invocations: number }[];
  per_minute?: { from: number; entries: number; invocations: number }[];
  window: [number, number];
}

export const REDIS_FACTS = JSON.parse(readFileSync(fixturePath("redis/facts.json"), "utf8")) as Record<
  string,
  RedisAppFacts
>;

export function redisFactsOf(appId: string): RedisAppFacts {
  const facts = REDIS_FACTS[appId];
  if (facts === undefined) throw new Error(`no facts for ${appId}`);
  return facts;
}
