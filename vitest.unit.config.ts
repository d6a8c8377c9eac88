/** The fast part of the suite: no browser, no spawned program, no server of its own, and no files of a store but where real data is the point. */
import { defineConfig, mergeConfig } from "vitest/config";
import whole from "./vitest.config.ts";

export default mergeConfig(
  whole,
  defineConfig({
    test: {
      // What takes a file of these the longest is to start a process and load the modules: they share threads, and leave nothing behind.
      pool: "threads",
      isolate: false,
      exclude: [
        "test/browser/**",
        "test/cli/**",
        "test/contract/**",
        "test/demo/**",
        "test/http/**",
        // Each opens database files of its own, or starts a server; scripts/mutate.mjs adds those on files to the unit tests.
        "test/stores/**",
      ],
    },
  }),
);
