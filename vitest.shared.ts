/** What holds for every test, whatever runs it. */
import { accessSync, constants, statfsSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { ViteUserConfig } from "vitest/config";

// Where this is set every Node process reads those certificates when it starts, which takes longer than the rest of its start. No test speaks TLS.
delete process.env.NODE_EXTRA_CA_CERTS;

/** A folder in memory, and the bytes that the tests of a whole run may need there at one time. */
const MEMORY = { folder: "/dev/shm", bytes: 2 ** 30 };

// Tests make hundreds of stores, and what takes the longest is to make, sync and remove their files.
if (process.env.TMPDIR === undefined && hasRoomInMemory()) process.env.TMPDIR = MEMORY.folder;

function hasRoomInMemory(): boolean {
  try {
    accessSync(MEMORY.folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY.folder);
    return bavail * bsize >= MEMORY.bytes;
  } catch {
    return false;
  }
}

/** Tests that start a browser, a program or a server, or write files of a store; beside those of a service, those of it on the recorded databases. */
export const WITH_FILES_AND_SERVERS = [
  ...["browser", "cli", "contract", "demo", "http", "stores"].flatMap((folder) => [
    `test/${folder}/**/*.test.ts`,
    `test/${folder}/**/*.test.tsx`,
  ]),
  "test/**/*-fixtures.test.ts",
];

export const shared: NonNullable<ViteUserConfig["test"]> = {
  // Files spend almost half of their time waiting for a browser, a spawned command or a server: one worker per core would leave cores idle.
  maxWorkers: availableParallelism() + 1,
  // For what hangs. Spawned commands and a real browser share the cores with the other files, and the machine may be busy: a test that takes
  // ten times as long as usual has to pass.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  setupFiles: ["test/setup.ts"],
  // What takes a small file the longest is to start a process and load the modules: they share workers, and leave nothing behind.
  isolate: false,
  // A tenth of their time went into collecting short-lived objects. Every core has a worker: threads that help one to collect take time from another.
  execArgv: ["--min-semi-space-size=64", "--max-semi-space-size=64", "--single-threaded-gc"],
  // In node_modules, by the content of each file: from the second run on, no module has to be translated again.
  experimental: { fsModuleCache: true },
  // A loop over a list that is empty by mistake asserts nothing; a test that asserts nothing fails.
  expect: { requireAssertions: true },
};
