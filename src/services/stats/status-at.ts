/** How many invocations were in each status at an instant in the past, derived from the status history alone. */

import type { StatusAt } from "../../api/health.ts";
import { at as atInstant } from "../../inputs/common.ts";
import { required } from "../../inputs/parameter.ts";
import { counted } from "../../pynenc/numbers.ts";
import { STATUSES } from "../../pynenc/statuses.ts";
import { type EpochSeconds, isoFromEpoch } from "../../pynenc/time.ts";
import { HOUR, MINUTE } from "../../rollups/buckets.ts";
import { ENTERED_WORDS } from "../../rollups/slots.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { ifUnreachable, type OpenedApp } from "../app/opened-app.ts";
import type { RawInput } from "../input/input.ts";
import { parseInput } from "../input/input.ts";
import { instantOf } from "../input/time-bounds.ts";
import { statusMoves } from "../model/status-moves.ts";

/** Maximum number of entries between the last full minute or hour and the instant. */
const MAX_ENTRIES = 50_000;

/** Counts all unknown statuses together. */
const OTHER = ENTERED_WORDS.at(-1) ?? "";

/** Only known for the present. What waited and which runners were there follow from the history (queue-at.ts, runners-at.ts). */
const NOT_KNOWN = [
  "in which queue and with which priority a message waited",
  "heartbeats between the first and the last of a runner",
  "what looked wrong",
];

/**
 * @param raw has `at`.
 * @param patience maximum milliseconds for reading the history; chosen by the answering side if absent.
 * @throws InvalidInputError also for an instant in the future.
 */
export async function statusAt(app: OpenedApp, raw: RawInput, patience?: number): Promise<StatusAt> {
  const at = instantOf(parseInput({ at: required(atInstant) }, raw).at, raw, app.now());
  const found = await countsAt(app, at, patience);
  const known = "counts" in found ? found.counts : null;
  const others = Object.entries(known ?? {}).flatMap(([word, count]) => (count === 0 ? [] : [word]));
  const words = [...STATUSES.map(({ name }) => name), ...others.sort()];
  const statuses = known && Object.fromEntries([...new Set(words)].map((word) => [word, known[word] ?? 0]));
  return {
    app_id: app.app_id,
    location: app.store.location,
    at: isoFromEpoch(at),
    invocations: statuses && Object.values(statuses).reduce((sum, count) => sum + count, 0),
    statuses,
    why_not: "counts" in found ? null : found.why_not,
    not_known: NOT_KNOWN,
  };
}

/** Counts by status, or the reason why they are not known. */
type Found = { counts: Record<string, number> } | { why_not: string };

/** Starts from the figures at the last full minute (or hour, if older than two days) and applies the changes since then. */
async function countsAt(app: OpenedApp, at: EpochSeconds, patience?: number): Promise<Found> {
  if (app.rollups === null) return { why_not: "figures over time are switched off" };
  for (const length of [MINUTE, HOUR]) {
    const begin = Math.floor(at / length) * length;
    const requested = { from: begin - length, to: begin, whole: true, ...(patience === undefined ? {} : { patience }) };
    const answer = await app.rollups.series(requested, 1).catch(ifUnreachable);
    if (answer === null) return { why_not: "the history cannot be read" };
    // This time is counted by the hour.
    if (answer.span.to !== begin) continue;
    const { reach, slices } = answer;
    if (reach.purged_at !== null) return { why_not: "part of the history was purged" };
    const counts = slices.at(-1)?.at_end ?? null;
    if (counts === null || (reach.until ?? 0) < begin) return { why_not: "the history is still being read" };
    return app.store.read((reads) => movedOn(reads, counts, begin, at));
  }
  return { why_not: "the history is still being read" };
}

async function movedOn(
  reads: AppReads,
  counts: Readonly<Record<string, number>>,
  begin: EpochSeconds,
  at: EpochSeconds,
): Promise<Found> {
  const moves = await statusMoves(reads, { from: begin, to: at }, MAX_ENTRIES);
  if (moves === null) {
    return { why_not: `more than ${counted(MAX_ENTRIES, "status change")} happened in the hour before` };
  }
  const moved = new Map(Object.entries(counts));
  const move = (status: string, by: number) => {
    const word = ENTERED_WORDS.includes(status) ? status : OTHER;
    moved.set(word, (moved.get(word) ?? 0) + by);
  };
  for (const { before, after = OTHER } of moves) {
    if (before !== undefined) move(before, -1);
    move(after, 1);
  }
  return { counts: Object.fromEntries(moved) };
}
