/** Active runners that take messages, as far as heartbeats and contexts show. */
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { MAX_TAKERS } from "../app/taken.ts";
import type { Consumers } from "./queue-consumers.ts";

/** Class of the workers of a PersistentProcessRunner: each takes one invocation at a time. */
const SINGLE = "PPRWorker";

/** A ProcessRunner takes messages itself, and starts a process for each. */
const SPAWNING = "ProcessRunner";
const SPAWNED = "ProcessRunnerWorker";

/** An active runner that takes messages. One whose active children take them does not count beside these. */
export interface Taker {
  runner_id: string;
  last_heartbeat: EpochSeconds;
  /** Known to take one invocation at a time. A runner with threads takes several. */
  single: boolean;
  /** It starts a process for each invocation: how many more it would start is not stored. */
  spawns: boolean;
  /** See HeartbeatRecord. */
  queues: readonly string[] | null;
}

export interface Takers {
  /** Number of active runners, including those that take nothing themselves. */
  active: number;
  takers: Taker[];
  /** One of the active runners spawns, or was spawned. */
  spawns: boolean;
}

/** As the port of the same name, without parents of active runners that take the messages. Those count too if there are more runners than are read. */
export async function activeConsumers(reads: AppReads, deadBefore: EpochSeconds): Promise<Consumers | null> {
  const all = await reads.orchestrator.consumers(deadBefore);
  if (all === null || all.length === 0) return all;
  const runners = await readTakers(reads, deadBefore);
  return runners === null ? all : runners.takers.map(({ queues }) => ({ queues, runners: 1 }));
}

/** Two reads. Null if there are more active runners than are read. */
export async function readTakers(reads: AppReads, deadBefore: EpochSeconds): Promise<Takers | null> {
  const heartbeats = await reads.orchestrator.heartbeats({ limit: MAX_TAKERS + 1, offset: 0 }, deadBefore);
  if (heartbeats.length > MAX_TAKERS) return null;
  const contexts = await reads.state_backend.runnerContexts(heartbeats.map((one) => one.runner_id));
  const classOf = new Map(contexts.map((context) => [context.runner_id, context.runner_cls]));
  const parentsOf = (spawned: boolean) =>
    new Set(contexts.flatMap((one) => ((one.runner_cls === SPAWNED) === spawned ? (one.parent_ctx_id ?? []) : [])));
  const [parents, spawning] = [parentsOf(false), parentsOf(true)];
  const classes = heartbeats.map((one) => classOf.get(one.runner_id) ?? "");
  return {
    active: heartbeats.length,
    takers: heartbeats.flatMap(({ runner_id, last_heartbeat, consumed_queues: queues }, at): Taker[] => {
      const runner_cls = classes[at] ?? "";
      if (runner_cls === SPAWNED || parents.has(runner_id)) return [];
      const spawns = runner_cls === SPAWNING || spawning.has(runner_id);
      return [{ runner_id, last_heartbeat, single: runner_cls === SINGLE, spawns, queues }];
    }),
    spawns: classes.some((runner_cls) => runner_cls === SPAWNING || runner_cls === SPAWNED),
  };
}
