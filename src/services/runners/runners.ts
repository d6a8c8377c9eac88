import type { RunnerName } from "../../api/model/runner-names.ts";
import type { RunnerDetail, RunnerList, RunnerRow } from "../../api/runners.ts";
import type { BusyRunners } from "../../api/stats.ts";
import { DEFAULT_ORIGIN } from "../../config/setting-sources.ts";
import { NotFoundError } from "../../errors.ts";
import { runnersInput } from "../../inputs/runners.ts";
import { runnerIdOf } from "../../pynenc/keys.ts";
import type { HeartbeatRecord, RunnerContextRecord } from "../../pynenc/records.ts";
import { epochFromIso, isoFromEpoch, isoOrNull } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { takenInvocations } from "../app/taken.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { pageOf, sliceOf } from "../input/paging.ts";
import { serviceRunRow } from "../model/execution-rows.ts";
import type { InvocationFilter } from "../model/filter-type.ts";
import { NO_FILTER } from "../model/invocation-filter.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { InvocationWalk, noInventory } from "../model/invocation-walk.ts";
import { runnerCounts } from "../model/runner-counts.ts";
import { livenessOf } from "../model/runner-liveness.ts";
import { runnerNames } from "../model/runner-names.ts";
import { settingRows } from "../model/setting-rows.ts";
import { listTimeline } from "../model/timeline-links.ts";
import { busyRunners, latelyMembers } from "../stats/trends.ts";

/**
 * Runners with a recent heartbeat, latest first; with `show=all` also dead ones and contexts that never had a heartbeat.
 *
 * @param figures the range of what they ran, only for pages: a command would have to read the whole history first.
 * @throws InvalidInputError
 */
export async function listRunners(app: OpenedApp, raw: RawInput, figures: RawInput | null = null): Promise<RunnerList> {
  const input = parseInput(runnersInput, raw);
  const scope = input.show;
  const wanted = { number: input.page, size: input.limit };
  const list = await app.store.read(async (reads) => {
    const { dead_before: dead, silence } = await livenessOf(app, reads);
    const counts = await runnerCounts(reads, dead);
    const slice = sliceOf(wanted);
    const heartbeats = scope === "active" ? await reads.orchestrator.heartbeats(slice, dead) : [];
    const ids = scope === "active" ? heartbeats.map(runnerIdOf) : await knownRunnerIds(reads, slice);
    const { rows, page } = pageOf(ids, wanted, scope === "active" ? counts.active : null);
    const silent = scope === "active" && page.number === 1 ? await silentOwners(reads, dead) : [];
    const shown = [...silent, ...rows];
    const held = figures !== null && shown.length > 0 ? await heldBy(reads, shown) : null;
    return {
      scope,
      runners: await runnerRows(reads, rows, dead, app.now()),
      silent: await runnerRows(reads, silent, dead, app.now()),
      held,
      idle_since: held === null ? null : await idleSince(reads, rows, held),
      page,
      ...counts,
      silence,
      settings: settingRows(app.settings, [
        // Each runner names its own class: the default says nothing about them.
        ...(app.settings.get("runner_cls")?.origin === DEFAULT_ORIGIN ? [] : ["runner_cls"]),
        "runner_considered_dead_after_minutes",
        "runner_loop_sleep_time_sec",
        "invocation_wait_results_sleep_time_sec",
        "min_parallel_slots",
        "min_threads",
        "max_threads",
        "min_processes",
        "max_processes",
        "num_processes",
      ]),
    };
  });
  const rows = [...list.silent, ...list.runners];
  const busy = figures !== null && rows.length > 0 ? await busyRunners(app, rows.map(runnerIdOf), figures) : null;
  return { ...list, busy: busy === null ? null : untilSilent(busy, rows) };
}

/** What a silent runner has not finished counts as running, but no longer ran once the runner was last heard. */
function untilSilent(busy: BusyRunners, rows: readonly RunnerRow[]): BusyRunners {
  const heard = new Map(rows.map((row) => [row.runner_id, row.active ? null : epochFromIso(row.last_heartbeat ?? "")]));
  const [from, step] = [epochFromIso(busy.from) ?? 0, busy.slice_seconds];
  const ran = ({ runner_id, running }: BusyRunners["rows"][number]) => {
    const until = heard.get(runner_id) ?? Number.POSITIVE_INFINITY;
    return { runner_id, running: running.map((count, slice) => (from + slice * step > until ? 0 : count)) };
  };
  return { ...busy, rows: busy.rows.map(ran) };
}

/** How many silent runners, and what each owns, are read. */
const SILENT_SHOWN = 20;

/** Runners that count as dead and still own running or paused invocations. */
async function silentOwners(reads: AppReads, dead: number): Promise<string[]> {
  const owned = await reads.orchestrator.ownedByDeadRunner(["running", "paused"], dead, SILENT_SHOWN);
  return [...new Set(owned.flatMap(({ status_runner_id }) => status_runner_id ?? []))].slice(0, SILENT_SHOWN);
}

/** Newest history entries searched for what idle runners did last. */
const NEWEST_ENTRIES = 1_000;

/** When runners that hold nothing last gave up an invocation that they had taken. One read, or none if all are busy. */
async function idleSince(
  reads: AppReads,
  ids: readonly string[],
  held: NonNullable<RunnerList["held"]>,
): Promise<RunnerList["idle_since"]> {
  const busy = new Set(held.map(runnerIdOf));
  const idle = new Set(ids.filter((id) => !busy.has(id)));
  if (idle.size === 0) return [];
  const entries = await reads.state_backend.historyBetween({}, NEWEST_ENTRIES, "latest");
  const last = new Map<string, number>();
  for (const { runner_context_id: id, status, status_runner_id: owner, timestamp } of entries) {
    // A runner also registers what its tasks call, and that ends nothing.
    if (id === null || !idle.has(id) || owner !== null || status === "registered") continue;
    last.set(id, Math.max(timestamp, last.get(id) ?? timestamp));
  }
  return [...last].map(([runner_id, at]) => ({ runner_id, at: isoFromEpoch(at) }));
}

/** What runners have taken and not finished, read in one statement; null if more is taken than that. */
async function heldBy(reads: AppReads, ids: readonly string[]): Promise<RunnerList["held"]> {
  const taken = await takenInvocations(reads.orchestrator);
  return (
    taken?.flatMap(({ status_runner_id: runner_id, invocation_id, task_id_key, status }) =>
      runner_id !== null && ids.includes(runner_id) ? [{ runner_id, invocation_id, task_id_key, status }] : [],
    ) ?? null
  );
}

/**
 * Every recorded runner: those with heartbeats, latest first, then contexts without one, newest first. A runner can have a heartbeat but no context
 * (storage-format.md 7.2), so neither list alone is complete.
 */
async function knownRunnerIds(reads: AppReads, slice: { limit: number; offset: number }): Promise<string[]> {
  const upTo = slice.offset + slice.limit;
  const heartbeats = await reads.orchestrator.heartbeats({ limit: upTo, offset: 0 });
  const ids = heartbeats.map(runnerIdOf);
  for (let offset = 0; ids.length < upTo; offset += 500) {
    const contexts = await reads.state_backend.listRunnerContexts({ limit: 500, offset });
    const withHeartbeat = await reads.orchestrator.heartbeatsByIds(contexts.map(runnerIdOf));
    const seen = new Set(withHeartbeat.map(runnerIdOf));
    ids.push(...contexts.flatMap((c) => (seen.has(c.runner_id) ? [] : [c.runner_id])));
    if (contexts.length < 500) break;
  }
  return ids.slice(slice.offset, upTo);
}

async function runnerRows(reads: AppReads, ids: readonly string[], dead: number, now: number): Promise<RunnerRow[]> {
  const [names, heartbeats] = await Promise.all([runnerNames(reads, ids), reads.orchestrator.heartbeatsByIds(ids)]);
  const heartbeatById = new Map(heartbeats.map((h) => [h.runner_id, h]));
  return ids.flatMap((id) => {
    const name = names.get(id);
    return name === undefined ? [] : [runnerRow(name, heartbeatById.get(id), dead, now)];
  });
}

function runnerRow(name: RunnerName, heartbeat: HeartbeatRecord | undefined, dead: number, now: number): RunnerRow {
  return {
    runner_id: name.runner_id,
    name,
    active: heartbeat !== undefined && heartbeat.last_heartbeat >= dead,
    created_at: isoOrNull(heartbeat?.creation_timestamp),
    last_heartbeat: isoOrNull(heartbeat?.last_heartbeat),
    age_seconds: heartbeat === undefined ? null : heartbeat.last_heartbeat - heartbeat.creation_timestamp,
    silent_seconds: heartbeat === undefined ? null : now - heartbeat.last_heartbeat,
    atomic_service_eligible: heartbeat?.allow_to_run_atomic_service ?? null,
    consumed_queues: heartbeat?.consumed_queues ?? null,
  };
}

const CHILDREN_SHOWN = 100;
const INVOCATIONS_SHOWN = 25;
const SERVICE_RUNS_SHOWN = 20;

/** Maximum history entries searched for a runner's invocations. Newest first, so recent runners are found quickly. */
const RUNNER_SCAN_LIMIT = 50_000;

/**
 * @param figures the range of figures over time, only for pages: a command would have to read it first.
 * @throws NotFoundError if the id has no context, no heartbeat and no history entry was found.
 */
export async function runnerDetail(app: OpenedApp, id: string, figures: RawInput | null = null): Promise<RunnerDetail> {
  const figured = await latelyMembers(app, { runner: id }, figures);
  return app.store.read(async (reads) => {
    const { dead_before: dead, silence } = await livenessOf(app, reads);
    const [{ executions }, contexts, heartbeats, childContexts, serviceRuns] = await Promise.all([
      reads.layout.capabilities(),
      reads.state_backend.runnerContexts([id]),
      reads.orchestrator.heartbeatsByIds([id]),
      reads.state_backend.listRunnerContexts({ limit: CHILDREN_SHOWN + 1, offset: 0 }, id),
      reads.orchestrator.executions({ limit: SERVICE_RUNS_SHOWN, offset: 0 }, { runner_id: id }),
    ]);
    const [worked, registered] = await Promise.all([
      latestOf(reads, { runner_id: id }, heartbeats[0]),
      latestOf(reads, { registered_by: id }, heartbeats[0]),
    ]);
    const context: RunnerContextRecord | undefined = contexts[0];
    const known =
      context !== undefined ||
      heartbeats.length > 0 ||
      childContexts.length > 0 ||
      worked.ids.length + registered.ids.length > 0;
    if (!known) throw new NotFoundError("runner", id);
    const related = [id, ...(context?.parent_ctx_id ? [context.parent_ctx_id] : []), ...childContexts.map(runnerIdOf)];
    const rows = new Map((await runnerRows(reads, related, dead, app.now())).map((row) => [row.runner_id, row]));
    const runner = rows.get(id);
    if (runner === undefined) throw new NotFoundError("runner", id);
    const heartbeat = heartbeats[0];
    const rowsOfBoth = await invocationRows(reads, [...worked.ids, ...registered.ids]);
    const invocations = rowsOfBoth.slice(0, worked.ids.length);
    const children = childContexts.slice(0, CHILDREN_SHOWN).flatMap((c) => rows.get(c.runner_id) ?? []);
    // A parent works through the runners that it started.
    const works = runner.active && !children.some(({ active }) => active);
    const held = works ? await heldBy(reads, [id]) : null;
    const idle = held?.length === 0 ? await idleSince(reads, [id], held) : null;
    return {
      runner,
      held,
      idle_since: idle?.[0]?.at ?? null,
      thread_id: context?.thread_id ?? null,
      parent: context?.parent_ctx_id ? (rows.get(context.parent_ctx_id) ?? null) : null,
      children,
      children_truncated: childContexts.length > CHILDREN_SHOWN,
      invocations,
      timeline: listTimeline(invocations),
      invocations_note: worked.note,
      registered: rowsOfBoth.slice(worked.ids.length),
      registered_note: registered.note,
      silence,
      service_runs: executions ? serviceRuns.map(serviceRunRow) : null,
      last_service:
        heartbeat?.last_service_start == null && heartbeat?.last_service_end == null
          ? null
          : { start_time: isoOrNull(heartbeat.last_service_start), end_time: isoOrNull(heartbeat.last_service_end) },
      ...figured,
    };
  });
}

/** The latest invocations. A runner writes history only between its first and last heartbeat, which limits the search. */
async function latestOf(
  reads: AppReads,
  role: Pick<InvocationFilter, "runner_id"> | Pick<InvocationFilter, "registered_by">,
  heartbeat: HeartbeatRecord | undefined,
): Promise<{ ids: string[]; note: string | null }> {
  const margin = 120;
  const window =
    heartbeat === undefined
      ? {}
      : { from: heartbeat.creation_timestamp - margin, to: heartbeat.last_heartbeat + margin };
  const walk = new InvocationWalk({ ...NO_FILTER, ...role, ...window }, noInventory);
  const ids = await walk.next(reads, INVOCATIONS_SHOWN, RUNNER_SCAN_LIMIT);
  if (walk.done) return { ids, note: null };
  const note =
    ids.length === INVOCATIONS_SHOWN
      ? `The latest ${INVOCATIONS_SHOWN} are shown.`
      : "Only the newest history was searched; the full list goes further.";
  return { ids, note };
}
