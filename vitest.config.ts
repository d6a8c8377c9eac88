/** The whole suite in two parts, so that hundreds of small files do not each load all modules again. */
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { shared, WITH_FILES_AND_SERVERS } from "./vitest.shared.ts";

/** Files with a browser, and the contract of MongoDB, take the longest: begun last, one of them would run on alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const [first, others] = [true, false].map((long) =>
      sorted.filter(({ moduleId }) => /\/test\/(browser|contract\/mongodb)/.test(moduleId) === long),
    ) as [TestSpecification[], TestSpecification[]];
    return [...first, ...others];
  }
}

export default defineConfig({
  test: {
    ...shared,
    sequence: { sequencer: LongestFirst },
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
