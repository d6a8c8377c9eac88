import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "test/**/*.test.tsx"],
    // Spawned commands and a real browser share two cores with the other files.
    testTimeout: 30_000,
    hookTimeout: 120_000,
    pool: "forks",
  },
});
