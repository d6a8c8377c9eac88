/** An invocation whose history has two ends: lists and statistics count differently, and both pages say so. */
import { expect, it } from "vitest";
import type { Stats } from "../../src/api/stats.ts";
import type { TaskList } from "../../src/api/tasks.ts";
import { FINAL_STATUSES } from "../../src/pynenc/statuses.ts";
import { write } from "../browser/store.ts";
import { factsOf, sum } from "../support/fixtures.ts";
import { figuresRead, monitorOf, testMonitor } from "../support/monitor.ts";

it("an invocation that ended twice counts once in the list of tasks and twice in statistics, as both pages explain", async () => {
  const monitor = await testMonitor(monitorOf("kitchen_sink.db", "in process", { app: "kitchen_sink" }));
  write(
    monitor.path,
    `INSERT INTO $state_backend_history
     SELECT invocation_id, history_timestamp - 0.001, history_status, history_json FROM $state_backend_history
     WHERE history_status = 'success' ORDER BY invocation_id LIMIT 3`,
  );
  await figuresRead(monitor);
  const { statuses } = factsOf("kitchen_sink.db", "kitchen_sink");
  const final = sum(Object.fromEntries(Object.entries(statuses).filter(([status]) => FINAL_STATUSES.includes(status))));
  const range = "from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z";
  const { total } = await monitor.json<Stats>(`/stats/?${range}`);
  expect(total.finished).toBeGreaterThanOrEqual(final + 3);
  const { tasks } = await monitor.json<TaskList>("/tasks/");
  const listed = tasks.flatMap((row) => row.statuses).filter(({ status }) => FINAL_STATUSES.includes(status));
  expect(listed.reduce((n, { count }) => n + count, 0)).toBe(final);
  expect(await monitor.text(`/stats/?${range}`)).toContain("an invocation that ended twice counts twice.");
});
