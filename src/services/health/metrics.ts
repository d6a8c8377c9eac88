/** Metrics of an app for monitoring systems: current values, and totals since monitoring began. */
import type { StatusReport } from "../../api/health.ts";
import { outgoing } from "../../config/masking.ts";
import { StoreUnreachableError } from "../../errors.ts";
import { type ArrivedOfTask, DURATION_BOUNDS } from "../../rollups/arrivals.ts";
import type { Reach } from "../../rollups/reads.ts";
import { countByTaskAndStatus, type TaskStatusShare } from "../app/counts.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { PAGE_PATIENCE } from "../verdicts/read-trends.ts";
import type { WithFoundVerdicts } from "../verdicts/verdicts.ts";
import { statusReport } from "./status.ts";

/** Secrets in names are masked. */
export interface AppMetrics {
  app_id: string;
  /** Null if the store could not be read. */
  status: WithFoundVerdicts<StatusReport> | null;
  /** Null also while a large store is still being counted. */
  tasks: readonly TaskStatusShare[] | null;
  /** Null if the history is not followed: in a command, or if figures over time are switched off. */
  arrived: {
    reach: Reach;
    tasks: readonly ArrivedOfTask[];
    /** Upper bounds in seconds of the duration ranges. */
    bounds: readonly number[];
  } | null;
}

/** For a server that is scraped repeatedly: an unreadable store is part of the answer rather than an error. */
export async function appMetrics(app: OpenedApp): Promise<AppMetrics> {
  try {
    const [status, tasks, arrived] = await Promise.all([
      statusReport(app, PAGE_PATIENCE),
      countByTaskAndStatus(app),
      arrivedOf(app),
    ]);
    return outgoing({ app_id: app.app_id, status, tasks, arrived });
  } catch (error) {
    if (!(error instanceof StoreUnreachableError)) throw error;
    return outgoing({ app_id: app.app_id, status: null, tasks: null, arrived: null });
  }
}

/** Current values only, for a command, which does not follow the history. @throws StoreUnreachableError */
export async function metricsOfNow(app: OpenedApp): Promise<AppMetrics> {
  const [status, tasks] = await Promise.all([statusReport(app), countByTaskAndStatus(app)]);
  return outgoing({ app_id: app.app_id, status, tasks, arrived: null });
}

async function arrivedOf({ rollups, now }: OpenedApp): Promise<AppMetrics["arrived"]> {
  if (rollups === null) return null;
  // Use whatever has been read so far instead of waiting for older history.
  const { reach, tasks } = await rollups.arrived({ from: now(), to: now(), patience: 0 });
  return { reach, tasks, bounds: DURATION_BOUNDS };
}
