/** What is usual for runs of tasks, by the same rule as for slow runs. */
import type { OpenedApp } from "../app/opened-app.ts";
import { PAGE_PATIENCE, trendFacts } from "./read-trends.ts";
import { type Usual, usualOf } from "./slow-runs.ts";

/** The tasks for which it is known, as of now. Not inside `store.read`. @param patience milliseconds */
export async function usualOfTasks(
  app: OpenedApp,
  tasks: Iterable<string>,
  patience = PAGE_PATIENCE,
): Promise<ReadonlyMap<string, Usual>> {
  const trends = await trendFacts(app, patience);
  const found = new Map<string, Usual>();
  if (trends === null) return found;
  for (const task of tasks) {
    const usual = usualOf(trends, task);
    if (usual !== null) found.set(task, usual);
  }
  return found;
}
