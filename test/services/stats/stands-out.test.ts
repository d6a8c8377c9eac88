import { expect, test } from "vitest";
import { standingOut, type Traits } from "../../../src/services/stats/stands-out.ts";
import { cases } from "../../support/cases.ts";

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** An invocation with arguments of few values, of many, one that is unique, and a runner. */
function traits(next: () => number, id: number): Traits {
  return new Map([
    ["=region", next() < 0.6 ? '"eu"' : '"us"'],
    ["=plan", `"p${Math.floor(next() * 5)}"`],
    ["=amount", String(Math.floor(next() * 30))],
    ["=order", `"O-${id}"`],
    ["=mode", '"live"'],
    ["runner", `r${Math.floor(next() * 4)}`],
  ]);
}

test("nothing stands out between two random halves of the same invocations", () => {
  let shown = 0;
  for (let seed = 1; seed <= cases(1_000); seed++) {
    const next = random(seed * 7_919);
    const rows = Array.from({ length: 60 }, (_, id) => traits(next, id));
    if (standingOut(rows.slice(0, 20), rows.slice(20)).length > 0) shown++;
  }
  // One of a thousand may.
  expect(shown).toBeLessThanOrEqual(cases(3));
});

test("a trait that is more frequent in failures than in successes stands out, and one of both does not", () => {
  const next = random(5);
  const failures = Array.from({ length: 20 }, (_, id) => new Map([...traits(next, id), ["=plan", '"trial"']]));
  const successes = Array.from({ length: 40 }, (_, id) => traits(next, 100 + id));
  expect(standingOut(failures, successes)).toEqual([{ trait: "=plan", value: '"trial"', failures: 20, successes: 0 }]);
  // The other way round: what only successes have explains no failure.
  expect(standingOut(successes, failures).map(({ value }) => value)).not.toContain('"trial"');
  expect(standingOut(failures, [])).toEqual([]);
  expect(standingOut([], successes)).toEqual([]);
});

test("nothing stands out in only two failures", () => {
  const with_trait: Traits = new Map([["=plan", '"trial"']]);
  const without: Traits = new Map([["=plan", '"paid"']]);
  expect(standingOut([with_trait, with_trait], Array(3).fill(without))).toEqual([]);
});
