/** `monitor metrics`: the gauges of `/metrics`, once. */
import { expect, test } from "vitest";
import { monitor, ownCopy, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();

test("monitor metrics prints the gauges, as text and as a JSON document", async () => {
  const args = ["--db", ownCopy("kitchen_sink.db", folder), "--app", "kitchen_sink", "--now", "2026-11-22", "metrics"];
  const run = await monitor(args);
  expect([run.code, run.stderr]).toEqual([0, ""]);
  expect(run.stdout).toContain('pynenc_invocations{app="kitchen_sink",status="success"} 183\n');
  expect(run.stdout).not.toMatch(/_total|_bucket|process_/);
  const document = JSON.parse((await monitor([...args, "--json"])).stdout);
  expect([document.app_id, document.metrics[0].name]).toEqual(["kitchen_sink", "pynenc_store_up"]);
});
