/**
 * A family over time: all invocations related to an event, invocation or trigger run, with their phases; events and trigger runs as marks on the rows of
 * the invocations they belong to; and the critical path.
 */

import type {
  EdgeKind,
  FamilyMark,
  FamilyOther,
  FamilyPicture,
  FamilyRow,
  LifeStretch,
  NodeKind,
  Trace,
  TraceTreeNode,
} from "../../api/causes.ts";
import type { CriticalPath } from "../../api/model/critical-path.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { NotFoundError } from "../../errors.ts";
import { familyInput } from "../../inputs/causes.ts";
import type { Stretch } from "../../pynenc/life.ts";
import { counted } from "../../pynenc/numbers.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { pathPhaseOf } from "../model/critical-path.ts";
import { invocationRows, isStored } from "../model/invocation-rows.ts";
import { withFullIds } from "../model/resolve-ids.ts";
import { deadBefore } from "../model/runner-liveness.ts";
import { type AsOf, readLives, timeSpent } from "../model/time-spent.ts";
import { type FamilyInput, type FamilyTrace, familyTrace, traceKey } from "./trace.ts";
import { traceTree } from "./trace-tree.ts";

/** For the pages and panels of other objects; the picture's own page shows more. */
const IN_PAGE: FamilyInput = { limit: 60, expand: [] };

/** History entries read for one picture. */
const ENTRIES = 10_000;

/** Like `parseFamilyInput`, with shortened ids. @throws InvalidInputError */
export async function readFamilyInput(app: OpenedApp, raw: RawInput): Promise<FamilyInput> {
  return parseFamilyInput(await withFullIds(app, raw, { expand: ["invocation"] }));
}

/** `at` is accepted but was already applied to the app (as-of.ts), and `bare` is for pages. @throws InvalidInputError */
export function parseFamilyInput(raw: RawInput): FamilyInput {
  const { at: _chosen, bare: _alone, ...input } = parseInput(familyInput, raw);
  return input;
}

/**
 * @param kind of the object with this id; null if not known.
 * @throws NotFoundError if the store has no such object.
 */
export function familyPicture(
  app: OpenedApp,
  kind: NodeKind | null,
  id: string,
  input: FamilyInput,
): Promise<FamilyPicture> {
  return app.store.read(async (reads) => {
    const trace = await familyTrace(reads, kind, id, input);
    const asOf = { now: app.now(), deadBefore: app.past ? null : () => deadBefore(app, reads) };
    return pictured(reads, asOf, trace, app.past);
  });
}

/** For pages of other objects: null if the store has no such object, because only references to it may be left. */
export async function familyPictureOrNull(app: OpenedApp, kind: NodeKind, id: string): Promise<FamilyPicture | null> {
  try {
    return await familyPicture(app, kind, id, IN_PAGE);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

/** @param past waits in the past are not known, so there is no critical path. */
async function pictured(reads: AppReads, asOf: AsOf, trace: FamilyTrace, past: boolean): Promise<FamilyPicture> {
  const { now } = asOf;
  const { rows, others } = placedIn(trace);
  const path_of = past ? null : pathOwner(trace, rows);
  const ids = rows.flatMap((row) => (row.kind === "invocation" ? [row.id] : []));
  const placed = new Set(rows.flatMap((row) => [row, ...row.marks]).map(traceKey));
  const [{ stretches }, spent] = await Promise.all([
    readLives(reads, ids, asOf, ENTRIES),
    path_of === null ? null : timeSpent(reads, path_of, asOf),
  ]);
  for (const row of rows) {
    if (row.kind === "invocation") row.stretches = (stretches.get(row.id) ?? []).map(lifeStretch);
  }
  const notes = notesOn(trace, rows, ids.filter((id) => !stretches.has(id)).length);
  const extent = extentOf(rows);
  if (spent !== null) await addAwaited(reads, rows, spent.critical_path);
  await addEmitters(reads, rows);
  countLeftOut(rows, trace);
  return {
    focus_kind: trace.focus_kind,
    focus_id: trace.focus_id,
    as_of: isoFromEpoch(now),
    at: past ? isoFromEpoch(now) : null,
    ...extent,
    rows,
    others,
    edges: trace.edges.filter(
      ({ from, from_kind, to, to_kind }) =>
        placed.has(traceKey({ kind: from_kind, id: from })) && placed.has(traceKey({ kind: to_kind, id: to })),
    ),
    path_of,
    critical_path: spent?.critical_path ?? null,
    limit: trace.limit,
    expand: trace.expanded,
    can_expand: trace.expanded.length + trace.unknown < familyInput.expand.most,
    above_id: trace.above_id,
    truncated: trace.above_id !== null || rows.some((row) => row.effects_left_out > 0 || !row.effects_counted),
    notes,
  };
}

/** @param unread number of invocations whose history was not read */
function notesOn({ roots, unknown }: FamilyTrace, rows: readonly FamilyRow[], unread: number): string[] {
  const missing = rows.filter((row) => row.kind === "invocation" && row.invocation === null).length;
  return [
    ...(roots.length > 0 ? [] : ["The topmost name each other as their cause; the family starts at one of them."]),
    ...(missing === 0
      ? []
      : [`${missing === 1 ? "One invocation is" : `${missing} invocations are`} referred to but not stored.`]),
    ...(unread === 0
      ? []
      : [`The phases of ${counted(unread, "invocation")} are not drawn: the histories are too long.`]),
    ...(unknown === 0
      ? []
      : [`${unknown === 1 ? "One id to expand is" : `${unknown} ids to expand are`} not in the family.`]),
  ];
}

/** What the critical path added is drawn, whatever the limit left out. */
function countLeftOut(rows: readonly FamilyRow[], { left_out }: FamilyTrace): void {
  const drawn = new Set(rows.map(traceKey));
  for (const row of rows) {
    const own = [row, ...row.marks].flatMap((one) => left_out.get(traceKey(one)) ?? []);
    const absent = own.flatMap(({ effects }) => [...effects].filter((key) => !drawn.has(key)));
    row.effects_left_out = new Set(absent).size;
    row.effects_counted = own.every(({ counted }) => counted);
  }
}

/** Rows that are added for the critical path at most. */
const AWAITED = 20;

/** What the path goes through and is not of the picture gets a row below what waited for it, so that the drawn path has no gap. */
async function addAwaited(reads: AppReads, rows: FamilyRow[], { segments, ongoing, to }: CriticalPath): Promise<void> {
  const drawn = new Set(rows.map((row) => row.id));
  const missing = new Set(segments.flatMap(({ invocation_id: id }) => (drawn.has(id) ? [] : [id])));
  const found = await invocationRows(reads, [...missing].slice(0, AWAITED));
  const invocations = new Map(found.map((row) => [row.invocation_id, row]));
  for (const { invocation_id: id, waited_by } of segments) {
    const above = rows.findIndex((row) => row.id === waited_by);
    const [waiting, invocation] = [rows[above], invocations.get(id)];
    if (waiting === undefined || invocation === undefined || rows.some((row) => row.id === id)) continue;
    rows.splice(above + 1, 0, {
      ...emptyRow({ kind: "invocation", id }, waiting),
      awaited: true,
      invocation: isStored(invocation) ? invocation : null,
      stretches: segments
        .filter((segment) => segment.invocation_id === id)
        .map(({ from, to: until, duration_seconds, phase, attempt, runner_id }) => ({
          ...{ from, to: until, duration_seconds, phase, attempt, runner_id },
          ongoing: ongoing && until === to,
          next_status: null,
        })),
    });
  }
}

/** The invocation whose critical path is shown: the focus, or of those that the event or trigger run in focus started, the one that ended last. */
function pathOwner({ focus_kind, focus_id, edges }: Trace, rows: readonly FamilyRow[]): string | null {
  if (focus_kind === "invocation") return focus_id;
  let reached: { kind: NodeKind; id: string }[] = [{ kind: focus_kind, id: focus_id }];
  const started = new Set<string>();
  for (let steps = focus_kind === "event" ? 2 : 1; steps > 0; steps--) {
    const next = edges.filter((edge) => reached.some(({ kind, id }) => edge.from_kind === kind && edge.from === id));
    for (const { to_kind, to } of next) if (to_kind === "invocation") started.add(to);
    reached = next.flatMap(({ to_kind: kind, to: id }) => (kind === "invocation" ? [] : [{ kind, id }]));
  }
  const ends = rows.filter(({ id }) => started.has(id)).sort((a, b) => (endOf(a) < endOf(b) ? 1 : -1));
  return ends[0]?.id ?? null;
}

/** As text that sorts by time; what has not ended ends last. */
function endOf({ invocation }: FamilyRow): string {
  if (invocation === null) return "";
  return invocation.final ? (invocation.status_at ?? "") : "~";
}

/** The trees of the trace: that of the first root is the family, others that have invocations are counted. Without roots, all are the family. */
function placedIn(trace: FamilyTrace): Pick<FamilyPicture, "rows" | "others"> {
  const isOther = new Set(trace.roots.slice(1).map(traceKey));
  const others: FamilyOther[] = [];
  const own: TraceTreeNode[] = [];
  for (const root of traceTree(trace).roots) {
    const nodes = nodesBelow(root);
    const invocations = nodes.filter(({ kind }) => kind === "invocation").length;
    if (invocations === 0 || !isOther.has(traceKey(root))) own.push(root);
    else {
      const complete = nodes.every((node) => !trace.left_out.has(traceKey(node)));
      others.push({ kind: root.kind, id: root.id, invocation: storedOf(root), invocations, complete });
    }
  }
  return { rows: rowsOf(trace, own), others };
}

/** A node with all that is placed below it. */
function nodesBelow(root: TraceTreeNode): TraceTreeNode[] {
  const found = [root];
  for (const { children } of found) for (const child of children) if (!child.repeat) found.push(child);
  return found;
}

function storedOf({ invocation }: TraceTreeNode): InvocationRow | null {
  return invocation !== null && isStored(invocation) ? invocation : null;
}

/** One row per invocation, with events and trigger runs as marks. A node with several causes is placed below the first one. */
function rowsOf(trace: FamilyTrace, roots: readonly TraceTreeNode[]): FamilyRow[] {
  const rows: FamilyRow[] = [];
  const open: Step[] = roots.map((node): Step => ({ node, above: null, by: [], pendingMarks: [] })).reverse();
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const { node, above, by, pendingMarks } = step;
    if (node.repeat) {
      above?.marks.push(...pendingMarks);
      continue;
    }
    let [next, path, carried] = [above, by, pendingMarks];
    if (node.kind === "invocation" || above === null) {
      next = rowOf(node, above, by, pendingMarks);
      rows.push(next);
      [path, carried] = [[], []];
    } else {
      const mark = markOf(node);
      // Mark a run on the row of the invocation that it started, where people expect it.
      if (node.kind === "trigger_run" && startsHere(node)) carried = [...pendingMarks, mark];
      else {
        above.marks.push(...pendingMarks, mark);
        carried = [];
      }
    }
    const children = node.children.map(
      (child): Step => ({ node: child, above: next, by: [...path, ...child.by], pendingMarks: carried }),
    );
    open.push(...children.reverse());
  }
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const row of rows) {
    row.marks.sort((a, b) => ((a.at ?? "") < (b.at ?? "") ? -1 : 1));
    row.also_from = otherCauses(trace, row, byId.get(row.above_id ?? ""));
  }
  return rows;
}

/** Causes of the run that started it, without those of the row that it is drawn below. */
function otherCauses({ causes }: FamilyTrace, row: FamilyRow, above: FamilyRow | undefined): FamilyRow["also_from"] {
  if (above === undefined) return [];
  const own = new Set([above.id, ...above.marks.map(({ id }) => id)]);
  const runs = row.marks.flatMap(({ kind, id }) => (kind === "trigger_run" ? (causes.get(id) ?? []) : []));
  return runs
    .filter(({ event_id, source_invocation_id: source }) => !own.has(event_id ?? source ?? ""))
    .map((cause) => ({ ...cause, emitted_by: null }));
}

/** Two reads, if events took part in what started a row that is drawn below something else. */
async function addEmitters(reads: AppReads, rows: readonly FamilyRow[]): Promise<void> {
  const ids = rows.flatMap(({ also_from }) => also_from.flatMap(({ event_id }) => event_id ?? []));
  if (ids.length === 0) return;
  const events = await reads.trigger.eventsByIds([...new Set(ids)], 0);
  const emitterOf = new Map(events.map((event) => [event.event_id, event.emitted_by_invocation_id]));
  const emitters = [...new Set([...emitterOf.values()].filter((id) => id !== null))];
  const tasks = emitters.length === 0 ? [] : await reads.state_backend.invocationsByIds(emitters, 0);
  const taskOf = new Map(tasks.map((one) => [one.invocation_id, one.task_id_key]));
  for (const cause of rows.flatMap(({ also_from }) => also_from)) {
    const invocation_id = emitterOf.get(cause.event_id ?? "") ?? null;
    if (invocation_id !== null) {
      cause.emitted_by = { invocation_id, task_id_key: taskOf.get(invocation_id) ?? null };
    }
  }
}

interface Step {
  node: TraceTreeNode;
  above: FamilyRow | null;
  /** Edges from the row above. */
  by: EdgeKind[];
  /** Marks of the run that starts it. */
  pendingMarks: FamilyMark[];
}

/** Whether the invocation that a run starts is placed here. It may be placed elsewhere, if it has another cause. */
function startsHere({ children }: TraceTreeNode): boolean {
  return children.some((child) => child.kind === "invocation" && !child.repeat);
}

function rowOf(node: TraceTreeNode, above: FamilyRow | null, by: EdgeKind[], pendingMarks: FamilyMark[]): FamilyRow {
  return {
    ...emptyRow(node, above),
    by,
    focus: node.focus,
    invocation: storedOf(node),
    marks: node.kind === "invocation" ? [...pendingMarks] : [...pendingMarks, markOf(node)],
  };
}

function emptyRow({ kind, id }: Pick<FamilyRow, "kind" | "id">, above: FamilyRow | null): FamilyRow {
  return {
    kind,
    id,
    depth: above === null ? 0 : above.depth + 1,
    above_id: above?.id ?? null,
    by: [],
    also_from: [],
    focus: false,
    awaited: false,
    effects_left_out: 0,
    effects_counted: true,
    invocation: null,
    stretches: [],
    marks: [],
  };
}

function markOf({ kind, id, event, trigger_run: run, focus }: TraceTreeNode): FamilyMark {
  return kind === "event"
    ? { kind, id, label: event?.event_code ?? "", at: event?.timestamp ?? null, focus }
    : {
        kind: "trigger_run",
        id,
        label: run?.task_id_key ?? "",
        at: run?.claimed_at ?? run?.executed_at ?? null,
        focus,
      };
}

function lifeStretch(stretch: Stretch): LifeStretch {
  const { from, to, attempt, runner, ongoing, next } = stretch;
  return {
    from: isoFromEpoch(from / 1e6),
    to: isoFromEpoch(to / 1e6),
    duration_seconds: (to - from) / 1e6,
    phase: pathPhaseOf(stretch),
    attempt,
    runner_id: runner,
    ongoing,
    next_status: next,
  };
}

function extentOf(rows: readonly FamilyRow[]): Pick<FamilyPicture, "from" | "to" | "ongoing"> {
  let [from, to, ongoing]: [string | null, string | null, boolean] = [null, null, false];
  const seen = (first: string | null, last: string | null) => {
    if (first !== null && (from === null || first < from)) from = first;
    if (last !== null && (to === null || last > to)) to = last;
  };
  for (const { stretches, marks, invocation } of rows) {
    seen(invocation?.registered_at ?? null, invocation?.registered_at ?? null);
    for (const mark of marks) seen(mark.at, mark.at);
    for (const stretch of stretches) {
      seen(stretch.from, stretch.to);
      ongoing ||= stretch.ongoing;
    }
  }
  return { from, to, ongoing };
}
