/** Histories of a window, followed change by change. */
import type { CriticalPath } from "../../api/model/critical-path.ts";
import type { Afterwards } from "../../api/timeline.ts";
import { isCoreTask } from "../../pynenc/identifiers.ts";
import { deadSince, historiesInOrder, type SignsOfLife } from "../../pynenc/life.ts";
import type { HistoryRecord, InvocationStatusRecord } from "../../pynenc/records.ts";
import { type EpochSeconds, MICROSECOND } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { TrackedInvocation } from "../../timeline/histories.ts";
import type { HistoryStep, HistoryWindow } from "../../timeline/model.ts";
import { isLasting, LASTING_STATUSES } from "../../timeline/strands.ts";
import { WRITTEN_LATE_SECONDS } from "../model/invocation-life.ts";
import { InvocationWalk, noInventory } from "../model/invocation-walk.ts";
import { signsOfLife } from "../model/signs-of-life.ts";
import type { TimelineInput } from "./timeline-input.ts";

/** Windows with more status changes than this are not followed change by change but counted. */
export const FOLLOWED = 20_000;
/** Changes before and after the window that are searched for invocations that did not change inside it. */
const SURROUNDING_ENTRIES = 2_000;
/** Limit of ongoing invocations that began before the window. */
const ONGOING = 500;
/** History entries that a filtered timeline looks at for candidates. */
const FILTER_SCAN_LIMIT = 30_000;
const HISTORY_LIMIT = 50_000;

export interface TrackedHistories {
  tracked: TrackedInvocation[];
  /** Every candidate of the filter was read. */
  exhausted: boolean;
  /** No invocation that was busy all through the window can have been missed. */
  surroundingsComplete: boolean;
  /** Invocations of pynenc's own tasks that are left out. */
  systemHidden: number;
}

export const NOTHING_TRACKED: TrackedHistories = {
  tracked: [],
  exhausted: true,
  surroundingsComplete: true,
  systemHidden: 0,
};

/**
 * Histories of the window's invocations, with the status that each was in when the window began.
 *
 * @param deadBefore as for `signsOfLife`.
 * @param then reads of the store as it was when the window ended or later, to find what the invocations were doing then; the present by default.
 */
export async function trackedHistories(
  reads: AppReads,
  input: TimelineInput,
  window: HistoryWindow,
  deadBefore: (() => Promise<EpochSeconds>) | null,
  then: AppReads = reads,
): Promise<TrackedHistories> {
  const { filter, filtered, options } = input;
  const bounds = { from: window.start, to: window.end };
  const walk = filtered ? new InvocationWalk({ ...filter, ...bounds }, noInventory) : null;
  const matching = (await walk?.next(reads, options.limit, FILTER_SCAN_LIMIT)) ?? [];
  const late = { from: window.start, to: window.end + WRITTEN_LATE_SECONDS };
  const written = filtered ? [] : await reads.state_backend.historyBetween(late, FOLLOWED, "earliest");
  const active = new Set(
    filtered ? matching : written.flatMap((entry) => (entry.timestamp <= window.end ? [entry.invocation_id] : [])),
  );
  const spanning = await spanningAmong(reads, input, window, active);
  // A filter may have found no more than its limit: only the whole history says what spans the window.
  const entries = filtered
    ? await reads.state_backend.historyOf([...matching, ...spanning.ids], HISTORY_LIMIT)
    : written;
  const stepsOf = new Map<string, HistoryRecord[]>();
  const earlier: HistoryRecord[] = [];
  for (const [id, history] of historiesInOrder(entries)) {
    const steps: HistoryRecord[] = [];
    for (const entry of history) {
      if (entry.timestamp < window.start) earlier.push(entry);
      else if (entry.timestamp <= window.end) steps.push(entry);
    }
    if (steps.length > 0) stepsOf.set(id, steps);
  }
  const begun = [...stepsOf].flatMap(([id, steps]) => (steps[0]?.status === "registered" ? [] : [id]));
  const before = await reads.state_backend.lastEntriesBefore([...new Set([...begun, ...spanning.ids])], window.start);
  // The last entry of an invocation before the window shows what it was doing when the window began.
  const queuedOf = new Map<string, string>();
  for (const [id, history] of historiesInOrder([...before, ...earlier])) {
    const [entry, steps] = [history.at(-1), stepsOf.get(id) ?? []];
    // Nothing comes before a registration, whatever the clocks say.
    if (entry === undefined || steps[0]?.status === "registered") continue;
    if (isLasting(entry.status)) stepsOf.set(id, [entry, ...steps]);
    else queuedOf.set(id, entry.status);
  }
  const ids = [...stepsOf.keys()];
  // As of an instant of the window, the last of what was read is where each was: nothing later is needed.
  const endsNow = input.at === window.end;
  const statuses = await (endsNow ? reads : then).orchestrator.statusesByIds(ids);
  const statusById = new Map(statuses.map((row) => [row.invocation_id, row]));
  const purged = await reads.state_backend.invocationsByIds(ids.filter((id) => !statusById.has(id)));
  const taskById = new Map([...purged, ...statuses].map((row) => [row.invocation_id, row.task_id_key]));
  const signs = await signsOfLife(reads, stepsOf.values(), deadBefore);
  const afterwardsById = new Map(
    [...stepsOf].map(([id, steps]) => [id, endsNow ? "ongoing" : afterwardsOf(steps.at(-1), statusById.get(id))]),
  );
  const nextOf = await nextEntries(
    then,
    [...stepsOf].flatMap(([id, steps]) => (afterwardsById.get(id) === "continues" ? (steps.at(-1) ?? []) : [])),
  );
  const all = [...stepsOf].map(([invocation_id, steps]): TrackedInvocation => {
    const afterwards = afterwardsById.get(invocation_id) ?? "continues";
    const stepOf = (entry: HistoryRecord, at: number): HistoryStep => {
      const { timestamp, status, runner_context_id } = entry;
      const next = steps[at + 1] ?? nextOf.get(invocation_id);
      const dead = next !== undefined || afterwards === "ongoing" ? deadFrom(entry, next, window.now, signs) : null;
      const step = { at: timestamp, status, runner_id: runner_context_id };
      return dead === null ? step : { ...step, dead_from: dead };
    };
    const [task_id_key = null, queued_before] = [taskById.get(invocation_id), queuedOf.get(invocation_id)];
    return {
      ...{ invocation_id, task_id_key, steps: steps.map(stepOf), afterwards },
      ...(queued_before !== undefined && { queued_before }),
    };
  });
  const tracked = options.show_system
    ? all
    : all.filter(({ task_id_key }) => task_id_key === null || !isCoreTask(task_id_key));
  return {
    tracked,
    exhausted: walk?.done ?? true,
    surroundingsComplete: spanning.complete,
    systemHidden: all.length - tracked.length,
  };
}

/** What followed entries whose runner may have died, after the window: that says it whatever the window is. By invocation. */
async function nextEntries(
  reads: AppReads,
  entries: readonly HistoryRecord[],
): Promise<ReadonlyMap<string, HistoryRecord>> {
  const lasting = new Map(entries.flatMap((one) => (isLasting(one.status) ? [[one.invocation_id, one]] : [])));
  if (lasting.size === 0) return new Map();
  const histories = historiesInOrder(await reads.state_backend.historyOf([...lasting.keys()], HISTORY_LIMIT));
  return new Map(
    [...histories].flatMap(([id, history]): [string, HistoryRecord][] => {
      const last = lasting.get(id);
      const at = history.findIndex((one) => one.status === last?.status && one.timestamp === last.timestamp);
      const next = history[at + 1];
      return at < 0 || next === undefined ? [] : [[id, next]];
    }),
  );
}

/** Since the entry itself where no heartbeat of the runner is stored: there is no later sign of life. */
function deadFrom(
  entry: HistoryRecord,
  next: HistoryRecord | undefined,
  now: EpochSeconds,
  signs: SignsOfLife,
): EpochSeconds | null {
  const step = { entry, at: entry.timestamp, moved: 0 };
  const dead = deadSince(step, next?.status ?? null, next?.timestamp ?? now, signs);
  return dead === "not_known" ? entry.timestamp : dead;
}

/** Drawn of what is active in a window that is otherwise counted. */
const MOST_ACTIVE = 60;
/** Of a longer critical path, those on it first. */
const MOST_ON_PATH = 60;

/**
 * What is drawn where everything else is counted: the selected invocation, what its critical path goes through, and where the window reaches the present, the newest of those that are
 * active.
 */
export async function shownHistories(
  reads: AppReads,
  input: TimelineInput,
  window: HistoryWindow,
  path: CriticalPath | null,
  deadBefore: (() => Promise<EpochSeconds>) | null,
): Promise<TrackedHistories> {
  const { selected } = input.options;
  const onPath = new Set((path?.segments ?? []).map((segment) => segment.invocation_id));
  const present = input.at === null && window.end >= window.now;
  const active = present
    ? await reads.orchestrator.listInvocations({ statuses: LASTING_STATUSES }, { limit: MOST_ACTIVE, offset: 0 })
    : [];
  const first = [...(selected === null ? [] : [selected]), ...[...onPath].slice(0, MOST_ON_PATH)];
  const ids = new Set([...first, ...active.map((row) => row.invocation_id)]);
  if (ids.size === 0) return NOTHING_TRACKED;
  const filter = { ...input.filter, invocation_ids: [...ids] };
  const { tracked } = await trackedHistories(reads, { ...input, filter, filtered: true }, window, deadBefore);
  return { ...NOTHING_TRACKED, tracked };
}

/** Times that differ by less are the same. */
const SAME_TIME = MICROSECOND / 2;

/**
 * Whether the last entry has the orchestrator's present status, or a later one follows after the window. An entry without a readable status
 * time is written after that.
 */
function afterwardsOf(last: HistoryRecord | undefined, status: InvocationStatusRecord | undefined): Afterwards {
  return last !== undefined && status?.status === last.status && status.status_timestamp <= last.timestamp + SAME_TIME
    ? "ongoing"
    : "continues";
}

/**
 * Invocations without a status change in the window, because they were busy throughout. They began before it and either are still busy or changed after
 * it; if the window reaches up to the present, only the former is possible.
 */
async function spanningAmong(
  reads: AppReads,
  { filter, filtered }: TimelineInput,
  { start, end, now }: HistoryWindow,
  active: ReadonlySet<string>,
): Promise<{ ids: string[]; complete: boolean }> {
  const past = end < now;
  const [recent, next, ongoing] = await Promise.all([
    past ? reads.state_backend.historyBetween({ to: start }, SURROUNDING_ENTRIES, "latest") : [],
    past ? reads.state_backend.historyBetween({ from: end }, SURROUNDING_ENTRIES, "earliest") : [],
    reads.orchestrator.listInvocations({ statuses: LASTING_STATUSES }, { limit: ONGOING + 1, offset: 0 }),
  ]);
  const last = new Map(recent.map((entry) => [entry.invocation_id, entry.status]));
  const first = new Map([...next].reverse().map((entry) => [entry.invocation_id, entry.status]));
  const candidates = new Set([
    ...[...last].flatMap(([id, status]) => (isLasting(status) ? [id] : [])),
    ...[...first].flatMap(([id, status]) => (status === "registered" ? [] : [id])),
    ...ongoing.flatMap((row) => (row.status_timestamp < start ? [row.invocation_id] : [])),
  ]);
  const ids = [...candidates].filter(
    (id) => !active.has(id) && (filter.invocation_ids.length === 0 || filter.invocation_ids.includes(id)),
  );
  const complete =
    ongoing.length <= ONGOING && (recent.length < SURROUNDING_ENTRIES || next.length < SURROUNDING_ENTRIES);
  if (!filtered || ids.length === 0) return { ids, complete };
  const walk = new InvocationWalk({ ...filter, invocation_ids: ids }, noInventory);
  return { ids: await walk.next(reads, ids.length, ids.length), complete };
}
