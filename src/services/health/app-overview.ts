/** The apps of a store at one glance. Only those of the page are read, each when its turn comes. */
import type { AppFigures, AppOverview, AppRow } from "../../api/app.ts";
import { MonitorError } from "../../errors.ts";
import { appsInput } from "../../inputs/health.ts";
import { isoFromEpoch, isoOrNull } from "../../pynenc/time.ts";
import { HOUR } from "../../rollups/buckets.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { ShownApp, Workspace } from "../app/workspace.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { pageOf, sliceOf } from "../input/paging.ts";
import { queueLength } from "../model/queue-length.ts";
import { deadBefore } from "../model/runner-liveness.ts";
import { countedBack } from "../stats/stats-range.ts";
import { trendFacts } from "../verdicts/read-trends.ts";
import { findVerdicts } from "../verdicts/verdicts.ts";

/** Milliseconds for figures over time, of an app that has them. */
const PATIENCE = 20;

/** Entries of the last hour's history that are looked at in an app: the latest. */
const SAMPLED = 2_000;

/** Apps that are read at once, so that other requests get their turns. */
const AT_ONCE = 4;

/** @throws InvalidInputError */
export async function appOverview(workspace: Workspace, raw: RawInput): Promise<AppOverview> {
  const { page: number, limit: size } = parseInput(appsInput, raw);
  const apps = await workspace.apps(true);
  const { limit, offset } = sliceOf({ number, size });
  const { rows, page } = pageOf(apps.slice(offset, offset + limit), { number, size }, apps.length);
  const found = await lookAtApps(workspace, rows);
  return { location: workspace.store.location, as_of: isoFromEpoch(workspace.now()), apps: found, page };
}

/** How these apps are doing. */
export async function lookAtApps(workspace: Workspace, apps: readonly ShownApp[]): Promise<AppRow[]> {
  const infoOf = new Map((await workspace.store.apps(true)).map(({ app_id, info }) => [app_id, info]));
  const found: AppRow[] = [];
  for (let at = 0; at < apps.length; at += AT_ONCE) {
    const some = apps.slice(at, at + AT_ONCE);
    found.push(
      ...(await Promise.all(
        some.map((app) => rowOf(app, async () => workspace.glanced(app.app_id, infoOf.get(app.app_id) ?? null))),
      )),
    );
  }
  return found;
}

async function rowOf(app: ShownApp, open: () => Promise<OpenedApp>): Promise<AppRow> {
  try {
    const opened = await open();
    // Of an unchanged store they change with the time: heartbeats get old.
    const minute = Math.floor(opened.now() / 60);
    return { ...app, figures: await opened.memoAcross(`overview ${minute}`, () => figuresOf(opened)), trouble: null };
  } catch (error) {
    if (!(error instanceof MonitorError)) throw error;
    return { ...app, figures: null, trouble: error.message };
  }
}

async function figuresOf(app: OpenedApp): Promise<AppFigures> {
  // Which invocations exist matters only beside figures over time, and takes a walk over all of them.
  const trends = app.rollups === null ? null : await trendFacts(app, PATIENCE);
  return app.store.read(async (reads) => {
    const [verdicts, queue, active_runners, span, ended] = await Promise.all([
      findVerdicts(app, reads, trends),
      queueLength(reads),
      deadBefore(app, reads).then((dead) => reads.orchestrator.countHeartbeats(dead)),
      reads.state_backend.historySpan(),
      endedLately(reads, app.now()),
    ]);
    const problems = verdicts.filter(({ muted_until }) => muted_until === null);
    return {
      problems: problems.length,
      errors: problems.filter(({ severity }) => severity === "error").length,
      ...ended,
      queued_messages: queue.messages,
      active_runners,
      last_change: isoOrNull(span?.last ?? null),
    };
  });
}

async function endedLately(reads: AppReads, now: number): Promise<Pick<AppFigures, "finished" | "failed" | "sampled">> {
  const hour = { from: countedBack(HOUR, now), to: now };
  const entries = await reads.state_backend.historyBetween(hour, SAMPLED, "latest");
  const met = (...statuses: string[]) => entries.filter(({ status }) => statuses.includes(status)).length;
  return { finished: met("success", "failed"), failed: met("failed"), sampled: entries.length === SAMPLED };
}
