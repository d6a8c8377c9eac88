/** The overview as of an instant of the past. What looked wrong then is not known. */
import type { QueuePage } from "../../api/components.ts";
import type { Dashboard, StatusAt } from "../../api/health.ts";
import type { RunnersAt } from "../../api/runners.ts";
import { type EpochSeconds, isoFromEpoch } from "../../pynenc/time.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { queueAt } from "../components/queue-at.ts";
import type { RawInput } from "../input/input.ts";
import { runnersAt } from "../runners/runners-at.ts";
import { recent } from "../stats/recent.ts";
import { statusAt } from "../stats/status-at.ts";

export interface OverviewThen extends Pick<Dashboard, "recent" | "recent_note"> {
  statuses: StatusAt;
  queue: Pick<QueuePage, "page" | "queues_complete">;
  runners: RunnersAt;
}

/**
 * @param range the range of time of the figures, which ends at the instant or before.
 * @param patience maximum milliseconds for exact counts.
 */
export async function overviewAt(
  app: OpenedApp,
  range: RawInput,
  at: EpochSeconds,
  patience: number,
): Promise<OverviewThen> {
  const [statuses, queue, runners, { recent: figures, recent_note }] = await Promise.all([
    statusAt(app, { at: [isoFromEpoch(at)] }, patience),
    queueAt(app, at, { number: 1, size: 1 }, patience),
    runnersAt(app, at),
    recent(app, range),
  ]);
  return { statuses, queue, runners, recent: figures, recent_note };
}
