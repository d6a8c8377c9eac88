// Set-up of the tests of one file while mutate.mjs learns which code each of them runs: see `marked` in mutants.mjs.
import { writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeEach } from "vitest";

/** What ran outside of the tests: modules, hooks for all tests. */
const outside = globalThis.mutationHits ?? new Set();
globalThis.mutationHits = outside;
const byTest = new Map([["", outside]]);

beforeEach(({ task }) => {
  const hits = byTest.get(task.id) ?? new Set();
  byTest.set(task.id, hits);
  globalThis.mutationHits = hits;
});

afterEach(() => {
  globalThis.mutationHits = outside;
});

afterAll(() => {
  const told = [...byTest].map(([test, hits]) => [test, [...hits]]);
  if (process.env.MUTATION_HITS) writeFileSync(process.env.MUTATION_HITS, JSON.stringify(told));
});
