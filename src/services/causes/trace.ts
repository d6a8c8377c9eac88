/**
 * The causal chain around an event, an invocation or a trigger run: downwards what it caused, upwards why it happened. Breadth first, with one set of
 * batched reads per level and a limit of nodes. Each node appears once.
 */

import type { EdgeKind, NodeKind, Trace, TraceDirection, TraceEdge } from "../../api/causes.ts";
import type { RunCause } from "../../api/model/trigger-objects.ts";
import { NotFoundError } from "../../errors.ts";
import { traceInput } from "../../inputs/causes.ts";
import { rowsBy } from "../../pynenc/groups.ts";
import { triggerRunIdOf } from "../../pynenc/keys.ts";
import { ascending } from "../../pynenc/order.ts";
import type { TriggerRunRecord } from "../../pynenc/records.ts";
import type { RowLimit } from "../../stores/ports/common.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { eventObjects, triggerRunObject } from "../model/event-objects.ts";
import { invocationRows, isStored } from "../model/invocation-rows.ts";
import { causesOf, eventsOf, kindsOfSource, sourcesOf } from "../model/run-causes.ts";

/** Kinds of objects that can be traced. */
export const TRACED = ["event", "invocation", "trigger_run"] as const;

export interface TraceInput {
  direction: TraceDirection;
  limit: number;
}

/** Larger payloads of events are omitted from a trace, because thousands of them would not fit into memory. */
const PAYLOAD_BYTES = 10_000;

/** @throws InvalidInputError */
export function parseTraceInput(raw: RawInput): TraceInput {
  return parseInput(traceInput, raw);
}

/**
 * @param kind of the object with this id; null if not known.
 * @throws NotFoundError if the store has no such object.
 */
export function trace(app: OpenedApp, kind: NodeKind | null, id: string, input: TraceInput): Promise<Trace> {
  return app.store.read(async (reads) => {
    const graph = new Graph(await focusOf(reads, kind, id), input.limit);
    if (input.direction !== "up") await walk(graph, (frontier) => stepDown(reads, graph, frontier));
    if (input.direction !== "down") await walk(graph, (frontier) => stepUp(reads, graph, frontier));
    return described(reads, graph, input.direction);
  });
}

export interface FamilyInput {
  /** Limit of events, trigger runs and invocations in total, not counting those added by `expand`. */
  limit: number;
  /** Ids of invocations, split at commas: an id may contain commas. */
  expand: readonly string[];
}

/** Events, trigger runs and invocations added below an expanded one. */
const EXPANDED = 50;

/** Up to this number, the effects of a node that are left out are counted exactly. */
const COUNTED = 200;

/** Effects of a node that are left out of a trace. */
export interface LeftOut {
  /** Their keys. */
  effects: ReadonlySet<string>;
  /** False if there are or may be more. */
  counted: boolean;
}

/** Of its `roots`, the first is the cause that the family belongs to. */
export interface FamilyTrace extends Trace {
  /** The nearest cause that is left out because there are too many ancestors. */
  above_id: string | null;
  /** What took part in each trigger run, also what is not in the trace. */
  causes: ReadonlyMap<string, RunCause[]>;
  /** By `traceKey`; nodes with all effects in the trace have no entry. */
  left_out: ReadonlyMap<string, LeftOut>;
  /** The ids of `expand` that are in the trace. */
  expanded: string[];
  /** Ids of `expand` that are not. */
  unknown: number;
}

/**
 * The full family of a node: its ancestors, its descendants, and the other descendants of its ancestors, up to the limit. Ancestors get at most half
 * of the limit, so that an endless chain leaves room for the rest. Other parameters and errors as for `trace`.
 */
export async function familyTrace(
  reads: AppReads,
  kind: NodeKind | null,
  id: string,
  { limit, expand }: FamilyInput,
): Promise<FamilyTrace> {
  const graph = new Graph(await focusOf(reads, kind, id), Math.ceil(limit / 2));
  const [up, down] = [
    (frontier: Frontier) => stepUp(reads, graph, frontier),
    (frontier: Frontier) => stepDown(reads, graph, frontier),
  ];
  await walk(graph, up);
  const [above_id = null] = [...graph.refused.values()].flatMap((causes) => [...causes.values()]);
  const ancestors = graph.nodes().filter((node) => node !== graph.focus);
  const roots = await lastFirst(reads, graph.roots());
  graph.truncated = false;
  graph.limit = limit;
  await walk(graph, down);
  await walk(graph, down, ancestors);
  const cut = graph.truncated;
  const expanded: string[] = [];
  let unknown = 0;
  for (let start = 0; start < expand.length; ) {
    const { id: known, length } = expandable(graph, expand.slice(start));
    start += length;
    if (known === null) {
      unknown++;
      continue;
    }
    expanded.push(known);
    graph.truncated = false;
    graph.limit = graph.nodes().length + EXPANDED;
    await walk(graph, down, graph.from(invocation(known)));
  }
  const left_out = cut ? await leftOut(reads, graph) : new Map<string, LeftOut>();
  graph.truncated = above_id !== null || left_out.size > 0;
  const found = await described(reads, graph, "both");
  const causes = new Map([...graph.runs].map(([run_id, record]) => [run_id, causesOf(record)]));
  return { ...found, roots, limit, above_id, causes, left_out, expanded, unknown };
}

/** Invocations first, the one that was registered last at the top: it completed the conditions of the run that joins them. */
async function lastFirst(reads: AppReads, roots: readonly Node[]): Promise<Node[]> {
  const ids = roots.length < 2 ? [] : roots.flatMap(({ kind, id }) => (kind === "invocation" ? [id] : []));
  const spans = await readOf(ids, (some) => reads.state_backend.historySpanOf(some));
  const since = new Map(spans.map(({ invocation_id, first }) => [invocation_id, first.timestamp]));
  const rank = ({ kind, id }: Node) => (kind === "invocation" ? (since.get(id) ?? 0) : -1);
  return roots.toSorted((a, b) => rank(b) - rank(a) || ascending(a.id, b.id));
}

export interface Effects {
  /** Ids of the invocations that one of the given ones led to, nearest first. */
  of(id: string): string[];
  /** False if there are or may be more. */
  complete: boolean;
}

/** Generations that are followed by `effectsOf`. */
const GENERATIONS = 24;

/**
 * The invocations that these led to: called by them, or started through events and triggers.
 *
 * @param limit of events, trigger runs and invocations that are found.
 */
export async function effectsOf(reads: AppReads, ids: readonly string[], limit: number): Promise<Effects> {
  const [first, ...others] = ids.map(invocation);
  if (first === undefined) return { of: () => [], complete: true };
  const graph = new Graph(first, ids.length + limit, others);
  await walk(graph, (frontier) => stepDown(reads, graph, frontier), [first, ...others], GENERATIONS);
  return {
    of: (id) =>
      graph.from(invocation(id)).flatMap((node) => (node.kind === "invocation" && node.id !== id ? [node.id] : [])),
    complete: !graph.truncated,
  };
}

/** The longest prefix of the pieces that is the id of an invocation in the graph. */
function expandable(graph: Graph, pieces: readonly string[]): { id: string | null; length: number } {
  for (let length = pieces.length; length > 0; length--) {
    const id = pieces.slice(0, length).join(",");
    if (graph.has(invocation(id))) return { id, length };
  }
  return { id: null, length: 1 };
}

/** What each node led to that is not in the graph, which takes no more nodes from now on. */
async function leftOut(reads: AppReads, graph: Graph): Promise<Map<string, LeftOut>> {
  const nodes = graph.nodes();
  const each = Math.max(COUNTED, nodes.length) + 1;
  graph.limit = nodes.length;
  graph.refused.clear();
  await stepDown(reads, graph, frontierOf(nodes), { each });
  const drawn = rowsBy([...graph.edges.values()], ({ from, from_kind: kind }) => traceKey({ kind, id: from }));
  return new Map(
    [...graph.refused].map(([key, refused]): [string, LeftOut] => [
      key,
      { effects: new Set(refused.keys()), counted: refused.size + (drawn.get(key)?.length ?? 0) < each },
    ]),
  );
}

async function focusOf(reads: AppReads, kind: NodeKind | null, id: string): Promise<Node> {
  for (const candidate of kind === null ? TRACED : [kind]) {
    if (await exists(reads, candidate, id)) return { kind: candidate, id };
  }
  throw new NotFoundError(kind?.replace("_", " ") ?? "event, invocation or trigger run", id);
}

async function exists(reads: AppReads, kind: NodeKind, id: string): Promise<boolean> {
  switch (kind) {
    case "event":
      return (await reads.trigger.eventsByIds([id], 0)).length > 0;
    case "trigger_run":
      return (await reads.trigger.triggerRunsByIds([id])).length > 0;
    case "invocation":
      return (await invocationRows(reads, [id])).some(isStored);
  }
}

interface Node {
  kind: NodeKind;
  id: string;
}

/** Nodes and edges found so far. */
class Graph {
  limit: number;
  readonly edges = new Map<string, TraceEdge>();
  readonly runs = new Map<string, TriggerRunRecord>();
  readonly #depths = new Map<string, number>();
  readonly #nodes: Node[] = [];
  readonly focus: Node;
  truncated = false;
  /** What found no room, by the key of the node that it was found from: ids by key. */
  readonly refused = new Map<string, Map<string, string>>();
  /** Depth of the node farthest from the focus. */
  depth = 0;

  /** @param beside nodes that are known from the start, as the focus is. */
  constructor(focus: Node, limit: number, beside: readonly Node[] = []) {
    this.limit = limit;
    this.focus = focus;
    for (const node of [focus, ...beside]) if (!this.has(node)) this.#add(node, 0);
  }

  has(node: Node): boolean {
    return this.#depths.has(traceKey(node));
  }

  ids(kind: NodeKind): string[] {
    return this.#nodes.flatMap((node) => (node.kind === kind ? [node.id] : []));
  }

  nodes(): readonly Node[] {
    return [...this.#nodes];
  }

  /** Nodes that no edge leads to. */
  roots(): Node[] {
    const reached = new Set([...this.edges.values()].map((edge) => traceKey({ kind: edge.to_kind, id: edge.to })));
    return this.#nodes.filter((node) => !reached.has(traceKey(node)));
  }

  /** A node with everything that it led to. */
  from(start: Node): Node[] {
    const effects = rowsBy([...this.edges.values()], ({ from, from_kind: kind }) => traceKey({ kind, id: from }));
    const found = new Map([[traceKey(start), start]]);
    for (const [key] of found) {
      for (const { to, to_kind: kind } of effects.get(key) ?? [])
        found.set(traceKey({ kind, id: to }), { kind, id: to });
    }
    return [...found.values()];
  }

  /** Adds an edge and its other end. Returns that end if it is new; null if it was known or the limit is reached. */
  link(from: Node, to: Node, kind: EdgeKind): Node | null {
    const fresh = this.has(from) ? to : from;
    const isNew = !this.has(fresh);
    const known = fresh === to ? from : to;
    if (isNew && this.#nodes.length >= this.limit) {
      this.truncated = true;
      const others = this.refused.get(traceKey(known)) ?? new Map<string, string>();
      this.refused.set(traceKey(known), others.set(traceKey(fresh), fresh.id));
      return null;
    }
    const key = `${traceKey(from)}>${traceKey(to)}>${kind}`;
    if (!this.edges.has(key)) {
      this.edges.set(key, { from: from.id, from_kind: from.kind, to: to.id, to_kind: to.kind, kind });
    }
    if (!isNew) return null;
    this.#add(fresh, (this.#depths.get(traceKey(known)) ?? 0) + 1);
    return fresh;
  }

  #add(node: Node, depth: number): void {
    this.#nodes.push(node);
    this.#depths.set(traceKey(node), depth);
    this.depth = Math.max(this.depth, depth);
  }
}

/** Distinguishes the nodes of a trace. */
export function traceKey({ kind, id }: Node): string {
  return `${kind}:${id}`;
}

type Frontier = Record<NodeKind, string[]>;

/** Repeats a step from the newest nodes until nothing new is found, at most `times`. */
async function walk(
  graph: Graph,
  step: (frontier: Frontier) => Promise<(Node | null)[]>,
  from: readonly Node[] = [graph.focus],
  times = Number.POSITIVE_INFINITY,
): Promise<void> {
  let nodes = from;
  for (let taken = 0; nodes.length > 0 && !graph.truncated; taken++) {
    if (taken === times) graph.truncated = true;
    else nodes = (await step(frontierOf(nodes))).filter((node) => node !== null);
  }
}

function frontierOf(nodes: readonly Node[]): Frontier {
  const frontier: Frontier = { invocation: [], event: [], trigger_run: [] };
  for (const { kind, id } of nodes) frontier[kind].push(id);
  return frontier;
}

const invocation = (id: string): Node => ({ kind: "invocation", id });
const event = (id: string): Node => ({ kind: "event", id });
const run = (id: string): Node => ({ kind: "trigger_run", id });

/** Skips the read without ids: most steps have nodes of only one kind. */
async function readOf<Row>(ids: string[], read: (ids: string[]) => Promise<Row[]>): Promise<Row[]> {
  return ids.length === 0 ? [] : read(ids);
}

/** Direct effects of the frontier. Reads fetch one more than fits, to detect a cut. */
async function stepDown(
  reads: AppReads,
  graph: Graph,
  frontier: Frontier,
  most: RowLimit = graph.limit + 1,
): Promise<(Node | null)[]> {
  const { invocation: calls, event: events } = frontier;
  const [children, emitted, runsOfSources, runsOfEvents, started, definedByEvent] = await Promise.all([
    readOf(calls, (ids) => reads.state_backend.childrenOf(ids, most)),
    readOf(calls, (ids) => reads.trigger.eventsEmittedBy(ids, most)),
    readOf(calls, (ids) => reads.trigger.triggerRunsOf("source_invocation", ids, most)),
    readOf(events, (ids) => reads.trigger.triggerRunsOf("event", ids, most)),
    readOf(events, (ids) => reads.trigger.triggeredBy(ids, most)),
    readOf(events, (ids) => reads.state_backend.childrenOf(ids, most, "event")),
  ]);
  const runIds = [...frontier.trigger_run, ...runsOfSources.map(triggerRunIdOf), ...runsOfEvents.map(triggerRunIdOf)];
  await loadRuns(reads, graph, runIds);
  const found: (Node | null)[] = [];
  for (const { invocation_id, parent_id } of children) {
    found.push(graph.link(invocation(parent_id), invocation(invocation_id), "call"));
  }
  for (const { event_id, emitted_by_invocation_id } of emitted) {
    if (emitted_by_invocation_id !== null)
      found.push(graph.link(invocation(emitted_by_invocation_id), event(event_id), "emit"));
  }
  for (const { of, trigger_run_id } of runsOfSources) {
    for (const kind of kindsOfSource(graph.runs.get(trigger_run_id), of)) {
      found.push(graph.link(invocation(of), run(trigger_run_id), kind));
    }
  }
  for (const { of, trigger_run_id } of runsOfEvents) found.push(graph.link(event(of), run(trigger_run_id), "event"));
  const byRun = new Set<string>();
  for (const id of runIds) {
    const target = graph.runs.get(id)?.triggered_invocation_id ?? null;
    if (target === null) continue;
    byRun.add(target);
    if (graph.has(run(id))) found.push(graph.link(run(id), invocation(target), "trigger"));
  }
  // An exception run that was overwritten by a later one keeps its links (storage-format.md 1.6), so the index still has what it started.
  for (const { event_id, invocation_id, trigger_run_id } of started) {
    if (byRun.has(invocation_id)) continue;
    byRun.add(invocation_id);
    const cause = trigger_run_id !== null && graph.has(run(trigger_run_id)) ? run(trigger_run_id) : event(event_id);
    found.push(graph.link(cause, invocation(invocation_id), "trigger"));
  }
  for (const { invocation_id, parent_id } of definedByEvent) {
    if (!byRun.has(invocation_id)) found.push(graph.link(event(parent_id), invocation(invocation_id), "parent_event"));
  }
  return found;
}

/** Direct causes of the frontier. */
async function stepUp(reads: AppReads, graph: Graph, frontier: Frontier): Promise<(Node | null)[]> {
  const [definitions, emitters, starters] = await Promise.all([
    readOf(frontier.invocation, (ids) => reads.state_backend.invocationsByIds(ids)),
    readOf(frontier.event, (ids) => reads.trigger.eventsByIds(ids, 0)),
    readOf(frontier.invocation, (ids) => reads.trigger.triggerRunsOf("triggered_invocation", ids, graph.limit + 1)),
  ]);
  await loadRuns(reads, graph, [...frontier.trigger_run, ...starters.map(triggerRunIdOf)]);
  const found: (Node | null)[] = [];
  const startedByRun = new Set(starters.map((link) => link.of));
  for (const { of, trigger_run_id } of starters) found.push(graph.link(run(trigger_run_id), invocation(of), "trigger"));
  for (const { invocation_id, parent_invocation_id, parent_event_id } of definitions) {
    if (parent_invocation_id !== null)
      found.push(graph.link(invocation(parent_invocation_id), invocation(invocation_id), "call"));
    else if (parent_event_id !== null && !startedByRun.has(invocation_id)) {
      found.push(graph.link(event(parent_event_id), invocation(invocation_id), "parent_event"));
    }
  }
  for (const { event_id, emitted_by_invocation_id } of emitters) {
    if (emitted_by_invocation_id !== null)
      found.push(graph.link(invocation(emitted_by_invocation_id), event(event_id), "emit"));
  }
  for (const id of frontier.trigger_run) {
    const record = graph.runs.get(id);
    if (record === undefined) continue;
    for (const eventId of eventsOf(record)) found.push(graph.link(event(eventId), run(id), "event"));
    for (const source of sourcesOf(record)) {
      for (const kind of kindsOfSource(record, source)) found.push(graph.link(invocation(source), run(id), kind));
    }
  }
  return found;
}

async function loadRuns(reads: AppReads, graph: Graph, ids: readonly string[]): Promise<void> {
  const unknown = [...new Set(ids)].filter((id) => !graph.runs.has(id));
  if (unknown.length === 0) return;
  for (const record of await reads.trigger.triggerRunsByIds(unknown)) graph.runs.set(record.trigger_run_id, record);
}

async function described(reads: AppReads, graph: Graph, direction: TraceDirection): Promise<Trace> {
  const runIds = graph.ids("trigger_run");
  const [invocations, events] = await Promise.all([
    invocationRows(reads, graph.ids("invocation")),
    eventObjects(reads, graph.ids("event"), PAYLOAD_BYTES),
    loadRuns(reads, graph, runIds),
  ]);
  const trigger_runs = runIds.flatMap((id) => graph.runs.get(id) ?? []).map(triggerRunObject);
  return {
    focus_kind: graph.focus.kind,
    focus_id: graph.focus.id,
    direction,
    invocations,
    events,
    trigger_runs,
    edges: [...graph.edges.values()],
    depth: graph.depth,
    roots: graph.roots(),
    limit: graph.limit,
    truncated: graph.truncated,
    source_invocation_ids: [...new Set(trigger_runs.flatMap((r) => r.source_invocation_ids))],
    generated_invocation_ids: [...new Set(trigger_runs.flatMap((r) => r.triggered_invocation_id ?? []))],
  };
}
