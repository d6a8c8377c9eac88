/** Reads the data for the critical path of an invocation, level by level, with a fixed number of calls per level and bounded sizes. */
import type { CriticalPath, PathPhase, PathSegment, PathShare } from "../../api/model/critical-path.ts";
import { rowsBy } from "../../pynenc/groups.ts";
import { lifeStretches, type Micros, type Stretch, statusSteps } from "../../pynenc/life.ts";
import { counted } from "../../pynenc/numbers.ts";
import type { HistoryRecord, InvocationStatusRecord } from "../../pynenc/records.ts";
import { type EpochSeconds, integerMicros, isoFromEpoch } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { type Candidate, fullPath, joined, type Member, opened, type Piece, pathPhaseOf } from "./critical-path.ts";
import { FULL_READ_LIMIT } from "./history-ends.ts";
import { lifeOf } from "./invocation-life.ts";
import { signsOfLife } from "./signs-of-life.ts";

/** Maximum depth of a path, and maximum number of invocations read below the first. */
const LEVELS = 16;
const MAX_OPENED = 100;

/** History entries read per level. A single invocation with more has no path. */
const ENTRIES = FULL_READ_LIMIT;

/** Children read per level, and the minimum per invocation. */
export const CHILDREN = 2_000;
const CHILDREN_EACH = 50;

/** Recorded waits read per invocation. */
const EDGES = 50;

/** Time of one invocation in one phase. */
export interface PhaseSum {
  phase: PathPhase;
  microseconds: Micros;
  duration_seconds: number;
  /** The phase has not ended. */
  ongoing: boolean;
}

export interface TimeSpent {
  /** Phases of the invocation itself, in the order in which they began. They add up to the length of the path. */
  phases: PhaseSum[];
  critical_path: CriticalPath;
}

/** Time per phase, by the invocation's own history entries. */
export function phasesOf(stretches: readonly Stretch[]): PhaseSum[] {
  const found = new Map<PathPhase, PhaseSum>();
  for (const stretch of stretches) {
    const { from, to, ongoing } = stretch;
    const phase = pathPhaseOf(stretch);
    const sum = found.get(phase) ?? { phase, microseconds: 0, duration_seconds: 0, ongoing: false };
    sum.microseconds += to - from;
    sum.duration_seconds = sum.microseconds / 1e6;
    sum.ongoing ||= ongoing;
    found.set(phase, sum);
  }
  return [...found.values()];
}

/** The instant up to which invocations are followed, and which runners count as silent at that time (`signsOfLife`). */
export interface AsOf {
  now: EpochSeconds;
  deadBefore: (() => Promise<EpochSeconds>) | null;
}

/** Null if the invocation has no duration or its history is too long to read. About eight calls per level of the path. */
export async function timeSpent(reads: AppReads, id: string, asOf: AsOf): Promise<TimeSpent | null> {
  const first = await readMembers(reads, [id], asOf);
  const subject = first.members.get(id);
  const whole = subject === undefined ? null : fullPath(id, subject);
  if (subject === undefined || whole === null) return null;
  const tasks = new Map(first.tasks);
  let pieces = opened(whole, subject);
  let cut = first.cut;
  let left = MAX_OPENED;
  let unread = false;
  for (let level = 1; ; level++) {
    const ids = longestFirst(pieces);
    if (ids.length === 0) break;
    const next = level < LEVELS ? ids.slice(0, left) : [];
    if (next.length < ids.length) unread = true;
    left -= next.length;
    const { members, tasks: named, cut: more } = await readMembers(reads, next, asOf);
    for (const [member, task] of named) tasks.set(member, task);
    cut ||= more;
    unread ||= next.some((one) => !members.has(one));
    pieces = pieces.flatMap((piece) => {
      if (!piece.open) return [piece];
      const member = members.get(piece.id);
      return member === undefined ? [{ ...piece, open: false }] : opened(piece, member);
    });
  }
  const notes = [
    ...(unread
      ? [
          `Not every invocation on the path was read: the limits are ${counted(MAX_OPENED, "invocation")}, ${LEVELS} levels and ${counted(ENTRIES, "history entry", "history entries")} at a time. The rest of the time is not known.`,
        ]
      : []),
    ...(cut ? ["Not all children of an invocation on the path were read: it may have waited for another one."] : []),
  ];
  return {
    phases: phasesOf(subject.stretches),
    critical_path: described(joined(pieces), whole, subject, await withTasks(reads, pieces, tasks), notes),
  };
}

/** Ids of open pieces, longest total time first. */
function longestFirst(pieces: readonly Piece[]): string[] {
  const sums = new Map<string, number>();
  for (const { open, id, from, to } of pieces) if (open) sums.set(id, (sums.get(id) ?? 0) + to - from);
  return [...sums].sort(([, a], [, b]) => b - a).map(([id]) => id);
}

/** Adds the tasks of the invocations that were not read. */
async function withTasks(
  reads: AppReads,
  pieces: readonly Piece[],
  tasks: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const missing = [...new Set(pieces.map((piece) => piece.id))].filter((id) => !tasks.has(id));
  if (missing.length === 0) return tasks;
  const found = await reads.state_backend.tasksOf(missing);
  return new Map([...tasks, ...found.map((row) => [row.invocation_id, row.task_id_key] as const)]);
}

interface Level {
  /** Invocations whose history was read completely. */
  members: Map<string, Member>;
  tasks: Map<string, string>;
  /** For at least one of them, not all children or waits were read. */
  cut: boolean;
}

/** Statuses and phases of several invocations. */
export interface Lives {
  statuses: readonly InvocationStatusRecord[];
  /** By invocation id, only those that took time; without invocations whose history was not read completely. */
  stretches: Map<string, Stretch[]>;
}

/** Three batched reads. @param most limit of history entries in total; invocations whose entries do not all fit are omitted. */
export async function readLives(
  reads: AppReads,
  ids: readonly string[],
  { now, deadBefore }: AsOf,
  most: number = ENTRIES,
): Promise<Lives> {
  const [statuses, history] = await Promise.all([
    reads.orchestrator.statusesByIds(ids),
    reads.state_backend.historyOf(ids, most + 1),
  ]);
  const statusById = new Map(statuses.map((row) => [row.invocation_id, row]));
  const historyById = rowsBy(history, (entry) => entry.invocation_id);
  const whole = ids.flatMap((id) => {
    const [status, entries] = [statusById.get(id), historyById.get(id) ?? []];
    if (history.length > most && !endsWith(entries, status)) return [];
    return { id, until: status === undefined ? null : now, steps: statusSteps(status, entries) };
  });
  const signs = await signsOfLife(
    reads,
    whole.map(({ steps }) => steps),
    deadBefore,
  );
  const stretches = new Map(
    whole.map(({ id, until, steps }) => [id, lifeStretches(steps, until, signs).filter(({ from, to }) => from < to)]),
  );
  return { statuses, stretches };
}

async function readMembers(reads: AppReads, ids: readonly string[], asOf: AsOf): Promise<Level> {
  if (ids.length === 0) return { members: new Map(), tasks: new Map(), cut: false };
  const each = Math.max(CHILDREN_EACH, Math.floor(CHILDREN / ids.length));
  const [{ statuses, stretches }, children] = await Promise.all([
    readLives(reads, ids, asOf),
    reads.state_backend.childrenOf(ids, { each: each + 1 }),
  ]);
  const childrenById = rowsBy(children, (row) => row.parent_id);
  const ongoing = statuses.filter(({ status }) => status === "running" || status === "paused");
  const edges = await waitsOf(reads, ongoing);
  const waitedFor = [...edges.values()].flat();
  const others = [...new Set([...children.map((row) => row.invocation_id), ...waitedFor])];
  const known = await candidates(reads, others);
  const members = new Map<string, Member>();
  let cut = [...edges.values()].some((found) => found.length >= EDGES);
  for (const [id, own] of stretches) {
    const called = new Set((childrenById.get(id) ?? []).map((row) => row.invocation_id));
    cut ||= called.size > each;
    const waits = new Set(edges.get(id));
    members.set(id, {
      stretches: own,
      candidates: [...new Set([...called, ...waits])].flatMap((other) => {
        const found = known.get(other);
        return found === undefined ? [] : [{ ...found, edge: waits.has(other), called: called.has(other) }];
      }),
    });
  }
  return { members, tasks: new Map(statuses.map((row) => [row.invocation_id, row.task_id_key])), cut };
}

/** Whether a history was read to its end, in a level where the read was cut off. */
function endsWith(entries: readonly HistoryRecord[], status: InvocationStatusRecord | undefined): boolean {
  return entries.some((one) => one.status === status?.status && one.timestamp === status.status_timestamp);
}

/** The invocations that each of these waits for, by recorded edges. On a path, at most one per level lasts until now. */
async function waitsOf(reads: AppReads, ongoing: readonly InvocationStatusRecord[]): Promise<Map<string, string[]>> {
  const found = await Promise.all(
    ongoing.map(async ({ invocation_id: id }) => {
      const edges = await reads.orchestrator.blockingEdges({ limit: EDGES, offset: 0 }, id);
      return [id, edges.flatMap((edge) => (edge.waiter_id === id ? [edge.waited_id] : []))] as const;
    }),
  );
  return new Map(found);
}

async function candidates(
  reads: AppReads,
  ids: readonly string[],
): Promise<Map<string, Omit<Candidate, "edge" | "called">>> {
  if (ids.length === 0) return new Map();
  const [statuses, spans] = await Promise.all([
    reads.orchestrator.statusesByIds(ids),
    reads.state_backend.historySpanOf(ids),
  ]);
  const statusById = new Map(statuses.map((row) => [row.invocation_id, row]));
  const spanById = new Map(spans.map((row) => [row.invocation_id, row]));
  return new Map(
    ids.map((id) => {
      const life = lifeOf(statusById.get(id), spanById.get(id));
      const ended = life.info.final && life.changedAt !== null ? integerMicros(life.changedAt) : null;
      return [id, { id, registered: life.registeredAt === null ? null : integerMicros(life.registeredAt), ended }];
    }),
  );
}

function described(
  pieces: readonly Piece[],
  whole: Piece,
  subject: Member,
  tasks: ReadonlyMap<string, string>,
  notes: string[],
): CriticalPath {
  const segments = pieces.map(
    ({ from, to, id, phase, attempt, runner, waits_for, above, link }): PathSegment => ({
      ...span(from, to),
      invocation_id: id,
      task_id_key: tasks.get(id) ?? null,
      phase,
      attempt,
      runner_id: runner,
      waits_for,
      waited_by: above.at(-1) ?? null,
      link,
    }),
  );
  return {
    ...span(whole.from, whole.to),
    ongoing: subject.stretches.at(-1)?.ongoing ?? false,
    segments,
    shares: sharesOf(segments),
    complete: notes.length === 0,
    notes,
  };
}

function span(from: Micros, to: Micros) {
  return {
    from: isoFromEpoch(from / 1e6),
    to: isoFromEpoch(to / 1e6),
    duration_seconds: (to - from) / 1e6,
    microseconds: to - from,
  };
}

function sharesOf(segments: readonly PathSegment[]): PathShare[] {
  const found = new Map<string, PathShare>();
  for (const { invocation_id, task_id_key, phase, microseconds, link } of segments) {
    const key = `${phase} ${invocation_id}`;
    const share = found.get(key) ?? {
      invocation_id,
      task_id_key,
      phase,
      link,
      duration_seconds: 0,
      microseconds: 0,
      segments: 0,
    };
    share.microseconds += microseconds;
    share.duration_seconds = share.microseconds / 1e6;
    share.segments++;
    found.set(key, share);
  }
  return [...found.values()].sort((a, b) => b.microseconds - a.microseconds);
}
