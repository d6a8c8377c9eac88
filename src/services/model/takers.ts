/** Active runners that take messages, as far as heartbeats and contexts show. */
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { MAX_TAKERS } from "../app/taken.ts";

/** Class of the workers of a PersistentProcessRunner: each takes one invocation at a time. */
const SINGLE = "PPRWorker";

/** A ProcessRunner and the processes it starts, one for each invocation. */
const SPAWNING = ["ProcessRunner", "ProcessRunnerWorker"];

/** An active runner that takes messages itself rather than through child processes. */
export interface Taker {
  runner_id: string;
  /** Known to take one invocation at a time. A runner with threads takes several. */
  single: boolean;
  /** See HeartbeatRecord. */
  queues: readonly string[] | null;
}

export interface Takers {
  /** Number of active runners, including those that take nothing themselves. */
  active: number;
  takers: Taker[];
  /** An active runner starts a process per invocation: how many more it would start is not stored. */
  spawns: boolean;
}

/** Two reads. Null if there are more active runners than are read. */
export async function readTakers(reads: AppReads, deadBefore: EpochSeconds): Promise<Takers | null> {
  const heartbeats = await reads.orchestrator.heartbeats({ limit: MAX_TAKERS + 1, offset: 0 }, deadBefore);
  if (heartbeats.length > MAX_TAKERS) return null;
  const contexts = await reads.state_backend.runnerContexts(heartbeats.map((one) => one.runner_id));
  const classOf = new Map(contexts.map((context) => [context.runner_id, context.runner_cls]));
  const parents = new Set(contexts.map((context) => context.parent_ctx_id));
  const classes = heartbeats.map((one) => classOf.get(one.runner_id) ?? "");
  return {
    active: heartbeats.length,
    takers: heartbeats.flatMap(({ runner_id, consumed_queues: queues }, at): Taker[] => {
      const runner_cls = classes[at] ?? "";
      if (parents.has(runner_id) || SPAWNING.includes(runner_cls)) return [];
      return [{ runner_id, single: runner_cls === SINGLE, queues }];
    }),
    spawns: classes.some((runner_cls) => SPAWNING.includes(runner_cls)),
  };
}
