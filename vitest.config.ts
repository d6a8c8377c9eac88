import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// Where this is set every Node process reads those certificates when it starts, which takes longer than the rest of its start. No test speaks TLS.
delete process.env.NODE_EXTRA_CA_CERTS;

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "test/**/*.test.tsx"],
    // Files mostly wait, for a browser, a spawned command or a server, so that two at a time are quicker on two cores than one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // For what hangs. Spawned commands and a real browser share the cores with the other files, and the machine may be busy: a test that takes
    // ten times as long as usual has to pass.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: "forks",
    setupFiles: ["test/setup.ts"],
    // A loop over a list that is empty by mistake asserts nothing; a test that asserts nothing fails.
    expect: { requireAssertions: true },
  },
});
