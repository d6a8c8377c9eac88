// Runs the tests of what differs between Nodes on every Node that people have, not only on this one: node scripts/other-nodes.mjs [version...]
// The versions come from the npm registry, as packages, into node_modules/.cache. One that cannot be had is named and left out. Ends with
// "Other Nodes: N passed, N failed", or says that all were left out.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
/** The oldest that is supported, and the newest of each line beside this machine's own. */
const VERSIONS = ["22.13.0", "22", "24", "26"];
const SUITES = [
  "test/stores/sqlite/driver.test.ts",
  "test/contract/sqlite.test.ts",
  "test/contract/sqlite-actions.test.ts",
  "test/cli/program.test.ts",
  "test/cli/commands.test.ts",
  "test/cli/serve.test.ts",
  "test/http/facts.test.ts",
];

const asked = process.argv.slice(2);
const own = process.versions.node;
let passed = 0;
let failed = 0;
for (const version of asked.length > 0 ? asked : VERSIONS.filter((one) => one !== own.split(".")[0])) {
  const node = fetched(version);
  if (node === null) {
    console.log(`Node ${version}: skipped, it could not be fetched.`);
    continue;
  }
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const { stdout, status } = spawnSync(node, [vitest, "run", ...SUITES], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  const plain = stripVTControlCharacters(stdout);
  const summary = /^ *Tests .*$/m.exec(plain)?.[0] ?? "";
  const count = (word) => Number(new RegExp(`(\\d+) ${word}`).exec(summary)?.[1] ?? 0);
  passed += count("passed");
  // A run that breaks off before it counts has failed all the same.
  failed += Math.max(count("failed"), status === 0 ? 0 : 1);
  console.log(
    `Node ${spawnSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).stdout.trim()}: ${summary.trim()}`,
  );
  if (status !== 0) console.log(plain);
}
console.log(`Other Nodes: ${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** Path of a Node of this version; null when there is none for this machine or the registry cannot be reached. */
function fetched(version) {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const folder = join(root, "node_modules", ".cache", `node-${version}`);
  const node = join(folder, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private": true}');
  const args = [
    "install",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    "--no-save",
    "--loglevel=error",
    `${name}@${version}`,
  ];
  spawnSync("npm", args, { cwd: folder, shell: process.platform === "win32", stdio: "ignore" });
  return existsSync(node) ? node : null;
}
