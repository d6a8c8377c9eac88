// Set-up of the tests of one file while mutate.mjs learns which code each of them runs: see `marked` in mutants.mjs.
import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect } from "vitest";

const { MUTATION_HITS: folder = "", MUTATION_PLACES: places } = process.env;
const size = Number(places);

/** By test; under the empty name what ran outside of the tests: modules, hooks for all tests. */
const byTest = new Map([["", new Uint8Array(size)]]);
globalThis.mutationHits = byTest.get("");

beforeEach(({ task }) => {
  const hits = byTest.get(task.id) ?? new Uint8Array(size);
  byTest.set(task.id, hits);
  globalThis.mutationHits = hits;
});

afterEach(() => {
  globalThis.mutationHits = byTest.get("");
});

afterAll(() => {
  if (!existsSync(folder)) return;
  const file = expect.getState().testPath;
  const report = [...byTest].map(([test, hits]) => [test, [...hits.keys()].filter((number) => hits[number] === 1)]);
  const name = createHash("sha256").update(file).digest("hex");
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ file, byTest: report }));
});
