/** The fast part of the suite: no browser, no spawned program, no server of its own, and no files of a store but where real data is the point. */
import { defineConfig } from "vitest/config";
import { shared, WITH_FILES_AND_SERVERS } from "./vitest.shared.ts";

export default defineConfig({
  test: {
    ...shared,
    name: "unit",
    pool: "threads",
    include: ["test/**/*.test.ts", "test/**/*.test.tsx"],
    exclude: WITH_FILES_AND_SERVERS,
  },
});
