// Puts small bugs into the code, one at a time, and looks whether a test notices.
//
//   node scripts/mutate.mjs                          20 mutants among the services and the SQLite store
//   node scripts/mutate.mjs --sample all src/services/paging.ts
//   node scripts/mutate.mjs --sample 100 --seed 7 src/services
//
// Every mutant is tried on the unit and contract tests that import its file, the nearest first. One that no test notices is printed with its
// line; exit code 1 says that there are some. Those that change nothing that could be noticed are listed in mutation/equivalents.txt.
import { fork } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { mutantsOf, mutate } from "./mutation/mutants.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const HERE = fileURLToPath(new URL(".", import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    /** Seconds for the tests of one mutant, besides three times what they need without it. */
    limit: { type: "string", default: "30" },
  },
});

/** Beside the unit tests: what every store must do, on the stores that need no server. */
const CONTRACTS = ["memory", "sqlite", "sqlite-actions"].map((name) =>
  join(ROOT, "test", "contract", `${name}.test.ts`),
);

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true })
    .map((name) => join(path, name))
    .filter((name) => name.endsWith(".ts") && statSync(name).isFile());
}

/** Which files import a file, types left out. */
function importers() {
  const found = new Map();
  const imported = /^(?:import|export)\s+(?!type\s)(?:[^;"']*?\sfrom\s+)?"(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm;
  for (const folder of ["src", "templates", "test"]) {
    for (const file of readdirSync(join(ROOT, folder), { recursive: true }).map((name) => join(ROOT, folder, name))) {
      if (!/\.tsx?$/.test(file)) continue;
      for (const [, from, dynamic] of readFileSync(file, "utf8").matchAll(imported)) {
        const target = resolve(dirname(file), from ?? dynamic);
        found.set(target, [...(found.get(target) ?? []), file]);
      }
    }
  }
  return found;
}

/** Tests that reach the file through imports, in groups by their distance. */
function testsOf(file, graph, tests) {
  const seen = new Set([file]);
  const groups = [];
  for (let layer = [file]; layer.length > 0; ) {
    layer = [...new Set(layer.flatMap((one) => graph.get(one) ?? []))].filter((one) => !seen.has(one));
    for (const one of layer) seen.add(one);
    const group = layer.filter((one) => tests.has(one));
    if (group.length > 0) groups.push(group);
  }
  return groups;
}

/** Equal seeds give equal samples. */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Operators take turns, so that the many texts do not crowd out the few loops. */
function sampled(mutants, count, next) {
  const byOperator = new Map();
  for (const mutant of mutants) byOperator.set(mutant.operator, [...(byOperator.get(mutant.operator) ?? []), mutant]);
  const chosen = [];
  while (chosen.length < count && byOperator.size > 0) {
    for (const [operator, left] of [...byOperator].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (chosen.length === count) break;
      chosen.push(...left.splice(Math.floor(next() * left.length), 1));
      if (left.length === 0) byOperator.delete(operator);
    }
  }
  return chosen;
}

/** `path: line as it is -> line as it becomes # why nobody can tell`, one a line. */
function equivalents() {
  const lines = readFileSync(join(HERE, "mutation", "equivalents.txt"), "utf8").split("\n");
  return new Set(lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.replace(/ # .*/, "")));
}

/** Vitest in a process of its own, started again when a mutant hung it. */
class Runner {
  #child = null;
  unit = [];

  async start() {
    this.#child = fork(join(HERE, "mutation", "runner.mjs"), {
      cwd: ROOT,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    ({ unit: this.unit } = await this.#answer());
  }

  /** @returns what the runner says, or null when it did not end in time. */
  async run(request, seconds) {
    this.#child.send(request);
    const given = new Promise((stop) => setTimeout(stop, seconds * 1000, null).unref());
    const answer = await Promise.race([this.#answer(), given]);
    if (answer === null) {
      this.#child.kill("SIGKILL");
      await this.start();
    }
    return answer;
  }

  stop() {
    this.#child.kill("SIGKILL");
  }

  #answer() {
    const child = this.#child;
    return new Promise((answered, ended) => {
      const onExit = () => ended(new Error("Vitest ended; see above."));
      child.once("exit", onExit);
      child.once("message", (message) => {
        child.off("exit", onExit);
        answered(message);
      });
    });
  }
}

const paths = (positionals.length > 0 ? positionals : ["src/services", "src/stores/sqlite"]).map((path) =>
  resolve(path),
);
const known = equivalents();
const name = (file) => relative(ROOT, file).replaceAll("\\", "/");
const line = ({ file, before, after }) => `${name(file)}: ${before} -> ${after}`;
const all = paths.flatMap(filesIn).flatMap((file) => {
  const source = readFileSync(file, "utf8");
  return mutantsOf(source).map((mutant) => ({ ...mutant, file, source }));
});
const left = all.filter((mutant) => !known.has(line(mutant)));
const count = values.sample === "all" ? left.length : Number(values.sample);
const chosen = sampled(left, count, random(Number(values.seed))).sort((a, b) =>
  a.file < b.file ? -1 : a.file > b.file ? 1 : a.start - b.start,
);

const runner = new Runner();
await runner.start();
const graph = importers();
const tests = new Set([...runner.unit, ...CONTRACTS]);
/** Seconds of each test file without a mutant; null for one that fails by itself. */
const alone = new Map();

/** Those that pass without a mutant. */
async function sound(group) {
  for (const test of group.filter((one) => !alone.has(one))) {
    const answer = await runner.run({ file: null, tests: [test] }, 600);
    alone.set(test, answer === null || answer.failed ? null : answer.seconds);
    if (alone.get(test) === null) console.error(`left out, for it fails without a mutant: ${name(test)}`);
  }
  return group.filter((one) => alone.get(one) !== null).sort((a, b) => alone.get(a) - alone.get(b));
}

async function verdict({ file, source, ...change }) {
  for (const group of testsOf(file, graph, tests)) {
    const passing = await sound(group);
    if (passing.length === 0) continue;
    const seconds = passing.reduce((sum, test) => sum + alone.get(test), 0) * 3 + Number(values.limit);
    const answer = await runner.run({ file, code: mutate(source, change), tests: passing }, seconds);
    if (answer === null) return "killed: it did not end in time";
    if (answer.failed) return `killed by ${answer.by}`;
  }
  return "survived";
}

const from = performance.now();
const survivors = [];
for (const [index, mutant] of chosen.entries()) {
  const started = performance.now();
  const result = await verdict(mutant);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `${index + 1}/${chosen.length} ${name(mutant.file)}:${mutant.line} ${mutant.operator}: ${result} (${seconds} s)`,
  );
  if (result === "survived") survivors.push(mutant);
}
runner.stop();

const minutes = ((performance.now() - from) / 60_000).toFixed(1);
console.log(`\n${chosen.length} of ${all.length} mutants tried in ${minutes} min, ${survivors.length} survived.`);
for (const mutant of survivors) console.log(`\n${name(mutant.file)}:${mutant.line}\n  ${line(mutant)}`);
process.exitCode = survivors.length > 0 ? 1 : 0;
