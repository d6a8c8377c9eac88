/**
 * The family of an invocation as a tree: from the root cause down through calls, events and triggers. Levels are read in batches, each invocation
 * appears once, and nodes show how many children were left out.
 */

import type { FamilyEdgeKind, FamilyNode, FamilyTree } from "../../api/causes.ts";
import type { InvocationDetail } from "../../api/invocations.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { NotFoundError } from "../../errors.ts";
import { familyTreeInput } from "../../inputs/causes.ts";
import { at } from "../../inputs/common.ts";
import { statusInfo } from "../../pynenc/statuses.ts";
import { type EpochSeconds, epochFromIso, isoFromEpoch } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { durationMeaning, durationSoFar } from "../model/invocation-life.ts";
import { invocationRows, isStored } from "../model/invocation-rows.ts";
import { withFullIds } from "../model/resolve-ids.ts";
import { type Offspring, type Origin, offspringOf, originOf, type Relative } from "./family-links.ts";

export interface FamilyTreeInput {
  /** Levels from the root, and again from the focus. */
  depth: number;
  /** Limit of invocations, not counting those added by `expand`. */
  limit: number;
  /** Ids, split at commas; `Family.expand` rejoins ids that contain commas. */
  expand: string[];
}

const EXPANDED_DEPTH = 4;
const EXPANDED_LIMIT = 30;

/** Up to this number, the children of an invocation are counted exactly. */
const MIN_CHILDREN_READ = 200;

/** Limit of steps up from the focus, because a trigger that starts itself creates endless chains. */
const MAX_ANCESTORS = 24;

/** Like `parseFamilyInput`, with shortened ids. @throws InvalidInputError */
export async function readFamilyInput(app: OpenedApp, raw: RawInput): Promise<FamilyTreeInput> {
  return parseFamilyInput(await withFullIds(app, raw, { expand: ["invocation"] }));
}

/** `at` is accepted but was already applied to the app (as-of.ts). @throws InvalidInputError */
export function parseFamilyInput(raw: RawInput): FamilyTreeInput {
  const { at: _chosen, ...input } = parseInput({ ...familyTreeInput, at }, raw);
  return input;
}

/** @throws NotFoundError */
export function familyTree(app: OpenedApp, id: string, input: FamilyTreeInput): Promise<FamilyTree> {
  return app.store.read(async (reads) => {
    if (!(await invocationRows(reads, [id])).some(isStored)) throw new NotFoundError("invocation", id);
    const ancestry = await climb(reads, id, Math.min(MAX_ANCESTORS, input.limit - 1));
    const family = new Family(reads, ancestry.line, input);
    await family.growDefault();
    await family.expand(input.expand);
    await family.countLeftOut();
    const rows = await invocationRows(reads, family.ids());
    return described(family, ancestry, rows, input, app);
  });
}

/** The family for the panel of an invocation; null if nothing caused the invocation and it caused nothing. */
export async function invocationFamily(
  app: OpenedApp,
  detail: InvocationDetail,
  input: FamilyTreeInput,
): Promise<FamilyTree | null> {
  if (!mayHaveFamily(detail)) return null;
  const tree = await familyTree(app, detail.invocation_id, input);
  return tree.nodes.length === 1 && !tree.truncated ? null : tree;
}

/** Derived from data that the page has already read. */
function mayHaveFamily(detail: InvocationDetail): boolean {
  const { triggered_by, emitted_events, triggered_runs_caused } = detail;
  return (
    detail.parent !== null ||
    detail.children_count > 0 ||
    detail.parent_event_id !== null ||
    (triggered_by !== null && triggered_by.event_ids.length + triggered_by.source_invocation_ids.length > 0) ||
    detail.emitted_events_truncated ||
    emitted_events.some((event) => event.triggered_invocation_ids.length > 0) ||
    triggered_runs_caused.some((run) => run.triggered_invocation_id !== null)
  );
}

interface Ancestry {
  /** From the root to the focus; `kind` is how the previous one caused it. */
  line: { id: string; kind: FamilyEdgeKind | null }[];
  /** Origin of the first one in the line. */
  origin: Origin;
  /** The line leads back to itself. */
  cycle: boolean;
}

async function climb(reads: AppReads, id: string, limit: number): Promise<Ancestry> {
  const line: Ancestry["line"] = [{ id, kind: null }];
  const met = new Set([id]);
  for (;;) {
    const top = line[0] as (typeof line)[number];
    const origin = await originOf(reads, top.id);
    const { cause } = origin;
    if (cause === null || met.has(cause.id)) return { line, origin, cycle: cause !== null };
    if (line.length > limit) return { line, origin, cycle: false };
    met.add(cause.id);
    top.kind = cause.kind;
    line.unshift({ id: cause.id, kind: null });
  }
}

interface Member {
  id: string;
  parent: string | null;
  kind: FamilyEdgeKind | null;
  depth: number;
  /** Number of levels below it that may be shown. */
  levels: number;
  children: string[];
}

/** Builds the tree. Members keep their positions when more is loaded. */
class Family {
  readonly #reads: AppReads;
  readonly #members = new Map<string, Member>();
  readonly #known = new Map<string, Offspring>();
  readonly #line: Ancestry["line"];
  readonly #input: FamilyTreeInput;
  /** Children read per invocation: more than fit into the tree, so that omissions are detected. */
  readonly #each: number;
  readonly expanded: string[] = [];
  /** Ids to expand that are not in the tree. */
  unknownIds = 0;

  constructor(reads: AppReads, line: Ancestry["line"], input: FamilyTreeInput) {
    this.#reads = reads;
    this.#line = line;
    this.#input = input;
    this.#each = Math.max(MIN_CHILDREN_READ, input.limit + input.expand.length * EXPANDED_LIMIT);
    for (const [index, { id, kind }] of line.entries()) {
      this.#add({ id, kind: kind ?? "call" }, line[index - 1]?.id ?? null, 0);
    }
  }

  ids(): string[] {
    return [...this.#members.keys()];
  }

  member(id: string): Member {
    const member = this.#members.get(id);
    if (member === undefined) throw new Error(`${id} is not in the tree`);
    return member;
  }

  leftOut(id: string): { count: number; counted: boolean } {
    const { children, complete } = this.#known.get(id) ?? { children: [], complete: false };
    return { count: children.filter((child) => !this.#members.has(child.id)).length, counted: complete };
  }

  /** Adds the descendants of the focus first, with half of the remaining room, then those of the root. */
  async growDefault(): Promise<void> {
    const { depth, limit } = this.#input;
    const [root, focus] = [this.#line[0], this.#line.at(-1)];
    const room = () => limit - this.#members.size;
    if (focus !== undefined) await this.#grow(focus.id, depth - 1, Math.ceil(room() / 2));
    if (root !== undefined) await this.#grow(root.id, depth - 1, room());
  }

  /** Adds further levels and nodes below each expanded id. */
  async expand(pieces: readonly string[]): Promise<void> {
    for (let start = 0; start < pieces.length; ) {
      const { id, length } = this.#expandable(pieces.slice(start));
      start += length;
      if (id === null) {
        this.unknownIds++;
        continue;
      }
      this.expanded.push(id);
      await this.#grow(id, this.member(id).levels + EXPANDED_DEPTH, EXPANDED_LIMIT);
    }
  }

  /** Reads the children of all members, to know how many were left out. */
  countLeftOut(): Promise<void> {
    return this.#readOffspring(this.ids());
  }

  /** The longest prefix of the pieces that is an id in the tree, because an id may contain commas. */
  #expandable(pieces: readonly string[]): { id: string | null; length: number } {
    for (let length = pieces.length; length > 0; length--) {
      const id = pieces.slice(0, length).join(",");
      if (this.#members.has(id)) return { id, length };
    }
    return { id: null, length: 1 };
  }

  /** Adds missing descendants of a member, level by level. Returns the remaining room. */
  async #grow(from: string, levels: number, room: number): Promise<number> {
    this.#allow(from, levels);
    let left = room;
    for (let frontier = [from]; frontier.length > 0 && left > 0; ) {
      const open = frontier.filter((id) => this.member(id).levels > 0);
      await this.#readOffspring(open);
      frontier = [];
      for (const id of open) {
        for (const child of this.#known.get(id)?.children ?? []) {
          const below = this.member(id).levels - 1;
          if (!this.#members.has(child.id) && left > 0) {
            this.#add(child, id, below);
            left--;
          }
          if (this.#members.get(child.id)?.parent !== id) continue;
          this.#allow(child.id, below);
          frontier.push(child.id);
        }
      }
    }
    return left;
  }

  #allow(id: string, levels: number): void {
    const member = this.member(id);
    member.levels = Math.max(member.levels, levels);
  }

  #add({ id, kind }: Relative, parent: string | null, levels: number): void {
    const above = parent === null ? null : this.member(parent);
    above?.children.push(id);
    const depth = above === null ? 0 : above.depth + 1;
    this.#members.set(id, { id, parent, kind: above === null ? null : kind, depth, levels, children: [] });
  }

  async #readOffspring(ids: readonly string[]): Promise<void> {
    const unknown = ids.filter((id) => !this.#known.has(id));
    if (unknown.length === 0) return;
    for (const [id, offspring] of await offspringOf(this.#reads, unknown, this.#each)) this.#known.set(id, offspring);
  }
}

function described(
  family: Family,
  { line, origin, cycle }: Ancestry,
  rows: readonly InvocationRow[],
  input: FamilyTreeInput,
  { now: clock, past }: Pick<OpenedApp, "now" | "past">,
): FamilyTree {
  const now = clock();
  const [root_id, focus_id] = [line[0]?.id ?? "", line.at(-1)?.id ?? ""];
  const rowById = new Map(rows.map((row) => [row.invocation_id, row]));
  const nodes: FamilyNode[] = [];
  const open = [root_id];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const member = family.member(id);
    const row = rowById.get(id);
    if (row !== undefined) nodes.push(familyNode(row, member, family, id === focus_id, now));
    open.push(...byStart(member.children, rowById).reverse());
  }
  const above_id = cycle ? null : (origin.cause?.id ?? null);
  return {
    focus_id,
    root_id,
    nodes,
    levels: 1 + nodes.reduce((deepest, node) => Math.max(deepest, node.depth), 0),
    depth: input.depth,
    limit: input.limit,
    expand: family.expanded,
    can_expand: input.expand.length < familyTreeInput.expand.most,
    truncated: above_id !== null || nodes.some((node) => node.children_left_out > 0 || !node.children_counted),
    above_id,
    root_event:
      origin.cause === null && origin.event_id !== null
        ? { event_id: origin.event_id, event_code: origin.event_code }
        : null,
    root_trigger_run_id: origin.cause === null ? origin.trigger_run_id : null,
    at: past ? isoFromEpoch(now) : null,
    notes: notesOn(nodes, origin, cycle, family.unknownIds),
  };
}

function familyNode(
  row: InvocationRow,
  { depth, parent, kind }: Member,
  family: Family,
  focus: boolean,
  now: EpochSeconds,
): FamilyNode {
  const { invocation_id, task_id_key, status, status_source, final, registered_at } = row;
  const leftOut = family.leftOut(invocation_id);
  return {
    invocation_id,
    task_id_key,
    status,
    status_source,
    final,
    registered_at,
    duration_seconds: durationSoFar(
      {
        info: statusInfo(status),
        status_source,
        registeredAt: registered_at === null ? null : epochFromIso(registered_at),
        durationSeconds: row.duration_seconds,
      },
      now,
    ),
    duration_meaning: durationMeaning(status, row.duration_at_least),
    depth,
    parent_id: parent,
    edge_kind: kind,
    focus,
    children_left_out: leftOut.count,
    children_counted: leftOut.counted,
  };
}

/** ISO timestamps of one format sort by time as text. Members without a time come last; equal times are ordered by id. */
function byStart(ids: readonly string[], rows: ReadonlyMap<string, InvocationRow>): string[] {
  const key = (id: string) => `${rows.get(id)?.registered_at ?? "~"} ${id}`;
  return [...ids].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function notesOn(nodes: readonly FamilyNode[], origin: Origin, cycle: boolean, unknownIds: number): string[] {
  const notes: string[] = [];
  if (cycle) notes.push("The topmost invocations name each other as their cause; the tree starts at one of them.");
  const missing = nodes.filter((node) => node.status_source === "none" && node.task_id_key === null).length;
  if (missing > 0) {
    notes.push(`${missing === 1 ? "One invocation is" : `${missing} invocations are`} referred to but not stored.`);
  }
  if (origin.cause === null && origin.event_id !== null && origin.event_code === null) {
    notes.push("The event that started the first invocation is not stored.");
  }
  if (nodes.some((node) => !node.children_counted && node.children_left_out === 0)) {
    notes.push(
      "Some invocations emitted more events or took part in more trigger runs than are followed: they may have more children.",
    );
  }
  if (unknownIds > 0) {
    notes.push(`${unknownIds === 1 ? "One id to expand is" : `${unknownIds} ids to expand are`} not in the tree.`);
  }
  return notes;
}
