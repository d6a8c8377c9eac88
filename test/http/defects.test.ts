/** What a defect of ours looks like from outside, and that no test can overlook one. */
import { PassThrough } from "node:stream";
import { expect, it, vi } from "vitest";
import { storeWith } from "../support/counting.ts";
import { defectLogged, expectDefect, settleDefects, watchForDefects } from "../support/defects.ts";
import { monitorOf, testMonitor } from "../support/monitor.ts";

it("an unexpected error is answered with the id of its log entry, and nothing about its cause", async () => {
  const monitor = await testMonitor(monitorOf("kitchen_sink.db", "in process", { app: "kitchen_sink" }));
  const app = await monitor.workspace.open();
  const store = storeWith(app.store, () => Promise.reject(new TypeError("the secret is undefined")));
  vi.spyOn(app, "forOneAnswer").mockImplementation(() => ({ ...app, store }));
  expectDefect(/GET \/broker\/.*the secret is undefined/s);
  const response = await monitor.get("/broker/", { headers: { accept: "application/json" } });
  const { error_id, detail, ...told } = (await response.json()) as Record<string, string>;
  expect(response.status).toBe(500);
  expect(error_id).toMatch(/^[0-9a-f]{12}$/);
  expect(detail).toContain(error_id);
  expect(JSON.stringify(told)).not.toContain("secret");
});

it("an unexpected error fails the test in which it was logged, unless the test expects it", () => {
  defectLogged("0123 GET /a TypeError");
  expect(settleDefects()).toEqual(["The monitor logged a defect: 0123 GET /a TypeError"]);
  expectDefect(/GET \/a/);
  expect(settleDefects()).toEqual(["No defect was logged that says /GET \\/a/."]);
  expectDefect(/GET \/a/);
  defectLogged("0123 GET /a TypeError");
  expect(settleDefects()).toEqual([]);
  expectDefect(/GET \/a/);
  defectLogged("0123 GET /a TypeError");
  defectLogged("0124 GET /a TypeError");
  expect(settleDefects()).toHaveLength(1);
});

it("an unexpected error in a spawned program is noticed, however its output is cut into pieces", async () => {
  const stderr = new PassThrough();
  watchForDefects(stderr);
  stderr.write("Watching shop\n ERR");
  stderr.write("OR  0123 GET /a TypeError\n    at somewhere\n[error] Unhandled error\n");
  stderr.end("The monitor failed: x\nThis is a bug in the monitor; --log-level debug shows where it happened.\n");
  await new Promise((ended) => stderr.on("end", ended));
  expect(settleDefects()).toEqual([
    "The monitor logged a defect:  ERROR  0123 GET /a TypeError",
    "The monitor logged a defect: [error] Unhandled error",
    "The monitor logged a defect: This is a bug in the monitor; --log-level debug shows where it happened.",
  ]);
});
