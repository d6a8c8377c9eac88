/** What each task finished in the last hour, for the list of tasks. */
import type { Trends } from "../../api/stats.ts";
import { StoreUnreachableError } from "../../errors.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import { type OpenedApp, within } from "../app/opened-app.ts";
import { lengthOf } from "../input/moment.ts";
import { STATS_LENGTH } from "./stats-range.ts";

/** Milliseconds that a list waits: it is of use without. */
const PATIENCE = 200;

/** Of two minutes each: an hour that begins within a minute touches 61 of them. */
const SLICES = 31;

/** Null where figures over time are switched off, and while the last hour has not been read. */
export async function trends(app: OpenedApp, tasks: readonly string[]): Promise<Trends | null> {
  if (app.rollups === null) return null;
  const to = app.now();
  const span = { from: to - (lengthOf(STATS_LENGTH) ?? 0), to };
  const answer = await within(PATIENCE, app.rollups.trends(span, SLICES, tasks)).catch(ifUnreachable);
  if (answer?.complete !== true) return null;
  return {
    from: isoFromEpoch(answer.span.from),
    to: isoFromEpoch(answer.span.to),
    slice_seconds: answer.slice,
    rows: answer.rows,
  };
}

/** What else the page shows tells what is wrong with the store. */
export function ifUnreachable(error: unknown): null {
  if (error instanceof StoreUnreachableError) return null;
  throw error;
}
