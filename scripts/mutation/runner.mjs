// One Vitest that runs tests again and again, each time with another text in the place of one source file. No file is written. A child of
// mutate.mjs, which ends it when a mutant does not come to an end.
import { createVitest } from "vitest/node";

/** The text that stands in for a file now. */
let active = { file: "", code: "" };

const vitest = await createVitest(
  "test",
  {
    config: "vitest.unit.config.ts",
    watch: false,
    pool: "threads",
    maxWorkers: 1,
    bail: 1,
    silent: true,
    // The whole run of a mutant has a limit: on a busy machine a slow test must not pass for a failed one.
    testTimeout: 600_000,
    reporters: [{}],
  },
  {
    plugins: [
      {
        name: "mutant",
        enforce: "pre",
        transform: (_, id) => (id === active.file ? { code: active.code, map: null } : undefined),
      },
    ],
  },
);
await vitest.standalone();

async function run({ file, code, tests }) {
  if (file !== null) {
    active = { file, code };
    vitest.invalidateFile(file);
  }
  const from = performance.now();
  try {
    const specifications = tests.map((test) => vitest.getRootProject().createSpecification(test));
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
    // What ran before is told again.
    const failed = testModules.find((module) => tests.includes(module.moduleId) && !module.ok());
    const test = failed && [...failed.children.allTests("failed")][0];
    return {
      failed: failed !== undefined || unhandledErrors.length > 0,
      by: test ? `${failed.relativeModuleId}: ${test.fullName}` : (failed?.relativeModuleId ?? "an unhandled error"),
      seconds: (performance.now() - from) / 1000,
    };
  } finally {
    active = { file: "", code: "" };
    if (file !== null) vitest.invalidateFile(file);
  }
}

process.on("message", async (request) => {
  process.send(await run(request));
});
process.send({ unit: (await vitest.globTestSpecifications()).map((one) => one.moduleId) });
