// Runs the tests of what differs between Nodes on every Node that people have, not only on this one: node scripts/other-nodes.mjs [version...]
// The versions come from the npm registry, as packages, into node_modules/.cache. One that cannot be had is named and left out. Ends with
// "Other Nodes: N passed, N failed".
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
/** The newest of each line beside this machine's own, and the oldest with an SQLite of its own. */
const VERSIONS = ["22", "24", "26", "22.13.0"];
/** Runs at the same time, of one process each. */
const AT_ONCE = 2;
const SUITES = [
  "test/stores/sqlite/file/driver.test.ts",
  "test/contract/sqlite.test.ts",
  "test/contract/sqlite-actions.test.ts",
  "test/cli/commands.test.ts",
  "test/cli/serve.test.ts",
  "test/http/facts.test.ts",
];

const requested = process.argv.slice(2);
const waiting =
  requested.length > 0 ? requested : VERSIONS.filter((one) => one !== process.versions.node.split(".")[0]);
let passed = 0;
let failed = 0;
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let version = waiting.shift(); version !== undefined; version = waiting.shift()) await runOn(version);
  }),
);
console.log(`Other Nodes: ${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

async function runOn(version) {
  const node = fetched(version);
  if (node === null) {
    console.log(`Node ${version}: skipped, it could not be fetched.`);
    return;
  }
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const { output, status } = await finished(spawn(node, [vitest, "run", "--maxWorkers=1", ...SUITES], { cwd: root }));
  const plain = stripVTControlCharacters(output);
  const summary = /^ *Tests .*$/m.exec(plain)?.[0] ?? "";
  const count = (word) => Number(new RegExp(`(\\d+) ${word}`).exec(summary)?.[1] ?? 0);
  passed += count("passed");
  // A run that breaks off before it counts has failed all the same.
  failed += Math.max(count("failed"), status === 0 ? 0 : 1);
  const exact = spawnSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).stdout.trim();
  console.log(`Node ${exact}: ${summary.trim()}`);
  if (status !== 0) console.log(plain);
}

function finished(child) {
  return new Promise((resolve) => {
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (part) => (output += part));
    child.on("close", (status) => resolve({ output, status }));
  });
}

/** Path of a Node of this version; null when there is none for this machine or the registry cannot be reached. */
function fetched(version) {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const folder = join(root, "node_modules", ".cache", `node-${version}`);
  const node = join(folder, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private": true}');
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-save", "--loglevel=error"];
  spawnSync("npm", [...args, `${name}@${version}`], {
    cwd: folder,
    shell: process.platform === "win32",
    stdio: "ignore",
  });
  return existsSync(node) ? node : null;
}
