/** The fast part of the suite: no browser, no spawned program, no server of its own, and no files of a store but where real data is the point. */
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { shared, WITH_FILES_AND_SERVERS } from "./vitest.shared.ts";

export default defineConfig({
  test: {
    ...shared,
    name: "unit",
    // They wait for nothing: more workers than cores would only load the modules more often.
    maxWorkers: availableParallelism(),
    pool: "forks",
    include: ["test/**/*.test.ts", "test/**/*.test.tsx"],
    exclude: WITH_FILES_AND_SERVERS,
  },
});
