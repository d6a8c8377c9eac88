/**
 * The app of the soak: runners that change the store at an even pace, one small transaction per change as pynenc makes them. Prints one JSON
 * object per second: `{changes, behind, commit_ms: [...]}` (all since the start; since the line before; milliseconds).
 *
 *   node dist/bench/soak-writer.js <file> <changes per second> [app]
 */
import { DemoWriter } from "../src/demo/writer/writer.ts";
import type { InvocationRecord } from "../src/pynenc/records.ts";
import { inImmediateTransaction, openDatabase } from "../src/stores/sqlite/file/driver.ts";

const TASKS = ["shop.tasks.charge_card", "shop.tasks.send_mail", "shop.tasks.pack_parcel", "shop.tasks.render_report"];
const WORKERS = 8;
/** As often as pynenc's runners beat. */
const HEARTBEAT_SECONDS = 5;
const PACE_MS = 20;

const [file = "", perSecond = "500", app = "soak"] = process.argv.slice(2);
const db = openDatabase(file, { mode: "create" });
// As pynenc opens its files (storage-format.md 3.7).
db.pragma("journal_mode = WAL");
db.pragma("synchronous = NORMAL");
const writer = new DemoWriter(db, app);
const now = () => Date.now() / 1000;
const id = () => crypto.randomUUID();

const runners = Array.from({ length: WORKERS }, (_, n) => ({
  runner_id: id(),
  runner_cls: "ThreadRunner",
  parent_ctx_id: null,
  parent_ctx_cls: null,
  pid: 4000 + n,
  hostname: `worker-${n + 1}`,
  thread_id: 1,
}));

let commits: number[] = [];
let changes = 0;

function inTransaction(change: () => void): void {
  const started = performance.now();
  inImmediateTransaction(db, change);
  commits.push(Math.round((performance.now() - started) * 100) / 100);
}

function changed(change: () => void): void {
  inTransaction(change);
  changes += 1;
}

writer.describeApp("shop.app");
for (const runner of runners) writer.storeRunnerContext(runner);
const beat = () =>
  inTransaction(() => {
    for (const { runner_id } of runners) writer.heartbeat(runner_id, now(), true);
  });
beat();

/** The life of one invocation, a step per change. Every ninth fails. */
function* life(number: number): Generator<() => void> {
  const runner = runners[number % WORKERS]?.runner_id ?? "";
  const task_id_key = TASKS[number % TASKS.length] ?? "";
  let record: InvocationRecord | undefined;
  const own = id();
  yield () => {
    const args = { order: JSON.stringify(`ORD-${number}`) };
    record = writer.register({ invocation_id: own, task_id_key, arguments: args }, runner, now());
  };
  yield () => {
    writer.remove("broker_message_queue", "invocation_id", own);
    writer.moveStatus(own, "pending", runner, now());
  };
  yield () => {
    if (record) writer.startRunning(record, runner, now());
  };
  yield () => {
    if (number % 9 !== 0) writer.succeed(own, JSON.stringify({ paid: number }), runner, now());
    else {
      const data = JSON.stringify({ type: "CardDeclined", args: [`order ${number}`] });
      writer.fail(own, { name: "CardDeclined", pynencError: false, data }, runner, now());
    }
  };
}

/** As many at once as there are workers, so that some always wait and run. */
const lives = Array.from({ length: WORKERS * 2 }, (_, n) => life(n));
let begun = lives.length;
let turn = 0;
function step(): void {
  const slot = turn++ % lives.length;
  let next = lives[slot]?.next();
  if (next === undefined || next.done) {
    const fresh = life(begun++);
    lives[slot] = fresh;
    next = fresh.next();
  }
  if (!next.done) changed(next.value);
}

const started = performance.now();
const due = () => ((performance.now() - started) / 1000) * Number(perSecond);
setInterval(() => {
  // A pause of the machine is made up for in pieces, so that the reports keep coming.
  for (let most = Number(perSecond); changes < due() && most > 0; most--) step();
}, PACE_MS);
setInterval(beat, HEARTBEAT_SECONDS * 1000);
setInterval(() => {
  console.log(JSON.stringify({ changes, behind: Math.max(0, Math.round(due() - changes)), commit_ms: commits }));
  commits = [];
}, 1000);
