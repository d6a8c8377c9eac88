// Puts small bugs into the code, one at a time, and looks whether a test notices.
//
//   node scripts/mutate.mjs                          20 mutants among the services and the SQLite store
//   node scripts/mutate.mjs --sample all src/services/input/paging.ts
//   node scripts/mutate.mjs --sample 100 --seed 7 src/services
//   node scripts/mutate.mjs --again output.txt       those that an earlier run printed as survivors, now that there are more tests
//
// Every mutant is tried on the unit tests and those of the SQLite store (of a store: also the contract tests) that run the changed place, the
// nearest first; which these are is learnt by one run of all of them. Tests of threads use what is built: run scripts/build.mjs before. A mutant
// that no test notices is printed with its line; exit code 1 says that there are some. Those that change nothing that could be noticed are
// listed in mutation/equivalents.txt.
import { fork } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { marked, mutantsOf, mutate } from "./mutation/mutants.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const HERE = fileURLToPath(new URL(".", import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    /** Seconds of processor time for the tests of one mutant, besides three times what they need without it. */
    limit: { type: "string", default: "15" },
    /** What a run printed: only its survivors are tried. */
    again: { type: "string" },
  },
});

/** Beside the unit tests, for files of stores: what every store must do, on the stores that need no server. */
const CONTRACTS = ["memory", "sqlite", "sqlite-actions"].map((name) =>
  join(ROOT, "test", "contract", `${name}.test.ts`),
);

/** Beside the unit tests: what the stores do with files. Without those that start many processes and wait for them. */
const STORES = readdirSync(join(ROOT, "test", "stores"), { recursive: true })
  .filter((name) => /^(?:sqlite[\\/](?:[^\\/]+[\\/])?)?[^\\/]+\.test\.ts$/.test(name))
  .filter((name) => !/(?:at-once|interrupted|locks-and-files)\.test\.ts$/.test(name))
  .map((name) => join(ROOT, "test", "stores", name));

/** What this Node cannot load, so that no test here runs it (scripts/other-nodes.mjs does). */
const UNLOADABLE =
  process.getBuiltinModule("node:sqlite") === undefined
    ? [join(ROOT, "src", "stores", "sqlite", "file", "driver-node.ts")]
    : [];

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true })
    .map((name) => join(path, name))
    .filter((name) => name.endsWith(".ts") && statSync(name).isFile() && !UNLOADABLE.includes(name));
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

/** How far each file is that reaches this one through imports. */
function distances(file, graph) {
  const found = new Map([[file, 0]]);
  let distance = 1;
  for (let layer = [file]; layer.length > 0; distance++) {
    layer = [...new Set(layer.flatMap((one) => graph.get(one) ?? []))].filter((one) => !found.has(one));
    for (const one of layer) found.set(one, distance);
  }
  return found;
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

/** Where a run of tests says what they ran. */
const HITS = mkdtempSync(join(tmpdir(), "mutate-"));

/** The survivors that a run printed, as lines of mutation/equivalents.txt. */
function again(path) {
  const lines = readFileSync(path, "utf8").split("\n");
  return new Set(lines.filter((line) => line.startsWith("  ")).map((line) => line.trim()));
}

/** Seconds without any work after which a run waits for what will never come. */
const MOST_IDLE = 30;

/** Vitest in a process of its own, started again when a mutant hung it. */
class Runner {
  #child = null;
  unit = [];

  async start() {
    this.#child = fork(join(HERE, "mutation", "runner.mjs"), {
      cwd: ROOT,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: { ...process.env, MUTATION_HITS: HITS, MUTATION_PLACES: String(next) },
    });
    ({ unit: this.unit } = await this.#answer(Number.POSITIVE_INFINITY));
  }

  /** @returns what the runner says, or null if it used up its processor time, or used none for a long time. */
  async run(request, seconds) {
    this.#child.send(request);
    const answer = await this.#answer(seconds);
    if (answer === null) {
      this.#child.kill("SIGKILL");
      await this.start();
    }
    return answer;
  }

  stop() {
    this.#child.kill("SIGKILL");
  }

  /** Processor time, not that of the clock: on a busy machine a slow test must not pass for one that hangs. */
  #answer(seconds) {
    const child = this.#child;
    return new Promise((answered, ended) => {
      let [busy, idleFor] = [0, 0];
      const onExit = () => ended(new Error("Vitest ended; see above."));
      const onMessage = ({ used, ...answer }) => {
        if (used !== undefined) {
          idleFor = used > 0.005 ? 0 : idleFor + 1;
          busy += used;
        }
        if (used !== undefined && busy < seconds && idleFor < MOST_IDLE) return;
        child.off("exit", onExit);
        child.off("message", onMessage);
        answered(used === undefined ? answer : null);
      };
      child.once("exit", onExit);
      child.on("message", onMessage);
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
const survived = values.again ? again(values.again) : null;
const left = all.filter((mutant) => !known.has(line(mutant)) && (survived?.has(line(mutant)) ?? true));
const count = values.again || values.sample === "all" ? left.length : Number(values.sample);
// In the order in which they were drawn: what a run has tried when it is ended is a sample too.
const chosen = sampled(left, count, random(Number(values.seed)));

const graph = importers();
const files = [...new Set(chosen.map((mutant) => mutant.file))];
const near = new Map(files.map((file) => [file, distances(file, graph)]));

/** The numbers that stand for the places of the chosen files. */
const places = new Map();
let next = 0;
for (const file of files) {
  const marks = marked(readFileSync(file, "utf8"), next);
  places.set(file, marks);
  next = marks.next;
}

const runner = new Runner();
await runner.start();
/** Of each test file what a run says: seconds, whether all of its tests passed, and which of those ran which places; "" is what ran outside of its tests. */
const learnt = new Map();
const ofStores = files.some((file) => name(file).startsWith("src/stores/"));
const reaching = [...runner.unit, ...STORES, ...(ofStores ? CONTRACTS : [])].filter((one) =>
  files.some((file) => near.get(file).has(one)),
);
const texts = [...places].map(([file, { code }]) => [file, code]);
const tests = reaching.map((file) => ({ file, ids: null }));
const whole = await runner.run({ texts, tests, toTheEnd: true }, Number.POSITIVE_INFINITY);
const hits = readdirSync(HITS).map((one) => JSON.parse(readFileSync(join(HITS, one), "utf8")));
const hitsOf = new Map(hits.map(({ file, byTest }) => [file, byTest]));
rmSync(HITS, { recursive: true });
if (hitsOf.size === 0) throw new Error("No test could be run.");
for (const { file, ok, failed, seconds } of whole?.files ?? []) {
  const lost = new Set(failed.map(({ id }) => id));
  for (const test of failed) console.error(`left out, for it fails without a mutant: ${name(file)}: ${test.name}`);
  if (!ok && lost.size === 0) console.error(`left out, for it fails without a mutant: ${name(file)}`);
  const byTest = hitsOf.get(file)?.filter(([id]) => !lost.has(id));
  if (byTest !== undefined && (ok || lost.size > 0))
    learnt.set(file, { seconds, whole: ok, byTest: new Map(byTest.map(([id, all]) => [id, new Set(all)])) });
}

/** How far away the tests are that are tried on what a module does when it is loaded: one process loads it once, for all of them. */
const MODULE_REACH = 3;

/** The tests that run one of these places, the nearest file first. */
function testsAt(file, wanted) {
  const found = [];
  const reach = wanted.includes(places.get(file).module) ? MODULE_REACH : 1;
  for (const [test, { seconds, whole, byTest }] of learnt) {
    const runs = (id) => wanted.some((place) => byTest.get(id).has(place));
    const every = [...byTest.keys()].filter((id) => id !== "");
    const distance = near.get(file).get(test) ?? Number.POSITIVE_INFINITY;
    // What is made once and kept was noted where it was first asked for: the tests of the file itself are tried in any case.
    const isTried = distance <= reach || runs("");
    const ids = isTried ? every : every.filter(runs);
    if (ids.length === 0) continue;
    const share = isTried ? 1 : ids.length / every.length;
    found.push({ file: test, ids: isTried && whole ? null : ids, seconds: seconds * share, distance });
  }
  return found.sort((a, b) => a.distance - b.distance || a.seconds - b.seconds);
}

async function verdict({ file, source, ...change }) {
  const tests = testsAt(file, places.get(file).placesOf(change.start));
  if (tests.length === 0) return "survived: no test runs it";
  const seconds = tests.reduce((sum, test) => sum + test.seconds, 0) * 3 + Number(values.limit);
  const answer = await runner.run({ texts: [[file, mutate(source, change)]], tests }, seconds);
  if (answer === null) return "killed: it did not end in time";
  return answer.failed ? `killed by ${answer.by}` : "survived";
}

/** A mutant that Vitest does not load would pass for one that survived. */
async function expectEffect() {
  const file = files.find((one) => testsAt(one, [places.get(one).module]).length > 0);
  const tests = testsAt(file, [places.get(file).module]).slice(0, 1);
  const answer = await runner.run({ texts: [[file, 'throw new Error("mutated");']], tests }, Number.POSITIVE_INFINITY);
  if (!answer.failed) throw new Error("The tests run the files as they are, without the mutants.");
}

await expectEffect();
const from = performance.now();
const survivors = [];
for (const [index, mutant] of chosen.entries()) {
  const started = performance.now();
  const result = await verdict(mutant);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `${index + 1}/${chosen.length} ${name(mutant.file)}:${mutant.line} ${mutant.operator}: ${result} (${seconds} s)`,
  );
  if (result.startsWith("survived")) {
    survivors.push(mutant);
    console.log(`  ${line(mutant)}`);
  }
}
runner.stop();

const minutes = ((performance.now() - from) / 60_000).toFixed(1);
console.log(`\n${chosen.length} of ${all.length} mutants tried in ${minutes} min, ${survivors.length} survived.`);
process.exitCode = survivors.length > 0 ? 1 : 0;
