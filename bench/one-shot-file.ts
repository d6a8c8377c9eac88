/** A file whose invocations each had a process of their own, as a ProcessRunner gives them: the most lanes for the fewest changes. */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { NEWEST_LAYOUT } from "../src/demo/writer/schema.ts";
import { DemoWriter } from "../src/demo/writer/writer.ts";
import { packageRoot } from "../src/package-root.ts";
import { inImmediateTransaction, openDatabase } from "../src/stores/sqlite/file/driver.ts";
import { BULK_APP, BULK_NOW } from "./bulk-file.ts";

/** All of them begin and end in this many seconds before the present of the data. */
export const ONE_SHOT_SECONDS = 3_600;
const RUNNERS = 8;
const TASKS = ["shop.orders.place", "shop.mail.send", "shop.search.verify", "shop.stock.count"];
/** One in so many fails. */
const FAILS = 25;

/** Path of a database with this many invocations and workers. */
export function oneShotFile(workers: number): string {
  const folder = join(packageRoot(), "bench", ".data");
  mkdirSync(folder, { recursive: true });
  const target = join(folder, `one-shot-${NEWEST_LAYOUT}-${workers}.db`);
  if (existsSync(target)) return target;
  const db = openDatabase(target, { mode: "create" });
  const writer = new DemoWriter(db, BULK_APP);
  const id = (kind: string, n: number) => `${kind}0000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  const place = (n: number) => ({ hostname: `worker-${n % 4}`, thread_id: 1 });
  inImmediateTransaction(db, () => {
    writer.describeApp("bench");
    for (let n = 0; n < RUNNERS; n++) {
      const context = { runner_id: id("a", n), runner_cls: "ProcessRunner", parent_ctx_id: null, pid: n + 1 };
      writer.storeRunnerContext({ ...context, ...place(n) });
      writer.heartbeat(id("a", n), BULK_NOW, n === 0);
    }
    for (let n = 0; n < workers; n++) {
      const [runner, lead] = [id("b", n), id("a", n % RUNNERS)];
      const at = BULK_NOW - ONE_SHOT_SECONDS + (n / workers) * (ONE_SHOT_SECONDS - 60);
      const context = { runner_id: runner, runner_cls: "ProcessRunnerWorker", parent_ctx_id: lead, pid: 1_000 + n };
      writer.storeRunnerContext({ ...context, ...place(n % RUNNERS) });
      const call = { task_id_key: TASKS[n % TASKS.length] ?? "", arguments: { n: String(n) }, enqueue: false };
      const invocation = writer.register({ invocation_id: id("c", n), ...call }, lead, at);
      writer.moveStatus(invocation.invocation_id, "pending", runner, at + 0.2);
      writer.startRunning(invocation, runner, at + 0.4);
      const end = at + 1 + (n % 40);
      if (n % FAILS === 0) {
        const data = '{"type": "ValueError", "message": "no"}';
        writer.fail(invocation.invocation_id, { name: "ValueError", pynencError: false, data }, runner, end);
      } else writer.succeed(invocation.invocation_id, "null", runner, end);
    }
  });
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
  return target;
}
