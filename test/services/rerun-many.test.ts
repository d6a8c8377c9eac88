/** Registering many calls: in batches, and whatever ends it early is told with what was done. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { ActionLog } from "../../src/services/action-log.ts";
import { rerunMany } from "../../src/services/rerun.ts";
import { changesOf, contentsOf } from "../support/contents.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";

const APP = "kitchen_sink";
let monitor: Monitor;
beforeAll(async () => {
  monitor = await monitorOf("kitchen_sink.db", "in process", { app: APP });
});
afterAll(() => monitor.close());

test("an abort lets the batch at hand come to its end; the log holds the beginning of its ids", async () => {
  const app = await monitor.workspace.open(APP);
  const before = contentsOf(monitor.path);
  const lines: string[] = [];
  const told: [number, number][] = [];
  const interrupt = new AbortController();
  const log = new ActionLog({
    via: "server",
    file: null,
    write: (line) => lines.push(line),
    warn: (words) => lines.push(words),
  });
  const { outcome } = await log.record("somebody", "rerun", app, () =>
    rerunMany(
      app,
      { status: ["success"] },
      (taken, of) => {
        told.push([taken, of]);
        interrupt.abort();
      },
      interrupt.signal,
    ),
  );
  expect(told).toEqual([[100, 183]]);
  expect(outcome).toMatchObject({ taken: 100, stopped: "interrupted." });
  expect(outcome.message).toContain("Stopped after 100 of 183: interrupted.");
  expect(changesOf(APP, before, contentsOf(monitor.path))).toMatchObject({
    orchestrator_invocations: outcome.registered,
    broker_message_queue: outcome.registered,
  });
  const { counters } = JSON.parse(lines[0] ?? "") as { counters: Record<string, unknown> };
  expect(counters.new_invocation_ids).toEqual(outcome.new_invocation_ids.slice(0, 32));
  expect(counters.new_invocation_ids_left_out).toBe(outcome.registered - 32);
});
