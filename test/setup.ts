/** What holds for every test file. */
import { afterAll, afterEach } from "vitest";
import { settleDefects } from "./support/defects.ts";

function failOnDefects(): void {
  const told = settleDefects();
  if (told.length > 0) throw new Error(told.join("\n\n"));
}

afterEach(failOnDefects);
// Those of hooks that run behind the last test.
afterAll(failOnDefects);
