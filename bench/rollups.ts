/**
 * Time and memory to fold the history of a store that is there, by part of the past, and of the questions that pages ask: a million invocations are
 * written by `npm run bench`.
 *
 *   npm run bench:rollups -- --db bench/.data/bulk-1000000.db
 *   npm run bench:rollups -- --url redis://127.0.0.1:6379/0 --max-commands 100000
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type OptionFlags, resolveConfiguration } from "../src/config/options.ts";
import { occupancyStep } from "../src/pynenc/occupancy.ts";
import { rollupAnswers } from "../src/rollups/reads.ts";
import { Workspace } from "../src/services/app/workspace.ts";
import { CacheFile } from "../src/services/rollups/cache-file.ts";
import { Follower } from "../src/services/rollups/follower.ts";

const { values } = parseArgs({
  options: {
    db: { type: "string" },
    url: { type: "string" },
    app: { type: "string" },
    "max-commands": { type: "string" },
  },
});
const { "max-commands": maxCommands, ...where } = values;
const flags: OptionFlags = { ...where, maxCommands, readOnly: true };
const configuration = resolveConfiguration({ flags, env: {}, cwd: process.cwd() });
const clock = () => Date.now() / 1000;
const workspace = await Workspace.connect({ configuration, env: {}, cwd: process.cwd(), threads: 0, clock });
const app = await workspace.openOnly();
const span = await app.store.read((reads) => reads.state_backend.historySpan());
if (span === null) throw new Error("the store has no history");
const { last: now } = span;

const follower = new Follower(app.store, clock);
const started = performance.now();
const before = process.memoryUsage().rss;
const cpu = process.cpuUsage();
console.log(
  "| Folded | seconds | processor seconds | steps | longest step ms | buckets MB | memory MB |\n|---|---|---|---|---|---|---|",
);
let steps = 0;
let longest = 0;
for (const [name, from] of [
  ["last hour", now - 3_600],
  ["last day", now - 86_400],
  ["everything", Number.NEGATIVE_INFINITY],
] as const) {
  let more = !follower.covers({ from, to: now });
  while (more) {
    const at = performance.now();
    more = (await follower.step()) && !follower.covers({ from, to: now });
    longest = Math.max(longest, performance.now() - at);
    steps++;
  }
  const { user, system } = process.cpuUsage(cpu);
  const memory = (process.memoryUsage().rss - before) / 1e6;
  const figures = [
    (performance.now() - started) / 1e3,
    (user + system) / 1e6,
    steps,
    longest,
    (follower.rollup.buckets.bytes + follower.rollup.occupancy.bytes) / 1e6,
    memory,
  ];
  console.log(`| ${name} | ${figures.map((figure) => figure.toFixed(1)).join(" | ")} |`);
}

const summing = performance.now();
follower.rollup.sumHours(Number.POSITIVE_INFINITY);
console.log(
  `\nHours summed up in ${(performance.now() - summing).toFixed(0)} ms; buckets then ${((follower.rollup.buckets.bytes + follower.rollup.occupancy.bytes) / 1e6).toFixed(1)} MB`,
);

const saved = follower.saved();
if (saved !== null) {
  const folder = mkdtempSync(join(tmpdir(), "pynenc-monitor-bench-"));
  const file = new CacheFile(folder, "bench");
  const begun = performance.now();
  file.write(saved);
  const written = performance.now();
  const known = file.read();
  const next = new Follower(app.store, clock);
  if (known === null || !(await next.resume(known))) throw new Error("what was kept is not what is stored");
  const resumed = performance.now();
  const cpu = process.cpuUsage();
  const compared: number[] = [];
  let longest = 0;
  for (const from of [now - 3_600, now - 86_400, Number.NEGATIVE_INFINITY]) {
    while (!next.covers({ from, to: now })) {
      const at = performance.now();
      await next.step();
      longest = Math.max(longest, performance.now() - at);
    }
    compared.push((performance.now() - resumed) / 1e3);
  }
  const { user, system } = process.cpuUsage(cpu);
  if (next.foldedRange.startsWith("1 ")) throw new Error("what was kept was counted again");
  const figures = [
    statSync(file.path).size / 1e6,
    written - begun,
    resumed - written,
    ...compared,
    (user + system) / 1e6,
    longest,
  ];
  console.log(
    "\n| Kept for the next start, MB | written in ms | resumed in ms | last hour compared in s | last day | everything | processor seconds | longest step ms |\n|---|---|---|---|---|---|---|---|",
  );
  console.log(`| ${figures.map((figure) => figure.toFixed(1)).join(" | ")} |`);
  rmSync(folder, { recursive: true });
}

const runners = follower.rollup.members.all.flatMap((member) =>
  member.kind === "runner" && member.name !== null ? [member.name] : [],
);
console.log("\n| Question | median ms | longest ms |\n|---|---|---|");
for (const [name, hours] of [
  ["1 h", 1],
  ["24 h", 24],
  ["7 d", 168],
] as const) {
  const asked = { from: now - hours * 3_600, to: now };
  const answers = () => rollupAnswers(follower);
  timed(`rows by task, ${name}`, () => answers().rows(asked, "task"));
  timed(`rows by runner, ${name}`, () => answers().rows(asked, "runner"));
  timed(`series, ${name}`, () => answers().series(asked, 60));
  timed(`failures, ${name}`, () => answers().failures(asked, 24));
  const changes = { step: Math.max(60, occupancyStep(hours * 3_600)), most: 300, settled: now };
  timed(`changes by task, ${name}`, () => answers().changes(asked, { ...changes, by: "task" }));
  timed(`changes by writer, ${name}`, () => answers().changes(asked, { ...changes, by: "writer" }));
  timed(`occupancy, ${name}`, () => answers().occupancy(asked, changes.step, 8));
  timed(`busy runners, ${name}`, () => answers().busy(asked, changes.step, runners));
}
await workspace.close();

function timed(name: string, ask: () => unknown): void {
  const times = Array.from({ length: 9 }, () => {
    const at = performance.now();
    ask();
    return performance.now() - at;
  }).sort((a, b) => a - b);
  console.log(`| ${name} | ${times[4]?.toFixed(1)} | ${times[8]?.toFixed(1)} |`);
}
