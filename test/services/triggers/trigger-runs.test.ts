/** Lists of trigger runs. */
import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../src/errors.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { listTriggerRuns } from "../../../src/services/triggers/trigger-runs.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

describe("the task filter of trigger runs", () => {
  it("accepts the name of a function, and a note suggests a similar one for an unknown name", async () => {
    const app = memoryApp()
      .invocation("i", { task: "shop.mail.send" })
      .triggerRun("run", { task_id_key: "shop.mail.send" });
    const list = (task: string) => listTriggerRuns(app.opened, { task: [task] });
    expect((await list("send")).trigger_runs.map((run) => run.trigger_run_id)).toEqual(["run"]);
    expect((await list("send")).notes).toEqual([]);
    expect((await list("sned")).notes).toEqual(['No task "sned" is known; did you mean shop.mail.send?']);
  });
});

describe("the total of trigger runs", () => {
  it("is exact without a filter, and with one exact below 10,000 and a lower bound above", async () => {
    const app = memoryApp();
    for (let n = 0; n < 9_999; n++) app.triggerRun(`run ${n}`, { executed_at: at(n) });
    const page = async (raw: Record<string, string[]>) => (await listTriggerRuns(app.opened, raw)).page;
    expect(await page({ trigger: ["t1"] })).toMatchObject({ total: 9_999, total_capped: false });
    expect(await page({ trigger: ["t2"] })).toMatchObject({ total: 0, total_capped: false });
    app.triggerRun("one").triggerRun("two");
    expect(await page({ trigger: ["t1"] })).toMatchObject({ total: 10_000, total_capped: true });
    expect(await page({})).toMatchObject({ total: 10_001, total_capped: false });
  });

  it("is null if older runs were not searched, with a note on how far the search went", async () => {
    const app = memoryApp().triggerRun("oldest", { executed_at: at(0), trigger_id: "rare" });
    for (let n = 1; n < 10_000; n++) app.triggerRun(`run ${n}`, { executed_at: at(n) });
    const list = (raw: Record<string, string[]>) => listTriggerRuns(app.opened, raw);
    const seen = async (raw: Record<string, string[]>) => {
      const { trigger_runs, page, notes } = await list(raw);
      return [trigger_runs.map((run) => run.trigger_run_id), page.total, page.total_capped, notes];
    };
    expect(await seen({ trigger: ["rare"] })).toEqual([["oldest"], 1, false, []]);
    app.triggerRun("newest", { executed_at: at(10_000), trigger_id: "common" });
    const REACH = "The newest 10,000 trigger runs were searched; older ones may match too.";
    expect(await seen({ trigger: ["rare"] })).toEqual([[], null, false, [REACH]]);
    expect(await seen({ kind: ["cron"] })).toEqual([[], null, false, [REACH]]);
    expect(await seen({ trigger: ["common"] })).toEqual([["newest"], null, false, [REACH]]);
    expect((await seen({ trigger: ["t1"], limit: ["1"] }))[3]).toEqual([]);
    const { older } = await list({ trigger: ["rare"] });
    expect(older).toBe("run 1");
    expect(await seen({ trigger: ["rare"], after: [older ?? ""] })).toEqual([["oldest"], null, false, []]);
    expect(await seen({ trigger: ["rare"], to: [isoFromEpoch(at(9_999))] })).toEqual([["oldest"], 1, false, []]);
    expect((await list({})).notes).toEqual([]);
    expect(await list({ task: ["shop.pay"] })).toMatchObject({
      notes: [],
      page: { total: 10_000, total_capped: true },
    });
  });

  it("is null if the layout records no runs", async () => {
    const app = memoryApp({ capabilities: { events: false } });
    const list = await listTriggerRuns(app.opened, {});
    expect([list.events_recorded, list.page.total, list.trigger_runs]).toEqual([false, null, []]);
  });
});

describe("the list of trigger runs", () => {
  const app = memoryApp()
    .invocation("started")
    .trigger("t1")
    .trigger("other", { task_id_key: "shop.ship" })
    .triggerRun("by event", {
      executed_at: at(10),
      participants: [{ event_id: "e" }],
      triggered_invocation_id: "started",
    })
    .triggerRun("by status", { executed_at: at(20), participants: [{ source_invocation_id: "s" }], trigger_id: "gone" })
    .triggerRun("claimed", { claimed_at: at(30), executed_at: null, task_id_key: "shop.ship" });
  const ids = async (raw: Record<string, string>) => {
    const given = Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, [value]]));
    return (await listTriggerRuns(app.opened, given)).trigger_runs.map((run) => run.trigger_run_id);
  };

  it("is newest first, and can be restricted by task, trigger, time and kind of cause", async () => {
    expect(await ids({})).toEqual(["claimed", "by status", "by event"]);
    expect(await ids({ task: "shop.ship" })).toEqual(["claimed"]);
    expect(await ids({ trigger: "gone" })).toEqual(["by status"]);
    expect(await ids({ from: isoFromEpoch(at(20)) })).toEqual(["claimed", "by status"]);
    expect(await ids({ to: isoFromEpoch(at(20)) })).toEqual(["by status", "by event"]);
    expect(await ids({ kind: "event" })).toEqual(["by event"]);
    expect(await ids({ kind: "cron" })).toEqual([]);
    expect(await ids({ page: "2", limit: "2" })).toEqual(["by event"]);
  });

  it("refuses an end before the start, and accepts equal ones", async () => {
    const [start, end] = [isoFromEpoch(at(20)), isoFromEpoch(at(10))];
    await expect(ids({ start, end })).rejects.toBeInstanceOf(InvalidInputError);
    expect(await ids({ from: start, to: start })).toEqual(["by status"]);
  });

  it("says whether the trigger is still registered, and which invocation was started", async () => {
    const { trigger_runs, task_id_keys } = await listTriggerRuns(app.opened, {});
    expect(
      trigger_runs.map((run) => [run.trigger_run_id, run.trigger_registered, run.triggered_invocation?.status ?? null]),
    ).toEqual([
      ["claimed", true, null],
      ["by status", false, null],
      ["by event", true, "registered"],
    ]);
    expect(task_id_keys).toEqual(["shop.pay", "shop.ship"]);
  });

  it("has the first three causes of each run, and the number of all", async () => {
    const many = memoryApp().triggerRun("run", { participants: [1, 2, 3, 4].map((n) => ({ event_id: `e${n}` })) });
    const [run] = (await listTriggerRuns(many.opened, {})).trigger_runs;
    expect([run?.causes.map((cause) => cause.event_id), run?.causes_count]).toEqual([["e1", "e2", "e3"], 4]);
  });
});

describe("pages of trigger runs by cursor", () => {
  it("do not shift while runs are added", async () => {
    const app = memoryApp();
    const add = (n: number) =>
      app.triggerRun(`run ${n}`, { executed_at: at(n), trigger_id: n % 2 === 0 ? "even" : "odd" });
    for (let n = 0; n < 20; n++) add(n);
    let next = 100;
    for (const filter of [{}, { trigger: ["even"] }, { task: ["shop.pay"] }] as Record<string, string[]>[]) {
      const expected = (await listTriggerRuns(app.opened, { ...filter, limit: ["100"] })).trigger_runs;
      const met: string[] = [];
      for (let after: string | null = ""; after !== null; ) {
        const given: Record<string, string[]> = {
          ...filter,
          limit: ["3"],
          ...(after === "" ? {} : { after: [after] }),
        };
        const { trigger_runs, older, page } = await listTriggerRuns(app.opened, given);
        expect(page.total === null).toBe(after !== "");
        met.push(...trigger_runs.map((run) => run.trigger_run_id));
        add(next++);
        after = older;
      }
      expect(met).toEqual(expected.map((run) => run.trigger_run_id));
    }
    expect((await listTriggerRuns(app.opened, { after: ["gone"] })).trigger_runs).toEqual([]);
    await expect(listTriggerRuns(app.opened, { after: ["run 3"], page: ["2"] })).rejects.toThrow(/cannot be combined/);
  });
});
