/** What is usual for the waits of a task. */
import type { UsualWait } from "../../api/model/waiting-places.ts";
import { ifUnreachable, type OpenedApp, within } from "../app/opened-app.ts";

/** Fewer waits say little about what is usual. */
const MIN_WAITS = 10;

const DAY = 86_400;

/**
 * How long invocations of a task waited in the last day; null if that is not read in time, or there were few. Not inside `store.read`.
 *
 * @param patience milliseconds
 */
export async function usualWait(app: OpenedApp, task: string, patience: number): Promise<UsualWait | null> {
  if (app.rollups === null) return null;
  const to = app.now();
  const span = { from: to - DAY, to, patience };
  const answer = await within(patience, app.rollups.rows(span, "task", { task_id_key: task })).catch(ifUnreachable);
  const { count = 0, p50_seconds: p50 = null, p95_seconds: p95 = null } = answer?.rows[0]?.wait ?? {};
  return answer?.complete !== true || count < MIN_WAITS || p50 === null || p95 === null
    ? null
    : { count, p50_seconds: p50, p95_seconds: p95 };
}
