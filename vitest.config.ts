/** The whole suite in two parts, so that hundreds of small files do not each load all modules again. */
import { defineConfig } from "vitest/config";
import { shared, WITH_FILES_AND_SERVERS } from "./vitest.shared.ts";

export default defineConfig({
  test: {
    ...shared,
    projects: [
      "./vitest.unit.config.ts",
      {
        test: {
          ...shared,
          name: "files and servers",
          pool: "forks",
          // Behind the unit tests, which have another number of workers.
          sequence: { groupOrder: 1 },
          include: WITH_FILES_AND_SERVERS,
        },
      },
    ],
  },
});
