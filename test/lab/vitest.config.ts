/** The lab: scenarios on real pynenc. Slow, so it is a suite of its own (`npm run lab`). */
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "lab",
    root: new URL("../..", import.meta.url).pathname,
    globalSetup: ["test/lab/setup.ts"],
    include: ["test/lab/**/*.lab.ts"],
    // Scenarios mostly wait for runners.
    maxWorkers: availableParallelism() + 1,
    // For what hangs; a scenario waits for rows, and the crons of pynenc take a minute each.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: "forks",
    expect: { requireAssertions: true },
  },
});
