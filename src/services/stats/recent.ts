/** What happened in a time range, for pages that also show other things. */

import type { Dashboard } from "../../api/health.ts";
import type { Recent, Stats, StatsFigures } from "../../api/stats.ts";
import { TIME_RANGE } from "../../inputs/common.ts";
import { epochFromIso, isoFromEpoch } from "../../pynenc/time.ts";
import { ifUnreachable, type OpenedApp, within } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { failures } from "./failures.ts";
import { stats, totalOf } from "./stats.ts";
import { PAGE_PATIENCE, requestedSpan, STILL_READING, storedHistory } from "./stats-range.ts";

/** Number of tasks and of failure groups, and the order of tasks. */
export interface RecentRows {
  limit?: number;
  sort?: Stats["filter"]["sort"];
}

const ROWS = 5;

/**
 * The figures of a range, its most failing tasks and its most frequent failures. Null if figures over time are switched off, or if reading the range
 * takes longer than a page waits.
 *
 * @param raw optional `from`, `to` and `range`; the default is the last hour.
 * @throws InvalidInputError
 */
export async function recent(
  app: OpenedApp,
  range: RawInput,
  rows: RecentRows = {},
): Promise<Pick<Dashboard, "range" | "recent" | "recent_note">> {
  const { from, to } = requestedSpan(parseInput(TIME_RANGE, range), range, app.now());
  const requested = { from: isoFromEpoch(from), to: isoFromEpoch(to) };
  const found = app.rollups === null ? null : await happened(app, range, rows).catch(ifUnreachable);
  if (found !== null) return { range: { from: found.from, to: found.to }, recent: found, recent_note: null };
  return { range: requested, recent: null, recent_note: app.rollups === null ? null : STILL_READING };
}

/** The figures of as long a time just before the range. Null unless all of it has been read already: nothing waits for it. */
export async function figuresBefore(
  app: OpenedApp,
  { range, recent: found }: Pick<Dashboard, "range" | "recent">,
): Promise<StatsFigures | null> {
  if (app.rollups === null || found === null || found.entries === 0) return null;
  const [from, to] = [epochFromIso(range.from) ?? 0, epochFromIso(range.to) ?? 0];
  const span = { from: from - (to - from), to: from };
  const stored = await storedHistory(app).catch(ifUnreachable);
  if (stored === null || stored.first > span.from) return null;
  const { answered, figures } = await totalOf(app.rollups, { ...span, patience: 0 }, {}, app.now());
  const { complete, reach } = answered;
  return complete && (reach.purged_at === null || reach.purged_at <= span.from) ? figures : null;
}

async function happened(
  app: OpenedApp,
  range: RawInput,
  { limit = ROWS, sort = "failed" }: RecentRows,
): Promise<Recent | null> {
  const raw = { ...range, limit: [String(limit)] };
  const answer = await within(
    PAGE_PATIENCE,
    Promise.all([stats(app, { ...raw, sort: [sort] }), failures(app, raw, 0)]),
  );
  if (answer === null) return null;
  const [figures, failed] = answer;
  const { from, to, complete, newest, notes, entries, total, slice_seconds, slices } = figures;
  const tasks = figures.rows.flatMap((row) => ("exception" in row ? [] : [row]));
  const { groups, groups_failed } = failed;
  return { from, to, complete, newest, notes, entries, total, slice_seconds, slices, tasks, groups, groups_failed };
}
