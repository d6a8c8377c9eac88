/** A large family in a database of its own: invocations of which every tenth emitted an event. */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DemoWriter } from "../src/demo/writer/writer.ts";
import { packageRoot } from "../src/package-root.ts";
import type { InvocationRecord } from "../src/pynenc/records.ts";
import { inImmediateTransaction, openDatabase } from "../src/stores/sqlite/file/driver.ts";

export const APP_ID = "bench";
export const NOW = Date.UTC(2026, 10, 20, 12) / 1000;

export function id(kind: "i" | "e", n: number): string {
  return `${kind}0000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

/** A tree with the wanted number of nodes, ten invocations to one event; every invocation has `fanOut` children. Returns the file. */
export function writeFamily(wanted: number, fanOut: number): string {
  const folder = join(packageRoot(), "bench", ".data");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `family-${wanted}-${fanOut}.db`);
  if (existsSync(file)) rmSync(file);
  const db = openDatabase(file, { mode: "create" });
  const writer = new DemoWriter(db, APP_ID);
  const runner_id = "ExternalRunner@bench-1";
  const family: InvocationRecord[] = [];
  inImmediateTransaction(db, () => {
    writer.describeApp("bench");
    writer.storeRunnerContext({
      runner_id,
      runner_cls: "ExternalRunner",
      parent_ctx_id: null,
      pid: 1,
      hostname: "bench",
      thread_id: 1,
    });
    const invocations = Math.floor((wanted * 10) / 11);
    for (let n = 0; n < invocations; n++) {
      const parent = n === 0 ? undefined : family[Math.floor((n - 1) / fanOut)];
      const call = {
        invocation_id: id("i", n),
        task_id_key: "bench.step",
        arguments: { n: String(n) },
        parent,
        enqueue: false,
      };
      const record = writer.register(call, runner_id, NOW - wanted + n);
      family.push(record);
      if (n % 10 === 0) {
        const event = {
          event_id: id("e", n),
          event_code: "bench.step",
          payload: {},
          matches: [],
          emitter: record,
          runner_id,
        };
        writer.recordEvent(event, NOW - wanted + n);
      }
    }
  });
  db.close();
  return file;
}
