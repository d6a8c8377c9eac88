/** The preview of every action: what would be removed, the consequences, the active runners, and why it would be refused. */
import type { AliveRunners } from "../../api/actions.ts";
import { RefusedError } from "../../errors.ts";
import { runnerIdOf } from "../../pynenc/keys.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { takesFrom } from "../model/queue-consumers.ts";
import { deadBefore } from "../model/runner-liveness.ts";
import { runnerNames } from "../model/runner-names.ts";
import { readTakers } from "../model/takers.ts";

export function total(counts: readonly { rows: number }[]): number {
  return counts.reduce((sum, { rows }) => sum + rows, 0);
}

const NAMED_RUNNERS = 5;

/** Runners with a heartbeat that is recent enough (storage-format.md 8); of a queue, those that take from it, or may do so. */
export async function aliveRunners(
  app: OpenedApp,
  reads: AppReads,
  queue: string | null = null,
): Promise<AliveRunners> {
  const since = await deadBefore(app, reads);
  const takers = queue === null ? null : await readTakers(reads, since);
  const takes = takesFrom(app, queue);
  const taking = takers?.takers.filter(({ queues }) => takes(queues) !== false);
  const [count, beats] = await Promise.all([
    taking?.length ?? reads.orchestrator.countHeartbeats(since),
    taking?.slice(0, NAMED_RUNNERS) ?? reads.orchestrator.heartbeats({ limit: NAMED_RUNNERS, offset: 0 }, since),
  ]);
  const names = await runnerNames(reads, beats.map(runnerIdOf));
  return {
    takes_from: queue,
    count,
    runners: beats.flatMap(({ runner_id, last_heartbeat }) => {
      const name = names.get(runner_id);
      return name === undefined ? [] : [{ ...name, last_heartbeat: isoFromEpoch(last_heartbeat) }];
    }),
  };
}

export const READ_ONLY = "This monitor is read-only (--read-only or PYNENC_MONITOR_READ_ONLY).";

/** Why every action is refused now, or null: read-only mode, an unknown layout, a file that may not be written. */
export async function refusalNow(app: OpenedApp, reads: AppReads): Promise<string | null> {
  if (app.store.readOnly) return READ_ONLY;
  const { writes_refused } = await reads.layout.capabilities();
  if (writes_refused !== null) return `Actions are refused: ${writes_refused}.`;
  const unwritable = (await reads.layout.files()).find((file) => file.unwritable !== null)?.unwritable;
  return unwritable === undefined ? null : `This user may not write to ${unwritable}.`;
}

/** A preview's answers for each of several invocations; a refusal of the whole action is a sentence instead. */
export async function answersOrRefusal<Answer>(
  preview: Promise<Answer[]>,
): Promise<{ answers: Answer[]; refused: string | null }> {
  try {
    return { answers: await preview, refused: null };
  } catch (error) {
    if (error instanceof RefusedError) return { answers: [], refused: error.message };
    throw error;
  }
}
