/** Schedules of a recorded app, seen from a zone in which the clocks change that night. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { TriggerRow } from "../../../src/api/triggers.ts";
import { conditionDetail } from "../../../src/services/triggers/conditions.ts";
import { listTriggers } from "../../../src/services/triggers/triggers.ts";
import { copyFixture, temporaryFolder } from "../../support/fixtures.ts";
import { type Monitor, monitorAt } from "../../support/monitor.ts";

let monitor: Monitor;
let rows: TriggerRow[];
const folder = temporaryFolder();

beforeAll(async () => {
  const path = copyFixture("cases/cron_zones.db", folder.path);
  monitor = await monitorAt(path, "in process", { now: Date.parse("2027-03-28T00:10:00Z") / 1000 });
  const { tasks } = await listTriggers(await monitor.workspace.openOnly(), {});
  rows = tasks.flatMap(({ triggers }) => triggers);
});
afterAll(async () => {
  await monitor.close();
  folder.remove();
});

const rowOf = (task: string) => rows.find(({ task_id_key }) => task_id_key === task);

it.each([
  ["tasks.cron00", "at 02:30 UTC (30 2 * * *)", "2027-03-28T02:30"],
  ["tasks.cron03", "at 09:00 UTC, Monday through Friday (0 9 * * mon-fri)", "2027-03-29T09:00"],
  ["tasks.cron05", "every 7 minutes (*/7 * * * *)", "2027-03-28T00:14"],
])("the schedule of %s is worded as %j, with the zone of its times", (task, sentence, next) => {
  const row = rowOf(task);
  expect(row?.conditions[0]?.sentence).toBe(sentence);
  expect([row?.next_time?.slice(0, 16), row?.never_due]).toEqual([next, false]);
});

it("a schedule that no date matches is marked as never due, and an unreadable one is not", async () => {
  expect(rowOf("tasks.cron02")).toMatchObject({ next_time: null, never_due: true });
  expect(rowOf("tasks.cron07")).toMatchObject({ next_time: null, never_due: false });
  expect(rowOf("tasks.alert_editorial")).toMatchObject({ next_time: null, never_due: false });
  const condition_id = rowOf("tasks.cron02")?.conditions[0]?.condition_id ?? "";
  const app = await monitor.workspace.openOnly();
  expect(await conditionDetail(app, { condition_id: [condition_id] })).toMatchObject({
    next_times: [],
    never_due: true,
  });
  expect(await monitor.text("/triggers/")).toMatch(/31 2 \*[\s\S]{0,400}>never</);
});
