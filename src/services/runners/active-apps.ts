import type { AppEntry } from "../../api/app.ts";
import type { Workspace } from "../app/workspace.ts";
import { deadBefore } from "../model/runner-liveness.ts";

/** All apps of the store, with which of them have a runner. Reads the heartbeats of each app, so it is not for pages. */
export async function appEntries(workspace: Workspace): Promise<AppEntry[]> {
  const entries: AppEntry[] = [];
  const infoOf = new Map((await workspace.store.apps()).map(({ app_id, info }) => [app_id, info]));
  for (const entry of await workspace.apps()) {
    const app = workspace.unchecked(entry.app_id, infoOf.get(entry.app_id) ?? null);
    const runners = await app.store.read(async (reads) =>
      reads.orchestrator.countHeartbeats(await deadBefore(app, reads)),
    );
    entries.push({ ...entry, active: runners > 0 });
  }
  return entries;
}
