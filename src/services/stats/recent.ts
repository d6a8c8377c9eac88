/** What happened in a range of time, for a page that shows other things too. */
import type { Dashboard } from "../../api/health.ts";
import type { Recent, Stats } from "../../api/stats.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import { ifUnreachable, type OpenedApp, within } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { TIME_BOUNDS } from "../input/time-bounds.ts";
import { failures } from "./failures.ts";
import { stats } from "./stats.ts";
import { requestedSpan } from "./stats-range.ts";

/** Milliseconds that a page waits while the history of its range is still being read. */
const PATIENCE = 1_000;

const STILL_READING = "What happened in this range has not been read from the history yet.";

/** Of tasks and groups of failures: how many, and the order of tasks. */
export interface RecentRows {
  limit?: number;
  sort?: Stats["filter"]["sort"];
}

const ROWS = 5;

/**
 * The figures of a range, the tasks that failed most in it and the most frequent failures. Null where figures over time are switched off, and
 * while reading the range takes longer than a page waits.
 *
 * @param raw may have `from`, `to` and `range`; the last hour unless it has.
 * @throws InvalidInputError
 */
export async function recent(
  app: OpenedApp,
  range: RawInput,
  rows: RecentRows = {},
): Promise<Pick<Dashboard, "range" | "recent" | "recent_note">> {
  const { from, to } = requestedSpan(parseInput(TIME_BOUNDS, range), range, app.now());
  const shown = { from: isoFromEpoch(from), to: isoFromEpoch(to) };
  const found = app.rollups === null ? null : await happened(app, range, rows).catch(ifUnreachable);
  if (found !== null) return { range: { from: found.from, to: found.to }, recent: found, recent_note: null };
  return { range: shown, recent: null, recent_note: app.rollups === null ? null : STILL_READING };
}

async function happened(
  app: OpenedApp,
  range: RawInput,
  { limit = ROWS, sort = "failed" }: RecentRows,
): Promise<Recent | null> {
  const raw = { ...range, limit: [String(limit)] };
  const answer = await within(PATIENCE, Promise.all([stats(app, { ...raw, sort: [sort] }), failures(app, raw, 0)]));
  if (answer === null) return null;
  const [figures, failed] = answer;
  const { from, to, complete, newest, notes, entries, total, slice_seconds, slices } = figures;
  const tasks = figures.rows.flatMap((row) => ("exception" in row ? [] : [row]));
  const { groups, groups_total } = failed;
  return { from, to, complete, newest, notes, entries, total, slice_seconds, slices, tasks, groups, groups_total };
}
