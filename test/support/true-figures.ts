/** What a follower says is complete, compared with a follower that has just read everything. */
import { expect } from "vitest";
import type { TimeSpan } from "../../src/rollups/buckets.ts";
import { rollupAnswers } from "../../src/rollups/reads.ts";
import { Follower } from "../../src/services/rollups/follower.ts";
import type { AppStore } from "../../src/stores/ports/store.ts";

export async function caughtUp(follower: Follower): Promise<Follower> {
  while (await follower.step()) {}
  return follower;
}

export function fresh(store: AppStore, now: () => number): Promise<Follower> {
  return caughtUp(new Follower(store, now));
}

/** All that pages show, in an order of its own: that of members is the order in which they were met. */
export function everythingOf(follower: Follower, span: TimeSpan) {
  const { series, failures } = rollupAnswers(follower);
  return {
    slices: series(span, 60).slices,
    groups: failures(span, 60)
      .groups.map(({ examples, ...group }) => ({
        ...group,
        examples: examples.map((one) => JSON.stringify(one)).sort(),
      }))
      .sort(byText),
  };
}

/** @returns how many of these spans are said to be complete: their figures are true. */
export function expectTrueWhereComplete(follower: Follower, truth: Follower, spans: readonly TimeSpan[]): number {
  const complete = spans.filter((span) => rollupAnswers(follower).rows(span, "task").complete);
  for (const span of complete) {
    expect(figuresOf(follower, span)).toEqual(figuresOf(truth, span));
    // It is known when everything is.
    if (follower.reach.whole) expect(occupancyOf(follower, span)).toEqual(occupancyOf(truth, span));
  }
  return complete.length;
}

/** Without sums of seconds, which depend on the order of counting in the last digits. */
function figuresOf(follower: Follower, span: TimeSpan) {
  const { rows, failures } = rollupAnswers(follower);
  const groups = failures(span, 10).groups.map(({ task_id_key, type, failed, retries }) => [
    task_id_key,
    type,
    failed,
    retries,
  ]);
  return {
    rows: (["task", "runner"] as const).map((by) =>
      rows(span, by)
        .rows.map(({ name, entered, started, wait, run }) => ({ name, entered, started, wait, run }))
        .sort(byText),
    ),
    groups: groups.sort(byText),
  };
}

function occupancyOf(follower: Follower, span: TimeSpan) {
  return rollupAnswers(follower).occupancy(span, 3_600, 10).rows?.sort(byText);
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
