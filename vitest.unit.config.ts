/** The fast part of the suite: no browser, no spawned program, no server of its own. */
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
        "test/stores/rabbitmq/**",
        "test/stores/redis/**",
        "test/stores/sqlite/{at-once,interrupted,locks-and-files}.test.ts",
      ],
    },
  }),
);
