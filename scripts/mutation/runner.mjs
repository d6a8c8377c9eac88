// One Vitest that runs tests again and again, each time with other text in the place of source files. No source file is written. A child of
// mutate.mjs, which ends it when a mutant does not come to an end.
import { fileURLToPath } from "node:url";
import { createVitest } from "vitest/node";

/** The texts that stand in for files now. */
let active = new Map();

/** The nearest tests come first, as they are given. */
class AsGiven {
  shard(files) {
    return files;
  }

  sort(files) {
    return files;
  }
}

const vitest = await createVitest(
  "test",
  {
    config: "vitest.unit.config.ts",
    watch: false,
    pool: "threads",
    // What Vitest's own configuration gives to processes, a thread refuses.
    execArgv: [],
    // It goes by what is in the file, not by what stands in for it.
    experimental: { fsModuleCache: false },
    maxWorkers: 1,
    bail: 1,
    silent: true,
    // The whole run of a mutant has a limit: on a busy machine a slow test must not pass for a failed one.
    testTimeout: 600_000,
    reporters: [{}],
    setupFiles: [fileURLToPath(new URL("hits.mjs", import.meta.url))],
    sequence: { sequencer: AsGiven },
  },
  {
    plugins: [
      {
        name: "mutant",
        enforce: "pre",
        transform: (_, id) => (active.has(id) ? { code: active.get(id), map: null } : undefined),
      },
    ],
  },
);
await vitest.standalone();
const project = vitest.getRootProject();

/** Puts texts in the place of files; of those that had one before it is taken back. */
function replace(texts) {
  const before = active;
  active = new Map(texts);
  for (const file of new Set([...before.keys(), ...active.keys()]))
    if (before.get(file) !== active.get(file)) vitest.invalidateFile(file);
}

/** @param tests files with the ids of their tests to run, null for all; @param toTheEnd goes on behind a test that fails */
async function run({ texts, tests, toTheEnd = false }) {
  replace(texts);
  project.config.bail = toTheEnd ? 0 : 1;
  const files = tests.map(({ file }) => file);
  // Otherwise earlier results would be reported again.
  vitest.state.clearFiles(project, files);
  const from = process.cpuUsage();
  const specifications = tests.map(({ file, ids }) =>
    project.createSpecification(file, ids === null ? undefined : { testIds: ids }),
  );
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  const failed = testModules.find((module) => files.includes(module.moduleId) && !module.ok());
  const test = failed && [...failed.children.allTests("failed")][0];
  return {
    failed: failed !== undefined || unhandledErrors.length > 0,
    by: test ? `${failed.relativeModuleId}: ${test.fullName}` : (failed?.relativeModuleId ?? "an unhandled error"),
    seconds: secondsOf(process.cpuUsage(from)),
    files: testModules.map((module) => ({
      file: module.moduleId,
      ok: module.ok(),
      failed: [...module.children.allTests("failed")].map(({ id, fullName }) => ({ id, name: fullName })),
      seconds: module.diagnostic().duration / 1000,
    })),
  };
}

/** Of processor time, also of the thread in which the tests run. */
function secondsOf({ user, system }) {
  return (user + system) / 1_000_000;
}

let before = process.cpuUsage();
setInterval(() => {
  process.send({ used: secondsOf(process.cpuUsage(before)) });
  before = process.cpuUsage();
}, 1_000).unref();

process.on("message", async (request) => {
  process.send(await run(request));
});
process.send({ unit: (await vitest.globTestSpecifications()).map((one) => one.moduleId) });
