/** `monitor invocations --follow`: each status change as it is written, none lost or repeated. */
import type { FollowedStatus } from "../../api/wait.ts";
import { InvalidInputError } from "../../errors.ts";
import { hasRole } from "../../pynenc/history-roles.ts";
import { counted } from "../../pynenc/numbers.ts";
import type { HistoryRecord } from "../../pynenc/records.ts";
import { type EpochSeconds, isoFromEpoch } from "../../pynenc/time.ts";
import type { Cursor } from "../../stores/ports/common.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { type FollowClock, type Followed, following, Seen } from "../app/following.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { InvocationFilter } from "../model/filter-type.ts";
import { type Candidate, meetingAll } from "../model/invocation-conditions.ts";
import { meetsFilter } from "../model/invocation-filter.ts";

/** Entries read per step. */
const STRETCH = 2_000;

/** Late entries, from hosts whose clock is behind, are found if they are within this many seconds and this many entries of the newest one. */
const LATE_SECONDS = 120;
const LATE_ENTRIES = 50_000;

/**
 * Status changes of the invocations that meet the filter, from now on, in the order they were written. Statuses and runners in the filter apply to the
 * change; everything else applies to the invocation at that time.
 *
 * @throws InvalidInputError for a filter with a range of time; StoreUnreachableError
 */
export function followInvocations(
  app: OpenedApp,
  filter: InvocationFilter,
  clock: FollowClock,
): AsyncGenerator<Followed<FollowedStatus>> {
  for (const [parameter, value] of [
    ["from", filter.from],
    ["to", filter.to],
    ["status_mode", filter.status_mode === "history" ? filter.status_mode : null],
  ] as const) {
    if (value === null) continue;
    throw new InvalidInputError([
      {
        parameter,
        value: typeof value === "number" ? isoFromEpoch(value) : value,
        accepted: "not with --follow, which starts now",
      },
    ]);
  }
  const changes = new HistoryFollower();
  return following(app, clock, () =>
    app.store.read(async (reads) => {
      const { rows, ...found } = await changes.next(reads);
      return { ...found, rows: await followedStatuses(reads, filter, rows) };
    }),
  );
}

class HistoryFollower {
  #cursor: Cursor | null = null;
  /** When the newest entry was written. */
  #newest: EpochSeconds = Number.NEGATIVE_INFINITY;
  /** Entries that were inserted before the cursor and have not been read yet. */
  #late = 0;
  readonly #seen = new Seen(2 * LATE_ENTRIES);

  async next(reads: AppReads): Promise<Followed<HistoryRecord>> {
    if (this.#cursor === null) {
      this.#cursor = await this.#start(reads);
      return { rows: [], notes: [] };
    }
    const stretch = await reads.state_backend.historyFrom(this.#cursor, "newer", STRETCH);
    if (stretch.lost) return this.#restart(reads);
    this.#cursor = stretch.cursor;
    this.#late += stretch.late;
    const rows = this.#unseen(stretch.entries);
    if (!stretch.exhausted) return { rows, notes: [], more: true };
    if (this.#late === 0) return { rows, notes: [] };
    const found = this.#unseen(await this.#recent(reads));
    const missing = this.#late - found.length;
    this.#late = 0;
    const notes =
      missing <= 0
        ? []
        : [
            `${counted(missing, "status change")} not printed: dated more than ${LATE_SECONDS} s ago by a host whose clock is behind.`,
          ];
    return { rows: [...rows, ...found], notes };
  }

  /** Marks existing entries as seen, so that they are not mistaken for late ones. */
  async #start(reads: AppReads): Promise<Cursor> {
    this.#newest = (await reads.state_backend.historySpan())?.last ?? Number.NEGATIVE_INFINITY;
    this.#unseen(await this.#recent(reads));
    return reads.state_backend.historyEnd();
  }

  /** After a purge, all stored entries are new. But if the store was replaced by another one, they are not. */
  async #restart(reads: AppReads): Promise<Followed<HistoryRecord>> {
    this.#cursor = await reads.state_backend.historyEnd();
    this.#late = 0;
    const first = (await reads.state_backend.historySpan())?.first;
    if (first !== undefined && first <= this.#newest) {
      this.#cursor = await this.#start(reads);
      return { rows: [], notes: ["The history was replaced. Following continues from its end."] };
    }
    const rows = await reads.state_backend.historyBetween({}, LATE_ENTRIES, "latest");
    return {
      rows: this.#unseen(rows),
      notes: ["The history was purged. Following continues with entries written since."],
    };
  }

  async #recent(reads: AppReads): Promise<HistoryRecord[]> {
    if (this.#newest === Number.NEGATIVE_INFINITY) return [];
    return reads.state_backend.historyBetween({ from: this.#newest - LATE_SECONDS }, LATE_ENTRIES, "latest");
  }

  #unseen(entries: readonly HistoryRecord[]): HistoryRecord[] {
    return entries.filter((entry) => {
      this.#newest = Math.max(this.#newest, entry.written_at);
      const { invocation_id, written_at, timestamp, status, runner_context_id } = entry;
      return this.#seen.add(`${invocation_id} ${written_at} ${timestamp} ${status} ${runner_context_id}`);
    });
  }
}

async function followedStatuses(
  reads: AppReads,
  filter: InvocationFilter,
  entries: readonly HistoryRecord[],
): Promise<FollowedStatus[]> {
  const { statuses, runner_id, registered_by, invocation_ids, conditions } = filter;
  const matching = entries.filter(
    (entry) =>
      (statuses.length === 0 || statuses.includes(entry.status)) &&
      (invocation_ids.length === 0 || invocation_ids.includes(entry.invocation_id)) &&
      (runner_id === null || hasRole(entry, { runner_id, role: "worker" })) &&
      (registered_by === null || hasRole(entry, { runner_id: registered_by, role: "registrar" })),
  );
  if (matching.length === 0) return [];
  const ids = [...new Set(matching.map((entry) => entry.invocation_id))];
  const [stored, definitions] = await Promise.all([
    reads.orchestrator.statusesByIds(ids),
    reads.state_backend.invocationsByIds(ids),
  ]);
  const statusOf = new Map(stored.map((row) => [row.invocation_id, row]));
  const definitionOf = new Map(definitions.map((row) => [row.invocation_id, row]));
  const candidates = matching.map((entry): Candidate & { entry: HistoryRecord } => {
    const { invocation_id, status: word } = entry;
    return {
      entry,
      invocation_id,
      word,
      status: statusOf.get(invocation_id),
      definition: definitionOf.get(invocation_id),
    };
  });
  const among = candidates.filter((one) => meetsFilter(filter, one.invocation_id, one.status, one.definition));
  const met = new Set<Candidate>(await meetingAll(reads, conditions, among));
  return among.flatMap((one) => {
    if (!met.has(one)) return [];
    const { invocation_id, status, timestamp, written_at, status_runner_id, runner_context_id } = one.entry;
    return {
      invocation_id,
      task_id_key: (one.status ?? one.definition)?.task_id_key ?? null,
      status,
      timestamp: isoFromEpoch(timestamp),
      written_at: isoFromEpoch(written_at),
      // For a registration, the stored runner is the one that registered it, which is not an owner.
      owner_runner_id: status === "registered" ? null : status_runner_id,
      runner_id: runner_context_id,
    };
  });
}
