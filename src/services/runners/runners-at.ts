/** Which runners were active at an instant of the past: by the same silence as now. Only their first and last heartbeats are stored. */
import type { RunnersAt } from "../../api/runners.ts";
import { runnerIdOf } from "../../pynenc/keys.ts";
import { type EpochSeconds, isoFromEpoch } from "../../pynenc/time.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { silenceSeconds } from "../model/runner-liveness.ts";
import { runnerNames } from "../model/runner-names.ts";

/** Latest heartbeats read. */
const READ = 1_000;

export async function runnersAt(app: OpenedApp, at: EpochSeconds): Promise<RunnersAt> {
  return app.store.read(async (reads) => {
    const read = await reads.orchestrator.heartbeats({ limit: READ, offset: 0 }, at - silenceSeconds(app));
    const active = read.filter(({ creation_timestamp }) => creation_timestamp <= at);
    const names = await runnerNames(reads, active.map(runnerIdOf));
    return {
      runners: active.flatMap(({ runner_id, creation_timestamp, last_heartbeat }) => {
        const name = names.get(runner_id);
        const silent_since = last_heartbeat < at ? isoFromEpoch(last_heartbeat) : null;
        return name === undefined ? [] : [{ name, since: isoFromEpoch(creation_timestamp), silent_since }];
      }),
      more: read.length === READ,
    };
  });
}
