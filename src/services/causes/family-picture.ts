/**
 * A family over time: every invocation around an event, an invocation or a trigger run with what it did when, events and trigger runs on the
 * rows of those that they belong to, and where the time went.
 */
import type {
  EdgeKind,
  FamilyMark,
  FamilyPicture,
  FamilyRow,
  LifeStretch,
  NodeKind,
  Trace,
  TraceTreeNode,
} from "../../api/causes.ts";
import { NotFoundError } from "../../errors.ts";
import { type EpochSeconds, isoFromEpoch } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { integer, parseInput, type RawInput } from "../input/input.ts";
import { moment } from "../input/time-bounds.ts";
import type { Stretch } from "../model/critical-path.ts";
import { readLives, timeSpent } from "../model/time-spent.ts";
import { familyTrace, kindOfId } from "./trace.ts";
import { traceTree } from "./trace-tree.ts";

export interface FamilyPictureInput {
  /** Events, trigger runs and invocations at most. */
  limit: number;
}

const DEFAULT_LIMIT = 200;
const MOST = 1_000;

/** Inside the page of a thing; its own page has more. */
const IN_PAGE: FamilyPictureInput = { limit: 60 };

/** History entries of one picture. */
const ENTRIES = 10_000;

/** `at` chose the app (as-of.ts). @throws InvalidInputError */
export function parseFamilyPictureInput(raw: RawInput): FamilyPictureInput {
  const { at: _chosen, ...input } = parseInput({ limit: integer(1, MOST, DEFAULT_LIMIT), at: moment }, raw);
  return input;
}

/**
 * @param kind of the thing with this id; null where it is not known.
 * @throws NotFoundError when the store has no such thing.
 */
export function familyPicture(
  app: OpenedApp,
  kind: NodeKind | null,
  id: string,
  input: FamilyPictureInput,
): Promise<FamilyPicture> {
  return app.store.read(async (reads) => {
    const trace = await familyTrace(reads, kind ?? (await kindOfId(reads, id)), id, input.limit);
    return pictured(reads, app.now(), trace, app.past);
  });
}

/** Of a page about something else too; null where the store has no such thing, of which only references may be left. */
export async function familyPictureOrNull(app: OpenedApp, kind: NodeKind, id: string): Promise<FamilyPicture | null> {
  try {
    return await familyPicture(app, kind, id, IN_PAGE);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

/** @param past what waited for what is not known then: there is no critical path. */
async function pictured(reads: AppReads, now: EpochSeconds, trace: Trace, past: boolean): Promise<FamilyPicture> {
  const rows = rowsOf(trace);
  const path_of = past ? null : pathOwner(trace);
  const ids = trace.invocations.map((row) => row.invocation_id);
  const [{ stretches }, spent] = await Promise.all([
    readLives(reads, ids, now, ENTRIES),
    path_of === null ? null : timeSpent(reads, path_of, now),
  ]);
  for (const row of rows) {
    if (row.kind === "invocation") row.stretches = (stretches.get(row.id) ?? []).map(lifeStretch);
  }
  const unread = ids.filter((id) => !stretches.has(id)).length;
  return {
    focus_kind: trace.focus_kind,
    focus_id: trace.focus_id,
    as_of: isoFromEpoch(now),
    at: past ? isoFromEpoch(now) : null,
    ...extentOf(rows),
    rows,
    edges: trace.edges,
    path_of,
    critical_path: spent?.critical_path ?? null,
    limit: trace.limit,
    truncated: trace.truncated,
    notes:
      unread === 0
        ? []
        : [
            `What ${unread} of the invocations did is not drawn: together they have more history entries than are read.`,
          ],
  };
}

/** The focus; of an event or a trigger run the first invocation that it led to: an event starts one through a run. */
function pathOwner({ focus_kind, focus_id, edges }: Trace): string | null {
  if (focus_kind === "invocation") return focus_id;
  let reached: { kind: NodeKind; id: string }[] = [{ kind: focus_kind, id: focus_id }];
  for (let steps = focus_kind === "event" ? 2 : 1; steps > 0; steps--) {
    const next = edges.filter((edge) => reached.some(({ kind, id }) => edge.from_kind === kind && edge.from === id));
    const started = next.find((edge) => edge.to_kind === "invocation");
    if (started !== undefined) return started.to;
    reached = next.map(({ to_kind: kind, to: id }) => ({ kind, id }));
  }
  return null;
}

/** One row for each invocation, events and trigger runs as marks. What has several causes stands below the first of them. */
function rowsOf(trace: Trace): FamilyRow[] {
  const rows: FamilyRow[] = [];
  const open: Step[] = traceTree(trace)
    .roots.map((node): Step => ({ node, above: null, by: [], brought: [] }))
    .reverse();
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const { node, above, by, brought } = step;
    if (node.repeat) {
      above?.marks.push(...brought);
      continue;
    }
    let [next, path, carried] = [above, by, brought];
    if (node.kind === "invocation" || above === null) {
      next = rowOf(node, above, by, brought);
      rows.push(next);
      [path, carried] = [[], []];
    } else {
      const mark = markOf(node);
      // A run is marked on what it started: that is where it is looked for.
      if (node.kind === "trigger_run" && startsHere(node)) carried = [...brought, mark];
      else {
        above.marks.push(...brought, mark);
        carried = [];
      }
    }
    const children = node.children.map(
      (child): Step => ({ node: child, above: next, by: [...path, ...child.by], brought: carried }),
    );
    open.push(...children.reverse());
  }
  for (const row of rows) row.marks.sort((a, b) => ((a.at ?? "") < (b.at ?? "") ? -1 : 1));
  return rows;
}

interface Step {
  node: TraceTreeNode;
  above: FamilyRow | null;
  /** Edges from the row above. */
  by: EdgeKind[];
  /** The run that starts it. */
  brought: FamilyMark[];
}

/** A run starts one invocation; it may stand elsewhere, because something else led to it too. */
function startsHere({ children }: TraceTreeNode): boolean {
  return children.some((child) => child.kind === "invocation" && !child.repeat);
}

function rowOf(node: TraceTreeNode, above: FamilyRow | null, by: EdgeKind[], brought: FamilyMark[]): FamilyRow {
  return {
    kind: node.kind,
    id: node.id,
    depth: above === null ? 0 : above.depth + 1,
    above_id: above?.id ?? null,
    by,
    focus: node.focus,
    invocation: node.invocation,
    stretches: [],
    marks: node.kind === "invocation" ? [...brought] : [...brought, markOf(node)],
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

function lifeStretch({ from, to, phase, attempt, runner, ongoing, next }: Stretch): LifeStretch {
  return {
    from: isoFromEpoch(from / 1e6),
    to: isoFromEpoch(to / 1e6),
    seconds: (to - from) / 1e6,
    phase,
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
