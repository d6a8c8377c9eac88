/** The order of lanes: one per runner, grouped by parent with the parent first; or one per task or cause, most failures first. */

import type { TimelineRunner } from "../api/timeline.ts";
import { addTo, rowsBy } from "../pynenc/groups.ts";
import { grouped } from "../pynenc/numbers.ts";

/** Keys of lanes that represent no single runner. */
const EXTERNAL_LANE = "external";
export const UNRECORDED_LANE = "unrecorded";
const OTHER_LANE = "other";
const TASKLESS_LANE = "taskless";
const APART_LANE = "apart";
const IDLE_LANE = "idle";

/** Maximum number of lanes, unless another is asked for. */
export const MAX_LANES = 120;

/** Of more runners than this, those of one class on one host share a lane; on more hosts than there may be lanes, those of one class. */
const MOST_APART = 40;

/** Of more runners without a mark than this, all share one lane. */
const MOST_IDLE = 6;

/** What determines the lane of a mark. Marks without a task, like those of events and the atomic service, belong to no task's lane. */
export interface Home {
  runner_id: string | null;
  /** Or, where lanes are causes, what started the invocation. */
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
  kind:
    | "runner"
    | "external"
    | "one-shot"
    | "group"
    | "idle"
    | "unrecorded"
    | "other"
    | "task"
    | "cause"
    | "taskless"
    | "apart"
    | "events";
  /** The runner, or null for a lane of several runners or of none. */
  runner: TimelineRunner | null;
  /** The task, or null for a lane of a cause, of runners, of several tasks or of none. */
  task_id_key: string | null;
  /** Number of tasks in a lane that combines little-used tasks. */
  tasks: number;
  /** How often invocations of the task or cause failed or were killed, including those that are only counted; 0 for other lanes. */
  failed: number;
  /** Runners whose marks are in this lane; several if external callers or little-used runners are combined. */
  runner_ids: string[];
  /** 0 for a lane on its own or the first of a group, 1 for a child below its parent. */
  depth: 0 | 1;
}

export interface LaneOptions {
  group: "runner" | "task" | "cause";
  /** External callers without a parent share one lane, and the one-shot workers of each runner share another. */
  collapseExternal: boolean;
  /** Maximum number of lanes. The runners with the fewest marks share one beyond it. */
  maxLanes: number;
  /** Keys of lanes of one class and host whose runners have lanes of their own below it. */
  open: readonly string[];
}

export interface Lanes {
  lanes: Lane[];
  laneOf(home: Home): Lane | undefined;
}

/** Lanes for everything that has marks. */
export function lanesOf(runners: readonly TimelineRunner[], marks: readonly LaneMark[], options: LaneOptions): Lanes {
  if (options.group !== "runner") return lanesOfTasks(marks, { ...options, group: options.group });
  const byRunner = new Map<string | null, number>();
  for (const { home, count } of marks) byRunner.set(home.runner_id, (byRunner.get(home.runner_id) ?? 0) + count);
  return lanesOfRunners(runners, byRunner, options);
}

/** Tasks or causes with the most failures first, then by name, so that a refresh keeps the order. Marks without a task come last. */
function lanesOfTasks(
  marks: readonly LaneMark[],
  { maxLanes, group }: LaneOptions & { group: "task" | "cause" },
): Lanes {
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
  const lane = (kind: Lane["kind"], key: string, more: Partial<Lane> = {}): Lane => ({
    ...shared(kind, key, []),
    ...more,
  });
  // The prefix keeps task names from colliding with the keys of the special lanes.
  const keyOf = (task: string) => `${group} ${task}`;
  const lanes = [
    ...kept.map(({ key, failed }) =>
      lane(group, keyOf(key), group === "task" ? { task_id_key: key, tasks: 1, failed } : { failed }),
    ),
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
  { collapseExternal, maxLanes, open }: Omit<LaneOptions, "group">,
): Lanes {
  const known = new Map(runners.map((runner) => [runner.runner_id, runner]));
  const named = (id: string) => known.get(id) ?? unknownRunner(id);
  const byName = (a: string, b: string) => compareRunners(named(a), named(b));
  const idle = runners.flatMap(({ runner_id: id, busy_seconds }) => (busy_seconds === 0 && !marks.has(id) ? [id] : []));
  const together = idle.length > MOST_IDLE ? idle.sort(compare) : [];
  const ids = [...marks.keys(), ...(together.length > 0 ? [] : idle)].filter((id) => id !== null);
  const parents = new Set(ids.map((id) => named(id).parent_runner_id));
  const external = ids.filter((id) => collapseExternal && isExternal(known.get(id)) && !parents.has(id)).sort(compare);
  const workers = oneShotWorkers(ids, known, collapseExternal && parents);
  const collapsed = new Set([...(external.length > 1 ? external : []), ...[...workers.values()].flat()]);
  const apart = ids.filter((id) => !collapsed.has(id)).sort(compare);
  const groups = groupsOf(apart.map(named), maxLanes);
  const inGroups = new Set([...groups.values()].flat());
  const byMarks = (some: readonly string[]) => [...some].sort((a, b) => (marks.get(b) ?? 0) - (marks.get(a) ?? 0));
  const kept = new Set(byMarks(apart.filter((id) => !inGroups.has(id))).slice(0, maxLanes));

  const runnerLane = (id: string, depth: 0 | 1): Lane => ({ ...shared("runner", id, [id], depth), runner: named(id) });
  /** Lanes that stay together, by the runner whose place in the order they have. */
  const blocks: { at: string; lanes: Lane[] }[] = [];
  const families = new Map<string, string[]>();
  for (const id of kept) {
    // Only one level of parents, as in pynenc; a parent that is itself a child still leads its own children.
    const lead = named(id).parent_runner_id ?? id;
    const family = families.get(lead) ?? [];
    if (id !== lead) family.push(id);
    families.set(lead, family);
  }
  for (const lead of workers.keys()) if (!families.has(lead)) families.set(lead, []);
  const isChild = new Set([...families.values()].flat());
  for (const [lead, children] of families) {
    const once = workers.get(lead);
    if (isChild.has(lead) && children.length === 0) continue;
    blocks.push({
      at: lead,
      lanes: [
        ...(isChild.has(lead) ? [] : [runnerLane(lead, 0)]),
        ...children.sort(byName).map((id) => runnerLane(id, 1)),
        ...(once === undefined ? [] : [shared("one-shot", `one-shot workers of ${lead}`, once.sort(compare), 1)]),
      ],
    });
  }
  for (const [key, members] of groups) {
    const apartFrom = open.includes(key) ? byMarks(members).slice(0, maxLanes).sort(byName) : [];
    blocks.push({
      at: members[0] ?? "",
      lanes: [
        shared(
          "group",
          key,
          members.filter((id) => !apartFrom.includes(id)),
        ),
        ...apartFrom.map((id) => runnerLane(id, 1)),
      ],
    });
  }
  const lanes = blocks.sort((a, b) => byName(a.at, b.at)).flatMap((block) => block.lanes);
  if (external.length > 1) lanes.unshift(shared("external", EXTERNAL_LANE, external));
  const rest = apart.filter((id) => !inGroups.has(id) && !kept.has(id));
  if (rest.length > 0) lanes.push(shared("other", OTHER_LANE, rest));
  if (together.length > 0) lanes.push(shared("idle", IDLE_LANE, together));
  if (marks.has(null)) lanes.push(shared("unrecorded", UNRECORDED_LANE, []));

  // A parent that leads a family may also be in a lane of many: its own lane wins.
  const laneById = new Map<string, Lane>();
  for (const lane of lanes) for (const id of lane.runner_ids) if (lane.kind === "runner") laneById.set(id, lane);
  for (const lane of lanes) for (const id of lane.runner_ids) if (!laneById.has(id)) laneById.set(id, lane);
  const unrecorded = lanes.find((lane) => lane.kind === "unrecorded");
  return { lanes, laneOf: ({ runner_id: id }) => (id === null ? unrecorded : laneById.get(id)) };
}

function shared(kind: Lane["kind"], key: string, runner_ids: string[], depth: 0 | 1 = 0): Lane {
  return { key, kind, runner: null, task_id_key: null, tasks: 0, failed: 0, runner_ids, depth };
}

/** Runners that share a lane because there are so many, by the key of their lane. */
function groupsOf(runners: readonly TimelineRunner[], most: number): Map<string, string[]> {
  if (runners.length <= MOST_APART) return new Map();
  const classOf = ({ runner_cls }: TimelineRunner) => runner_cls ?? "unknown class";
  const byHost = rowsBy(runners, (runner) => `${classOf(runner)} on ${runner.hostname ?? "unknown host"}`);
  const groups = byHost.size > most ? rowsBy(runners, (runner) => `${classOf(runner)} on any host`) : byHost;
  return new Map(
    [...groups].flatMap(([key, members]) =>
      members.length === 1 ? [] : [[key, members.map(({ runner_id }) => runner_id)]],
    ),
  );
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

/** What a lane without a runner or task of its own is called, and the part of it that says most; null for others. */
export function sharedLaneName({ kind, key, runner_ids, tasks }: Lane): [name: string, short: string] | null {
  const several = (number: number, what: string, of: string): [string, string] => {
    const short = `${grouped(number)} ${what}`;
    return [`${short} ${of}`, short];
  };
  switch (kind) {
    case "runner":
    case "task":
      return null;
    case "cause": {
      const name = key.slice("cause ".length);
      return [name, name.startsWith("event ") ? name.slice("event ".length) : (name.split(".").at(-1) ?? name)];
    }
    case "group":
      return [key, key.split(" on ").at(-1) ?? key];
    case "external":
      return several(runner_ids.length, "external", "callers");
    case "one-shot":
      return several(runner_ids.length, "one-shot", "workers");
    case "idle":
      return several(runner_ids.length, "idle", "runners");
    case "other":
      return tasks > 0 ? several(tasks, "other", "tasks") : several(runner_ids.length, "other", "runners");
    case "events":
      return ["Events", "Events"];
    case "apart":
      return ["Outside of tasks", "No task"];
    case "unrecorded":
      return ["Runner not recorded", "No runner"];
    case "taskless":
      return ["Task not stored", "No task"];
  }
}

/** Code outside any runner (storage-format.md 1.1). */
export function isExternal(runner: TimelineRunner | undefined): boolean {
  return (
    runner !== undefined && runner.parent_runner_id === null && (runner.runner_cls ?? "").includes("ExternalRunner")
  );
}

function unknownRunner(runner_id: string): TimelineRunner {
  const unknown = { runner_cls: null, hostname: null, pid: null, thread_id: null, parent_runner_id: null };
  return { ...unknown, runner_id, busy_seconds: null, silent_seconds: null };
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
