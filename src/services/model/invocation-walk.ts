import { hasRole, type RunnerRole } from "../../pynenc/history-roles.ts";
import { invocationIdOf } from "../../pynenc/keys.ts";
import type { HistoryRecord, InvocationStatusRecord } from "../../pynenc/records.ts";
import { UNKNOWN_STATUS } from "../../pynenc/statuses.ts";
import type { Cursor } from "../../stores/ports/common.ts";
import type { StatusFilter } from "../../stores/ports/orchestrator.ts";
import type { ListedScan } from "../../stores/ports/state-backend.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { Inventory } from "../app/inventory.ts";
import type { InvocationFilter } from "./filter-type.ts";
import { type Candidate, type ConditionField, meetingAll } from "./invocation-conditions.ts";
import { isLedByStatus, isStatusFilterOnly, meetsFilter, needsHistory } from "./invocation-filter.ts";
import { lifeOf } from "./invocation-life.ts";
import { invocationsAfter } from "./listed-invocations.ts";

/** Batch sizes. A batch has about the requested size, so that a page of 50 does not fetch 500. */
const SMALLEST_BATCH = 50;
const LARGEST_BATCH = 500;

/** History entries scanned per call when a time window or a runner leads. */
const HISTORY_SCAN = 50_000;

/** Fields of conditions that depend on the status. */
const BY_STATUS: readonly ConditionField[] = ["status", "is", "exception", "error", "has"];

/** Fields that only failed invocations can meet. */
const BY_FAILURE: readonly ConditionField[] = ["exception", "error"];

/** Definitions scanned per call when a workflow leads. */
const DEFINITION_SCAN = 50_000;

/** Progress of a walk: number of candidates scanned so far, and of matches among them. */
export type WalkProgress = (scanned: number, found: number) => void;

/** A match and the cursor after it. */
interface Met {
  invocation_id: string;
  cursor: Cursor;
}

interface Batch {
  rows: Met[];
  /** Entries scanned to find the rows. */
  scanned: number;
  /** Cursor to continue from; null at the end. */
  next: Cursor | null;
}

/** @param most candidates to scan, of a filter whose store has no index for it. */
type Lead = (reads: AppReads, size: number, after: Cursor | undefined, most: number) => Promise<Batch>;

/**
 * Walks the invocations that meet a filter, newest first. Each call of `next` may run in its own snapshot. An index of the store leads, and the
 * other restrictions are checked in batches.
 */
export class InvocationWalk {
  readonly #filter: InvocationFilter;
  readonly #lead: Lead;
  /** Set if the inventory leads the walk. */
  #inventory: (() => Inventory) | null = null;
  #after: Cursor | undefined;
  #done = false;
  /** Matches found beyond the count requested by the last call. */
  #spare: Met[] = [];
  #scanned = 0;

  /**
   * @param inventory called at each step of a filter by status, task, call or id; never for others.
   * @param after a cursor of an earlier walk with this filter.
   */
  constructor(filter: InvocationFilter, inventory: () => Inventory, after?: Cursor) {
    this.#filter = filter;
    this.#after = after;
    this.#lead = this.#chooseLead(inventory);
    // A condition with no accepted values matches nothing, so skip the walk.
    this.#done = filter.conditions.some(({ values, negated }) => values.length === 0 && !negated);
  }

  /** There are no further matches. */
  get done(): boolean {
    return this.#done && this.#spare.length === 0;
  }

  /** Some matches may be missing: the store was just opened and is still being scanned for invocations without a status. */
  get incomplete(): boolean {
    return this.#inventory !== null && !this.#inventory().forgotten.complete;
  }

  /** Candidates or history entries scanned so far. */
  get scanned(): number {
    return this.#scanned;
  }

  /** Cursor to continue from after an early stop; null before the first step. */
  get cursor(): Cursor | null {
    return this.#after ?? null;
  }

  /** The next matches, at most `count`. Stops early after scanning `scanLimit` candidates; `done` is true at the end. */
  async next(reads: AppReads, count: number, scanLimit: number, onProgress?: WalkProgress): Promise<string[]> {
    return (await this.nextWithCursors(reads, count, scanLimit, onProgress)).map(invocationIdOf);
  }

  /** As `next`, with the cursor after each match. */
  async nextWithCursors(reads: AppReads, count: number, scanLimit: number, onProgress?: WalkProgress): Promise<Met[]> {
    const matches = this.#spare.splice(0);
    const until = this.#scanned + scanLimit;
    while (matches.length < count && !this.#done && this.#scanned < until) {
      const size = Math.min(LARGEST_BATCH, Math.max(SMALLEST_BATCH, count - matches.length));
      const batch = await this.#lead(reads, size, this.#after, until - this.#scanned);
      this.#scanned += batch.scanned;
      if (batch.next === null) this.#done = true;
      else this.#after = batch.next;
      const meeting = new Set(await this.#check(reads, batch.rows.map(invocationIdOf)));
      matches.push(...batch.rows.filter((row) => meeting.has(row.invocation_id)));
      onProgress?.(this.#scanned, matches.length);
    }
    this.#spare = matches.splice(count);
    return matches;
  }

  #chooseLead(inventory: () => Inventory): Lead {
    const filter = this.#filter;
    if (filter.invocation_ids.length > 0) {
      const ids = filter.invocation_ids;
      return async (_reads, _size, after) => {
        const rows = ids.map((invocation_id, at) => ({ invocation_id, cursor: String(at + 1) }));
        return { rows: rows.slice(Math.max(0, Number(after ?? 0))), scanned: ids.length, next: null };
      };
    }
    if (isLedByStatus(filter)) {
      const wanted = leadingStatuses(filter);
      this.#inventory = inventory;
      return async (reads, size, after, most) => {
        const { invocation_ids, cursors, next, scanned } = await invocationsAfter(
          reads,
          inventory(),
          wanted,
          size,
          after,
          most,
        );
        const rows = invocation_ids.map((invocation_id, at) => ({ invocation_id, cursor: cursors[at] ?? "" }));
        return { rows, scanned, next };
      };
    }
    const [by = null] = rolesIn(filter);
    const defined = filter.workflow_id ?? filter.workflow_type_key;
    const timed = (filter.from ?? filter.to ?? by) !== null || (needsHistory(filter) && defined === null);
    if (filter.parent_invocation_id === null && timed) {
      return async (reads, size, after) => {
        const entries = given({ from: filter.from, to: filter.to, by });
        return batchOf(await reads.state_backend.listActive(entries, size, HISTORY_SCAN, after));
      };
    }
    return async (reads, size, after) => {
      const { workflow_id, workflow_type_key, parent_invocation_id } = filter;
      const definition = given({ workflow_id, workflow_type_key, parent_invocation_id });
      return batchOf(await reads.state_backend.scanDefined(definition, size, DEFINITION_SCAN, after));
    };
  }

  /** The candidates that meet the full filter, in order. Rechecking what the lead has already checked is cheap. */
  async #check(reads: AppReads, ids: string[]): Promise<string[]> {
    const filter = this.#filter;
    if (ids.length === 0 || (isStatusFilterOnly(filter) && filter.invocation_ids.length === 0)) return ids;
    const [statuses, definitions, active] = await Promise.all([
      reads.orchestrator.statusesByIds(ids),
      reads.state_backend.invocationsByIds(ids),
      this.#activeAmong(reads, ids),
    ]);
    const statusById = new Map(statuses.map((row) => [row.invocation_id, row]));
    const words = await this.#wordsOf(reads, ids, statusById);
    const definitionById = new Map(definitions.map((row) => [row.invocation_id, row]));
    const known = (id: string) => statusById.has(id) || definitionById.has(id);
    const meeting = ids.filter(
      (id) =>
        known(id) &&
        active.has(id) &&
        (needsHistory(filter) || filter.statuses.length === 0 || filter.statuses.includes(words.get(id) ?? "")) &&
        meetsFilter(filter, id, statusById.get(id), definitionById.get(id)),
    );
    if (filter.conditions.length === 0) return meeting;
    const candidates = meeting.map((id): Candidate => {
      const [status, definition] = [statusById.get(id), definitionById.get(id)];
      return { invocation_id: id, status, definition, word: words.get(id) ?? UNKNOWN_STATUS };
    });
    return (await meetingAll(reads, filter.conditions, candidates)).map(invocationIdOf);
  }

  /** Statuses by id; empty if the filter does not need them. */
  async #wordsOf(
    reads: AppReads,
    ids: string[],
    kept: ReadonlyMap<string, InvocationStatusRecord>,
  ): Promise<ReadonlyMap<string, string>> {
    const { statuses, conditions } = this.#filter;
    const byStatus = statuses.length > 0 && !needsHistory(this.#filter);
    if (!byStatus && !conditions.some(({ field }) => BY_STATUS.includes(field))) return new Map();
    const spans = await reads.state_backend.historySpanOf(ids.filter((id) => !kept.has(id)));
    const spanById = new Map(spans.map((span) => [span.invocation_id, span]));
    return new Map(ids.map((id) => [id, lifeOf(kept.get(id), spanById.get(id)).status]));
  }

  /** Checks time window, runners and former statuses in the histories of the candidates, unless the lead has already done so. */
  async #activeAmong(reads: AppReads, ids: string[]): Promise<ReadonlySet<string>> {
    const { statuses, from, to, parent_invocation_id, invocation_ids } = this.#filter;
    const roles = rolesIn(this.#filter);
    const had = needsHistory(this.#filter);
    const unrestricted = from === null && to === null && roles.length === 0 && !had;
    const ledByHistory = parent_invocation_id === null && invocation_ids.length === 0;
    if (unrestricted || (ledByHistory && roles.length < 2 && !had)) return new Set(ids);
    const history = await reads.state_backend.historyOf(ids, HISTORY_SCAN);
    const inWindow = history.filter(
      (entry) =>
        entry.written_at >= (from ?? Number.NEGATIVE_INFINITY) && entry.written_at <= (to ?? Number.POSITIVE_INFINITY),
    );
    const having = (role: RunnerRole) =>
      new Set(inWindow.flatMap((entry) => (hasRole(entry, role) ? [entry.invocation_id] : [])));
    const those = (entries: readonly HistoryRecord[]) => new Set(entries.map(invocationIdOf));
    const sets = roles.length === 0 ? [those(inWindow)] : roles.map(having);
    if (had) sets.push(those(inWindow.filter((entry) => statuses.includes(entry.status))));
    return new Set(ids.filter((id) => sets.every((set) => set.has(id))));
  }
}

/** For filters that restrict the time, the runner or the ids, which never need the inventory. */
export function noInventory(): never {
  throw new Error("a walk by status needs an inventory");
}

/** The roles that runners must have had; the first one leads. */
function rolesIn({ runner_id, registered_by }: InvocationFilter): RunnerRole[] {
  return [
    ...(runner_id === null ? [] : [{ runner_id, role: "worker" as const }]),
    ...(registered_by === null ? [] : [{ runner_id: registered_by, role: "registrar" as const }]),
  ];
}

/** The filter for the status index. Only exceptions of failed invocations count, so a search for an exception can skip the others. */
export function leadingStatuses(filter: InvocationFilter): StatusFilter {
  const failed = filter.conditions.some(({ field, negated }) => BY_FAILURE.includes(field) && !negated);
  return statusFilterOf(failed && filter.statuses.length === 0 ? { ...filter, statuses: ["failed"] } : filter);
}

export function statusFilterOf(filter: InvocationFilter): StatusFilter {
  const { task_id_key, call_id_key, id_prefix } = filter;
  const statuses = filter.statuses.length > 0 ? filter.statuses : null;
  return given({ statuses, task_id_key, call_id_key, id_prefix });
}

/** Drops null members, because for ports an absent member means "any". */
function given<Members extends Record<string, unknown>>(
  members: Members,
): { [Name in keyof Members]?: NonNullable<Members[Name]> } {
  const present = Object.entries(members).filter(([, value]) => value !== null);
  return Object.fromEntries(present) as { [Name in keyof Members]?: NonNullable<Members[Name]> };
}

function batchOf({ rows, scanned, exhausted, last_cursor }: ListedScan): Batch {
  const met = rows.map(({ invocation_id, cursor }) => ({ invocation_id, cursor }));
  return { rows: met, scanned, next: exhausted ? null : last_cursor };
}
