/** Reads what the critical path of an invocation needs: level by level, a fixed number of calls for each, within bounds. */
import type { CriticalPath, PathPhase, PathSegment, PathShare } from "../../api/model/critical-path.ts";
import { counted } from "../../pynenc/numbers.ts";
import type { HistoryRecord, InvocationStatusRecord } from "../../pynenc/records.ts";
import { type EpochSeconds, isoFromEpoch, wholeMicros } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import {
  type Candidate,
  joined,
  lifeStretches,
  type Member,
  type Micros,
  opened,
  type Piece,
  type Stretch,
  wholePath,
} from "./critical-path.ts";
import { lifeOf, statusSteps } from "./invocation-life.ts";
import { rowsBy } from "./rows-by.ts";

/** How deep a path goes, and how many invocations below the first are read in all. */
const LEVELS = 16;
const MOST_OPENED = 100;

/** History entries read at once; one invocation with more has no path. */
const ENTRIES = 2_000;

/** Children looked at per level, and of each invocation at least. */
const CHILDREN = 2_000;
const CHILDREN_EACH = 50;

/** Waits of one invocation that are looked at. */
const EDGES = 50;

/** Time of one invocation in one phase. */
export interface PhaseSum {
  phase: PathPhase;
  microseconds: Micros;
  seconds: number;
  /** The phase goes on. */
  ongoing: boolean;
}

export interface TimeSpent {
  /** Its own, in the order in which they began; they add up to the path. */
  phases: PhaseSum[];
  critical_path: CriticalPath;
}

/** What an invocation did by its own entries, summed by phase. */
export function phasesOf(stretches: readonly Stretch[]): PhaseSum[] {
  const found = new Map<PathPhase, PhaseSum>();
  for (const { phase, from, to, ongoing } of stretches) {
    const sum = found.get(phase) ?? { phase, microseconds: 0, seconds: 0, ongoing: false };
    sum.microseconds += to - from;
    sum.seconds = sum.microseconds / 1e6;
    sum.ongoing ||= ongoing;
    found.set(phase, sum);
  }
  return [...found.values()];
}

/** Null where it has no time of its own, or a history too long to be read. About seven calls for each level of the path. */
export async function timeSpent(reads: AppReads, id: string, now: EpochSeconds): Promise<TimeSpent | null> {
  const first = await readMembers(reads, [id], now);
  const subject = first.members.get(id);
  const whole = subject === undefined ? null : wholePath(id, subject);
  if (subject === undefined || whole === null) return null;
  const tasks = new Map(first.tasks);
  let pieces = opened(whole, subject);
  let cut = first.cut;
  let left = MOST_OPENED;
  let unread = false;
  for (let level = 1; ; level++) {
    const ids = longestFirst(pieces);
    if (ids.length === 0) break;
    const next = level < LEVELS ? ids.slice(0, left) : [];
    if (next.length < ids.length) unread = true;
    left -= next.length;
    const { members, tasks: named, cut: more } = await readMembers(reads, next, now);
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
          `Not every invocation on the path was read: at most ${counted(MOST_OPENED, "invocation")} in ${LEVELS} levels, and no history that is very long. Their time is not_known.`,
        ]
      : []),
    ...(cut ? ["Not all children of an invocation on the path were looked at: it may have waited for another."] : []),
  ];
  return {
    phases: phasesOf(subject.stretches),
    critical_path: described(joined(pieces), whole, subject, await withTasks(reads, pieces, tasks), notes),
  };
}

/** Ids of open pieces, those with the longest time first. */
function longestFirst(pieces: readonly Piece[]): string[] {
  const sums = new Map<string, number>();
  for (const { open, id, from, to } of pieces) if (open) sums.set(id, (sums.get(id) ?? 0) + to - from);
  return [...sums].sort(([, a], [, b]) => b - a).map(([id]) => id);
}

/** With the tasks of those that were not read. */
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
  /** Those whose history was read whole. */
  members: Map<string, Member>;
  tasks: Map<string, string>;
  /** Of one of them not all children or waits were looked at. */
  cut: boolean;
}

/** Lives of several invocations. */
export interface Lives {
  statuses: readonly InvocationStatusRecord[];
  /** By id; none for those whose history was not read whole. */
  stretches: Map<string, Stretch[]>;
}

/** Two batched reads. @param most history entries in all; where there are more, those that were not read to their end are left out. */
export async function readLives(
  reads: AppReads,
  ids: readonly string[],
  now: EpochSeconds,
  most: number = ENTRIES,
): Promise<Lives> {
  const [statuses, history] = await Promise.all([
    reads.orchestrator.statusesByIds(ids),
    reads.state_backend.historyOf(ids, most + 1),
  ]);
  const statusById = new Map(statuses.map((row) => [row.invocation_id, row]));
  const historyById = rowsBy(history, (entry) => entry.invocation_id);
  const stretches = new Map<string, Stretch[]>();
  for (const id of ids) {
    const [status, entries] = [statusById.get(id), historyById.get(id) ?? []];
    if (history.length > most && !endsWith(entries, status)) continue;
    const until = status === undefined ? null : wholeMicros(now);
    stretches.set(id, lifeStretches(entriesOf(status, entries), until));
  }
  return { statuses, stretches };
}

async function readMembers(reads: AppReads, ids: readonly string[], now: EpochSeconds): Promise<Level> {
  if (ids.length === 0) return { members: new Map(), tasks: new Map(), cut: false };
  const each = Math.max(CHILDREN_EACH, Math.floor(CHILDREN / ids.length));
  const [{ statuses, stretches }, children] = await Promise.all([
    readLives(reads, ids, now),
    reads.state_backend.childrenOf(ids, { each: each + 1 }),
  ]);
  const childrenById = rowsBy(children, (row) => row.parent_invocation_id);
  const lasting = statuses.filter(({ status }) => status === "running" || status === "paused");
  const edges = await waitsOf(reads, lasting);
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

/** Of a level whose histories were cut: whether that of this one was read to its end. */
function endsWith(entries: readonly HistoryRecord[], status: InvocationStatusRecord | undefined): boolean {
  return entries.some((one) => one.status === status?.status && one.timestamp === status.status_timestamp);
}

function entriesOf(status: InvocationStatusRecord | undefined, history: readonly HistoryRecord[]) {
  const owners = new Map(history.map((entry) => [`${entry.status} ${entry.timestamp}`, entry.status_runner_id]));
  return statusSteps(status, history).map(({ status: word, timestamp }) => ({
    status: word,
    at: wholeMicros(timestamp),
    runner: owners.get(`${word} ${timestamp}`) ?? null,
  }));
}

/** Whom each of these waits for, by the recorded waits. At most one on a path lasts until now at each level. */
async function waitsOf(reads: AppReads, lasting: readonly InvocationStatusRecord[]): Promise<Map<string, string[]>> {
  const found = await Promise.all(
    lasting.map(async ({ invocation_id: id }) => {
      const edges = await reads.orchestrator.blockingEdgesOf(id, EDGES);
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
      const ended = life.info.final && life.changedAt !== null ? wholeMicros(life.changedAt) : null;
      return [id, { id, registered: life.registeredAt === null ? null : wholeMicros(life.registeredAt), ended }];
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
    seconds: (to - from) / 1e6,
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
      seconds: 0,
      microseconds: 0,
      segments: 0,
    };
    share.microseconds += microseconds;
    share.seconds = share.microseconds / 1e6;
    share.segments++;
    found.set(key, share);
  }
  return [...found.values()].sort((a, b) => b.microseconds - a.microseconds);
}
