/** The order of lanes: one per runner, grouped by parent with the parent first; or one per task, most failures first. */

import type { TimelineRunner } from "../api/timeline.ts";
import { addTo } from "../pynenc/groups.ts";

/** Keys of lanes that represent no single runner. */
const EXTERNAL_LANE = "external";
export const UNRECORDED_LANE = "unrecorded";
const OTHER_LANE = "other";
const TASKLESS_LANE = "taskless";
const APART_LANE = "apart";
const IDLE_LANE = "idle";

/** Maximum number of lanes, unless another is asked for. */
export const MAX_LANES = 120;

/**
 * Those with the most marks, at most so many; of equals the first. Of more equals than MAX_LANES none is preferred: of thousands of runners that ran
 * one invocation each, some lanes would say nothing.
 */
export function busiest<One>(all: readonly One[], marksOf: (one: One) => number, most: number): One[] {
  const sorted = all.map((one) => ({ one, marks: marksOf(one) })).sort((a, b) => b.marks - a.marks);
  const limit = sorted[most]?.marks;
  const equals = sorted.filter(({ marks }) => marks === limit).length;
  const kept = equals > MAX_LANES ? sorted.filter(({ marks }) => marks > (limit ?? 0)) : sorted.slice(0, most);
  return kept.map(({ one }) => one);
}

/** Of more runners without a mark than this, all share one lane. */
const MOST_IDLE = 6;

/** What determines the lane of a mark. Marks without a task, like those of events and the atomic service, belong to no task's lane. */
export interface Home {
  runner_id: string | null;
  task_id_key?: string | null;
}

/** The marks of one home. */
export interface LaneMark {
  home: Home;
  count: number;
  failed: number;
}

export interface Lane {
  /** Unique in the timeline. */
  key: string;
  kind: "runner" | "external" | "one-shot" | "idle" | "unrecorded" | "other" | "task" | "taskless" | "apart" | "events";
  /** The runner, or null for a lane of several runners or of none. */
  runner: TimelineRunner | null;
  /** The task, or null for a lane of runners, of several tasks or of none. */
  task_id_key: string | null;
  /** Number of tasks in a lane that combines little-used tasks. */
  tasks: number;
  /** How often invocations of the task failed or were killed, including those that are only counted; 0 for other lanes. */
  failed: number;
  /** Runners whose marks are in this lane; several if external callers or little-used runners are combined. */
  runner_ids: string[];
  /** 0 for a lane on its own or the first of a group, 1 for a child below its parent. */
  depth: 0 | 1;
}

export interface LaneOptions {
  group: "runner" | "task";
  /** External callers without a parent share one lane, and the one-shot workers of each runner share another. */
  collapseExternal: boolean;
  /** Maximum number of lanes. The runners with the fewest marks share one beyond it. */
  maxLanes: number;
}

export interface Lanes {
  lanes: Lane[];
  laneOf(home: Home): Lane | undefined;
}

/** Lanes for everything that has marks. */
export function lanesOf(runners: readonly TimelineRunner[], marks: readonly LaneMark[], options: LaneOptions): Lanes {
  if (options.group === "task") return lanesOfTasks(marks, options);
  const byRunner = new Map<string | null, number>();
  for (const { home, count } of marks) byRunner.set(home.runner_id, (byRunner.get(home.runner_id) ?? 0) + count);
  return lanesOfRunners(runners, byRunner, options);
}

/** Tasks with the most failures first, then by name, so that a refresh keeps the order. Marks without a task come last. */
function lanesOfTasks(marks: readonly LaneMark[], { maxLanes }: LaneOptions): Lanes {
  const byTask = new Map<string | null, { count: number; failed: number }>();
  let apart = false;
  for (const { home, count, failed } of marks) {
    if (home.task_id_key === undefined) {
      apart = true;
      continue;
    }
    const task = byTask.get(home.task_id_key) ?? { count: 0, failed: 0 };
    byTask.set(home.task_id_key, task);
    task.count += count;
    task.failed += failed;
  }
  const known = [...byTask].flatMap(([key, sums]) => (key === null ? [] : [{ key, ...sums }]));
  known.sort((a, b) => b.failed - a.failed || b.count - a.count || compare(a.key, b.key));
  const kept = known.slice(0, maxLanes).sort((a, b) => b.failed - a.failed || compare(a.key, b.key));
  const rest = known.slice(maxLanes);
  const lane = (kind: Lane["kind"], key: string, more: Partial<Lane> = {}): Lane => {
    return { key, kind, runner: null, task_id_key: null, tasks: 0, failed: 0, runner_ids: [], depth: 0, ...more };
  };
  // The prefix keeps task names from colliding with the keys of the special lanes.
  const keyOf = (task: string) => `task ${task}`;
  const lanes = [
    ...kept.map(({ key, failed }) => lane("task", keyOf(key), { task_id_key: key, tasks: 1, failed })),
    ...(rest.length === 0 ? [] : [lane("other", OTHER_LANE, { tasks: rest.length })]),
    ...(byTask.has(null) ? [lane("taskless", TASKLESS_LANE)] : []),
    ...(apart ? [lane("apart", APART_LANE)] : []),
  ];
  const byKey = new Map(lanes.map((one) => [one.key, one]));
  const others = new Set(rest.map(({ key }) => key));
  return {
    lanes,
    laneOf: ({ task_id_key: task }) => {
      if (task === undefined) return byKey.get(APART_LANE);
      if (task === null) return byKey.get(TASKLESS_LANE);
      return byKey.get(others.has(task) ? OTHER_LANE : keyOf(task));
    },
  };
}

/**
 * Lanes for the runners that have marks, and for their parents; also for those that were there and did nothing.
 *
 * @param marks number of marks by runner; null is for entries that name no runner.
 */
function lanesOfRunners(
  runners: readonly TimelineRunner[],
  marks: ReadonlyMap<string | null, number>,
  options: Omit<LaneOptions, "group">,
): Lanes {
  const known = new Map(runners.map((runner) => [runner.runner_id, runner]));
  const idle = runners.flatMap(({ runner_id: id, busy_seconds }) => (busy_seconds === 0 && !marks.has(id) ? [id] : []));
  const together = idle.length > MOST_IDLE ? idle.sort(compare) : [];
  const ids = [...marks.keys(), ...(together.length > 0 ? [] : idle)].filter((id) => id !== null);
  const parents = new Set(ids.map((id) => known.get(id)?.parent_runner_id ?? null));
  const external = ids.filter((id) => options.collapseExternal && isExternal(known.get(id)) && !parents.has(id));
  const workers = oneShotWorkers(ids, known, options.collapseExternal && parents);
  const collapsed = new Set([...external, ...[...workers.values()].flat()]);
  const own = ids.filter((id) => !collapsed.has(id));
  const kept = new Set(busiest(own.sort(compare), (id) => marks.get(id) ?? 0, options.maxLanes));
  const rest = own.filter((id) => !kept.has(id));

  const groups = new Map<string, string[]>();
  for (const id of kept) {
    const parent = known.get(id)?.parent_runner_id ?? null;
    // Only one level of parents, as in pynenc; a parent that is itself a child still leads its own children.
    const lead = parent ?? id;
    const group = groups.get(lead) ?? [];
    if (id !== lead) group.push(id);
    groups.set(lead, group);
  }
  for (const lead of workers.keys()) if (!groups.has(lead)) groups.set(lead, []);
  const named = (id: string) => known.get(id) ?? unknownRunner(id);
  const runnerLane = (id: string, depth: 0 | 1): Lane => ({
    key: id,
    kind: "runner",
    runner: named(id),
    task_id_key: null,
    tasks: 0,
    failed: 0,
    runner_ids: [id],
    depth,
  });
  const byName = (a: string, b: string) => compareRunners(named(a), named(b));
  const lanes: Lane[] = [];
  const shared = (
    kind: "external" | "one-shot" | "idle" | "unrecorded" | "other",
    key: string,
    runner_ids: string[],
  ): Lane => ({
    key,
    kind,
    runner: null,
    task_id_key: null,
    tasks: 0,
    failed: 0,
    runner_ids,
    depth: 0,
  });
  if (external.length > 0) {
    const [only] = external;
    lanes.push(
      external.length === 1 && only !== undefined
        ? runnerLane(only, 0)
        : shared("external", EXTERNAL_LANE, external.sort(compare)),
    );
  }
  const drawnAsChild = new Set<string>([...groups.values()].flat());
  for (const lead of [...groups.keys()].sort(byName)) {
    const children = groups.get(lead) ?? [];
    if (drawnAsChild.has(lead) && children.length === 0) continue;
    if (!drawnAsChild.has(lead)) lanes.push(runnerLane(lead, 0));
    lanes.push(...children.sort(byName).map((id) => runnerLane(id, 1)));
    const once = workers.get(lead);
    if (once === undefined) continue;
    const lane = shared("one-shot", `one-shot workers of ${lead}`, once.sort(compare));
    lanes.push({ ...lane, depth: 1 });
  }
  if (rest.length > 0) lanes.push(shared("other", OTHER_LANE, rest));
  if (together.length > 0) lanes.push(shared("idle", IDLE_LANE, together));
  if (marks.has(null)) lanes.push(shared("unrecorded", UNRECORDED_LANE, []));

  // A parent that leads a group may also be among the little-used: its own lane comes first and wins.
  const laneById = new Map<string, Lane>();
  for (const lane of lanes) for (const id of lane.runner_ids) if (!laneById.has(id)) laneById.set(id, lane);
  const unrecorded = lanes.find((lane) => lane.kind === "unrecorded");
  return { lanes, laneOf: ({ runner_id: id }) => (id === null ? unrecorded : laneById.get(id)) };
}

/** A process that a ProcessRunner starts for one invocation (storage-format.md 3.4). */
const ONE_SHOT = "ProcessRunnerWorker";

/** One-shot workers to combine, by their runner, where it has several. @param parents runners with children; false combines none */
function oneShotWorkers(
  ids: readonly string[],
  known: ReadonlyMap<string, TimelineRunner>,
  parents: ReadonlySet<string | null> | false,
): Map<string, string[]> {
  const workers = new Map<string, string[]>();
  if (parents === false) return workers;
  for (const id of ids) {
    const { runner_cls, parent_runner_id: lead } = known.get(id) ?? unknownRunner(id);
    if (runner_cls !== ONE_SHOT || lead === null || parents.has(id)) continue;
    addTo(workers, lead, id);
  }
  return new Map([...workers].filter(([, some]) => some.length > 1));
}

/** Code outside any runner (storage-format.md 1.1). */
export function isExternal(runner: TimelineRunner | undefined): boolean {
  return (
    runner !== undefined && runner.parent_runner_id === null && (runner.runner_cls ?? "").includes("ExternalRunner")
  );
}

function unknownRunner(runner_id: string): TimelineRunner {
  const unknown = { runner_cls: null, hostname: null, pid: null, thread_id: null, parent_runner_id: null };
  return { ...unknown, runner_id, busy_seconds: null };
}

/** External callers first, because they start things. Then by class, host and process, so that a refresh keeps the order. */
function compareRunners(a: TimelineRunner, b: TimelineRunner): number {
  return (
    Number(isExternal(b)) - Number(isExternal(a)) ||
    Number(a.runner_cls === null) - Number(b.runner_cls === null) ||
    compare(a.runner_cls ?? "", b.runner_cls ?? "") ||
    compare(a.hostname ?? "", b.hostname ?? "") ||
    (a.pid ?? 0) - (b.pid ?? 0) ||
    (a.thread_id ?? 0) - (b.thread_id ?? 0) ||
    compare(a.runner_id, b.runner_id)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
