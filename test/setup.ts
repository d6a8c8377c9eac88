/** What holds for every test file. */
import { configureGlobal, readConfigureGlobal } from "fast-check";
import { afterAll, afterEach } from "vitest";
import { cases } from "./support/cases.ts";
import { settleDefects } from "./support/defects.ts";
import { endFile } from "./support/file-end.ts";

// As many as fast-check tries by itself where a test does not say how many.
configureGlobal({ ...readConfigureGlobal(), numRuns: cases(100) });

/** A change must not fail for a case that it has nothing to do with: the same cases are made up each time, unless others are asked for. */
const SEED = process.env.PROPERTY_SEED ?? "20261123";
if (SEED !== "random") {
  const seed = Number(SEED);
  if (!Number.isSafeInteger(seed)) throw new Error(`PROPERTY_SEED is neither a whole number nor "random": ${SEED}`);
  configureGlobal({ ...readConfigureGlobal(), seed });
}

function failOnDefects(): void {
  const told = settleDefects();
  if (told.length > 0) throw new Error(told.join("\n\n"));
}

afterEach(failOnDefects);
// Behind the hooks of the file: they may log defects too.
afterAll(async () => {
  await endFile();
  failOnDefects();
});
