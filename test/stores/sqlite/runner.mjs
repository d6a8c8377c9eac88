/**
 * Writes to a store as pynenc's runners do, until its stdin ends, and prints what it met: messages are taken in BEGIN IMMEDIATE, statuses
 * change in BEGIN IMMEDIATE with their history entry behind it, heartbeats in between; 30 s of patience (storage-format.md 3.8).
 *
 *   node runner.mjs <path> <table prefix>
 */
import { inImmediateTransaction, openDatabase } from "../../../dist/src/stores/sqlite/file/driver.js";

const [, , path, prefix] = process.argv;
const db = openDatabase(path, { mode: "write", busyTimeoutMs: 30_000 });
db.pragma("synchronous = NORMAL");
const table = (name) => `"${prefix}__${name}"`;
const next = db.prepare(`SELECT id, invocation_id FROM ${table("broker_message_queue")} ORDER BY created_at LIMIT 1`);
const remove = db.prepare(`DELETE FROM ${table("broker_message_queue")} WHERE id = ?`);
const rowsOf = db.prepare(
  `SELECT (SELECT count(*) FROM ${table("orchestrator_invocations")} WHERE invocation_id = ?) AS statuses,
          (SELECT count(*) FROM ${table("state_backend_invocations")} WHERE invocation_id = ?) AS definitions,
          (SELECT count(*) FROM ${table("state_backend_history")} WHERE invocation_id = ?) > 0 AS history`,
);
const update = db.prepare(
  `UPDATE ${table("orchestrator_invocations")} SET status = ?, status_runner_id = 'runner', status_timestamp = ?,
   auto_purge_timestamp = ? WHERE invocation_id = ?`,
);
const history = db.prepare(`INSERT INTO ${table("state_backend_history")} VALUES (?, ?, ?, '{}')`);
const beat = db.prepare(
  `INSERT INTO ${table("orchestrator_runner_heartbeats")} (runner_id, creation_timestamp, allow_to_run_atomic_service, last_heartbeat)
   VALUES ('runner', 1, 1, 1) ON CONFLICT DO UPDATE SET last_heartbeat = last_heartbeat + 1`,
);

const report = { taken: 0, finished: 0, beats: 0, halves: [], errors: [] };
const take = () => {
  const message = next.get();
  if (message === undefined) return null;
  remove.run(message.id);
  const found = rowsOf.get(message.invocation_id, message.invocation_id, message.invocation_id);
  if (found.statuses !== 1 || found.definitions !== 1 || found.history !== 1)
    report.halves.push({ ...message, ...found });
  return message.invocation_id;
};
const move = (id, status, at) => update.run(status, at, status === "success" ? at : null, id) === 1;

let stopped = false;
process.stdin.resume().on("end", () => {
  stopped = true;
});
process.stdout.write("ready\n");
while (!stopped) {
  try {
    beat.run();
    report.beats++;
    const id = inImmediateTransaction(db, take);
    if (id !== null) {
      report.taken++;
      let known = true;
      for (const status of ["pending", "running", "success"]) {
        const at = Date.now() / 1000;
        known &&= inImmediateTransaction(db, () => move(id, status, at));
        // An invocation that was purged meanwhile raises a KeyError in pynenc, and no history is written.
        if (known) history.run(id, at, status);
      }
      if (known) report.finished++;
    }
  } catch (error) {
    report.errors.push(String(error));
  }
  await new Promise((resolve) => setTimeout(resolve, 2));
}
db.close();
process.stdout.write(JSON.stringify(report));
