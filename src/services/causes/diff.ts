/** Compares two invocations, or workflow runs, and their descendants: arguments, times, children and outcome. */
import type { Diff } from "../../api/diff.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { NotFoundError } from "../../errors.ts";
import { diffInput, LAST_SUCCESS } from "../../inputs/causes.ts";
import { required } from "../../inputs/parameter.ts";
import { addTo } from "../../pynenc/groups.ts";
import { counted } from "../../pynenc/numbers.ts";
import { type EpochSeconds, epochFromIso } from "../../pynenc/time.ts";
import type { Cursor } from "../../stores/ports/common.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { invocationRows, isStored } from "../model/invocation-rows.ts";
import { AMONG_NEWEST, isBounded } from "../model/listed-invocations.ts";
import { withFullIds } from "../model/resolve-ids.ts";
import { deadBefore } from "../model/runner-liveness.ts";
import { type AsOf, phasesOf, readLives } from "../model/time-spent.ts";
import { aligned, type CallTree } from "./aligned-trees.ts";
import { type Compared, type Fact, type Facts, KIND_WORDS, nodeOf } from "./call-differences.ts";

/** Limits per tree. */
const LEVELS = 12;
const NODES = 200;

/** History entries read for both trees, and also scanned for an earlier success, in steps. */
const ENTRIES = 10_000;
const ENTRY_STEP = 1_000;

/** Successes of the task that are examined, newest first, and the step size. */
const SCAN_LIMIT = 2_000;
const STEP = 200;

export interface DiffInput {
  a: string;
  b: string;
}

/** The address of the page is valid without ids, because the page has a form for them; a comparison needs both. */
const BOTH_IDS = { a: required(diffInput.a), b: required(diffInput.b) };

/** Ids may be shortened. @throws InvalidInputError */
export async function readDiffInput(app: OpenedApp, raw: RawInput): Promise<DiffInput> {
  const given = parseInput(BOTH_IDS, raw);
  const kinds = ["invocation"] as const;
  const wanted = given.b === LAST_SUCCESS ? { a: kinds } : { a: kinds, b: kinds };
  return parseInput(BOTH_IDS, await withFullIds(app, { a: [given.a], b: [given.b] }, wanted));
}

/** About 14 calls, plus one per level of the trees. @throws NotFoundError */
export function diffOf(app: OpenedApp, input: DiffInput): Promise<Diff> {
  return app.store.read(async (reads) => {
    const [first] = await invocationRows(reads, [input.a]);
    if (first === undefined || !isStored(first)) throw new NotFoundError("invocation", input.a);
    const searched = input.b === LAST_SUCCESS;
    const b = searched ? await lastSuccessBefore(reads, first) : input.b;
    const calls = await readCalls(reads, [...new Set([input.a, b])]);
    const facts = await readFacts(reads, [...calls.ids], { now: app.now(), deadBefore: () => deadBefore(app, reads) });
    const other = facts.rows.get(b);
    if (other === undefined || !isStored(other)) throw new NotFoundError("invocation", b);
    const pairs = aligned(treeOf(input.a, calls, facts), treeOf(b, calls, facts)).map((pair) =>
      nodeOf(pair.a, pair.b, pair.depth, facts),
    );
    const nodes = pairs.map(({ node }) => node);
    const differences = { only_a: 0, only_b: 0, task: 0, outcome: 0, arguments: 0, attempts: 0, times: 0 };
    for (const node of nodes) for (const kind of node.differs) differences[kind]++;
    return {
      a: input.a,
      b,
      last_success: searched,
      same: nodes.every((node) => node.differs.length === 0),
      nodes,
      differences,
      complete: !calls.cut,
      notes: [...(calls.cut ? [CUT_NOTE] : []), ...notStored(pairs)],
    };
  });
}

const CUT_NOTE = `Compared are at most ${counted(NODES, "invocation")} in ${LEVELS} levels of each.`;

/** Says what could not be compared, so that missing data does not look the same. */
function notStored(pairs: readonly Compared[]): string[] {
  const words = Object.entries(KIND_WORDS).flatMap(([kind, word]) => {
    const n = pairs.filter(({ unknown }) => unknown.includes(kind as Fact)).length;
    return n === 0 ? [] : [`${word} of ${counted(n, "pair")}`];
  });
  return words.length === 0 ? [] : [`Not compared, because not known for both: ${words.join(", ")}.`];
}

/** An earlier success of the task of one that failed, if it is among the newest; otherwise null. Four reads at most. */
export function knownSuccessBefore(app: OpenedApp, id: string): Promise<string | null> {
  return app.store.read(async (reads) => {
    const [row] = await invocationRows(reads, [id]);
    const before = epochFromIso(row?.registered_at ?? row?.status_at ?? "");
    if (row?.status !== "failed" || row.task_id_key === null || before === null) return null;
    const filter = { statuses: ["success"], task_id_key: row.task_id_key };
    const found = await reads.orchestrator.listInvocations(filter, { limit: STEP, offset: 0 });
    return newestBefore(reads, ids(found), id, before);
  });
}

/**
 * The newest success of the task that was registered before this one. Searches the newest successes of the task, then the invocations that were active
 * before this one was registered.
 *
 * @throws NotFoundError if there is none among those examined.
 */
async function lastSuccessBefore(reads: AppReads, row: InvocationRow): Promise<string> {
  const { invocation_id, task_id_key } = row;
  const before = epochFromIso(row.registered_at ?? row.status_at ?? "");
  if (task_id_key === null || before === null) {
    throw new NotFoundError("earlier success of the task of", invocation_id, "Its task or its time is not stored.");
  }
  const filter = { statuses: ["success"], task_id_key };
  let after: string | undefined;
  let bounded = false;
  for (let examined = 0; examined < SCAN_LIMIT; examined += STEP) {
    const found = await reads.orchestrator.listInvocations(filter, { limit: STEP, offset: 0 }, after);
    const newest = await newestBefore(reads, ids(found), invocation_id, before);
    if (newest !== null) return newest;
    after = found.at(-1)?.cursor;
    if (found.length < STEP) {
      bounded = await isBounded(reads, filter);
      if (bounded) break;
      throw new NotFoundError("earlier success of the task of", invocation_id, `The task is ${task_id_key}.`);
    }
  }
  let cursor: Cursor | undefined;
  for (let examined = 0; examined < ENTRIES; ) {
    const { rows, scanned, exhausted, last_cursor } = await reads.state_backend.listActive(
      { to: before },
      STEP,
      ENTRY_STEP,
      cursor,
    );
    const statuses = rows.length === 0 ? [] : await reads.orchestrator.statusesByIds(ids(rows));
    const successes = statuses.filter((one) => one.status === "success" && one.task_id_key === task_id_key);
    const newest = await newestBefore(reads, ids(successes), invocation_id, before);
    if (newest !== null) return newest;
    if (exhausted || last_cursor === null) {
      throw new NotFoundError("earlier success of the task of", invocation_id, `The task is ${task_id_key}.`);
    }
    cursor = last_cursor;
    examined += Math.max(1, scanned);
  }
  const successes = bounded
    ? `successes of ${task_id_key} ${AMONG_NEWEST}`
    : `the newest ${counted(SCAN_LIMIT, "success", "successes")} of ${task_id_key}`;
  const hint = `Only ${successes}, and about ${counted(ENTRIES, "history entry", "history entries")} before it, were searched; name another invocation instead.`;
  throw new NotFoundError("earlier success of the task of", invocation_id, hint);
}

function ids(rows: readonly { invocation_id: string }[]): string[] {
  return rows.map((row) => row.invocation_id);
}

/** The candidate registered last before an instant. Stores list in the order of writing, which differs slightly from the order of times. */
async function newestBefore(
  reads: AppReads,
  candidates: readonly string[],
  except: string,
  before: EpochSeconds,
): Promise<string | null> {
  const others = candidates.filter((id) => id !== except);
  const spans = others.length === 0 ? [] : await reads.state_backend.historySpanOf(others);
  const [newest] = spans
    .filter(({ first }) => first.status === "registered" && first.timestamp < before)
    .sort((one, other) => other.first.timestamp - one.first.timestamp);
  return newest?.invocation_id ?? null;
}

interface Calls {
  ids: Set<string>;
  children: Map<string, string[]>;
  /** A limit was reached. */
  cut: boolean;
}

/** The descendants of each root, with the same limit per tree. */
async function readCalls(reads: AppReads, roots: readonly string[]): Promise<Calls> {
  const ids = new Set(roots);
  const children = new Map<string, string[]>();
  const room = new Map(roots.map((root) => [root, NODES - 1]));
  let cut = false;
  /** The nodes of one level, each with the root of its tree. A child that belongs to both trees is read for the first one. */
  let level = roots.map((root) => ({ id: root, root }));
  for (let depth = 0; level.length > 0; depth++) {
    const found = await reads.state_backend.childrenOf(
      level.map((one) => one.id),
      { each: depth < LEVELS ? NODES : 1 },
    );
    if (depth === LEVELS) return { ids, children, cut: cut || found.length > 0 };
    const rootOf = new Map(level.map((one) => [one.id, one.root]));
    level = [];
    for (const { invocation_id: id, parent_id: parent } of found) {
      const root = rootOf.get(parent) ?? "";
      const left = room.get(root) ?? 0;
      if (left === 0) cut = true;
      if (left === 0) continue;
      room.set(root, left - 1);
      addTo(children, parent, id);
      if (ids.has(id)) continue;
      ids.add(id);
      level.push({ id, root });
    }
  }
  return { ids, children, cut };
}

async function readFacts(reads: AppReads, ids: readonly string[], asOf: AsOf): Promise<Facts> {
  const [rows, definitions, lives] = await Promise.all([
    invocationRows(reads, ids),
    reads.state_backend.invocationsByIds(ids),
    readLives(reads, ids, asOf, ENTRIES),
  ]);
  return {
    rows: new Map(rows.map((row) => [row.invocation_id, row])),
    definitions: new Map(definitions.map((row) => [row.invocation_id, row])),
    phases: new Map(
      [...lives.stretches].map(([id, stretches]) => [
        id,
        new Map(phasesOf(stretches).map(({ phase, microseconds }) => [phase, microseconds])),
      ]),
    ),
  };
}

/** @param above its ancestors, because damaged rows may lead back to one of them. */
function treeOf(id: string, calls: Calls, facts: Facts, above: readonly string[] = []): CallTree {
  const line = [...above, id];
  return {
    id,
    task: facts.rows.get(id)?.task_id_key ?? null,
    arguments_id: facts.definitions.get(id)?.arguments_id ?? null,
    children: (calls.children.get(id) ?? [])
      .filter((child) => !line.includes(child))
      .map((child) => treeOf(child, calls, facts, line)),
  };
}
