/** Settings given with an auto-purge request, and what the purge then deletes and keeps. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { effectiveSettings } from "../../../src/config/pynenc-sources.ts";
import { InvalidInputError } from "../../../src/errors.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import {
  autoPurgeEvents,
  autoPurgeOrchestrator,
  previewEventAutoPurge,
  previewOrchestratorAutoPurge,
  purgeCounts,
} from "../../../src/services/actions/auto-purge.ts";
import { type OpenedApp, openedApp } from "../../../src/services/app/opened-app.ts";
import { connectStore } from "../../../src/stores/connect.ts";
import type { Store } from "../../../src/stores/ports/store.ts";
import { copyFixture, presentOf, temporaryFolder } from "../../support/fixtures.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

const FIXTURE = "kitchen_sink.db";
const NOW = presentOf(FIXTURE);
const folder = temporaryFolder();
let store: Store;
let app: OpenedApp;

beforeAll(async () => {
  store = await connectStore(
    { kind: "sqlite", path: copyFixture(FIXTURE, folder.path), components: new Map() },
    { threads: 0, lockWait: 1, readOnly: false },
  );
  const settings = effectiveSettings({ cwd: folder.path, env: {}, configFile: null, appInfo: null });
  app = openedApp(store.app("kitchen_sink"), settings, () => NOW);
});
afterAll(async () => {
  await store.close();
  folder.remove();
});

describe("settings of an auto-purge", () => {
  it.each([
    ["event_max_records", "1.5"],
    ["event_max_records", "-1"],
    ["trigger_run_max_records", "0.1"],
    ["event_retention_days", "soon"],
    ["event_auto_purge_enabled", "perhaps"],
  ])("of events: %s=%s is refused", async (name, value) => {
    for (const attempt of [previewEventAutoPurge, autoPurgeEvents])
      await expect(attempt(app, { [name]: [value] })).rejects.toBeInstanceOf(InvalidInputError);
  });

  it.each([
    ["atomic_service_execution_max_records", "1.5"],
    ["auto_final_invocation_purge_hours", "-1"],
    ["atomic_service_execution_retention_minutes", "1e3"],
  ])("of the orchestrator: %s=%s is refused", async (name, value) => {
    for (const attempt of [previewOrchestratorAutoPurge, autoPurgeOrchestrator])
      await expect(attempt(app, { [name]: [value] })).rejects.toBeInstanceOf(InvalidInputError);
  });

  it("apply to the request alone, in their own units, and the preview counts what the action then deletes", async () => {
    const raw = {
      auto_final_invocation_purge_hours: ["0.01"],
      atomic_service_execution_retention_minutes: ["0.5"],
      atomic_service_execution_max_records: ["100"],
    };
    const preview = await previewOrchestratorAutoPurge(app, raw);
    expect(preview.older_than).toEqual({ invocations: isoFromEpoch(NOW - 36), executions: isoFromEpoch(NOW - 30) });
    expect(preview.total).toBeGreaterThan(0);
    const done = await autoPurgeOrchestrator(app, raw);
    for (const { name, rows } of preview.counts) expect([name, done[name as keyof typeof done]]).toEqual([name, rows]);
    // Without them, everything is young enough by pynenc's defaults.
    expect((await previewOrchestratorAutoPurge(app, {})).total).toBe(0);
  });

  it("can switch off the auto-purge of events", async () => {
    const raw = { event_auto_purge_enabled: ["no"], event_max_records: ["1"] };
    expect((await previewEventAutoPurge(app, raw)).total).toBe(0);
    expect(await autoPurgeEvents(app, raw)).toMatchObject({ enabled: false, deleted: 0 });
    expect(await autoPurgeEvents(app, { event_max_records: ["1"] })).toMatchObject({
      enabled: true,
      events_by_capacity: 14,
    });
  });
});

describe("an auto-purge of events", () => {
  const DAY = 86_400;
  /** Old: an event and a run. Young: three events and four runs, one of them by the old event. */
  const world = () => {
    const app = memoryApp({ now: at(30 * DAY) });
    app.event("old", { timestamp: at(0) }).triggerRun("old run", { executed_at: at(1) });
    for (const n of [1, 2, 3]) app.event(`e${n}`, { timestamp: at(29 * DAY + n) });
    app.triggerRun("of the old event", { executed_at: at(29 * DAY), participants: [{ event_id: "old" }] });
    for (const n of [1, 2, 3]) app.triggerRun(`r${n}`, { executed_at: at(29 * DAY + n) });
    return app;
  };
  const raw = { event_retention_days: ["7"], event_max_records: ["2"], trigger_run_max_records: ["1"] };

  it("counts each event and trigger run once, whichever limit it exceeds", async () => {
    const app = world();
    const done = await autoPurgeEvents(app.opened, raw);
    expect(done).toMatchObject({
      events_by_age: 1,
      events_by_capacity: 1,
      trigger_runs_by_age: 1,
      trigger_runs_of_events: 1,
      trigger_runs_by_capacity: 2,
      deleted: 6,
    });
    expect(done.message).toBe("Auto-purged the events of shop: 2 events and 4 trigger runs removed.");
    expect(
      app.rows((rows) => [rows.events.map((one) => one.event_id), rows.runs.map((one) => one.trigger_run_id)]),
    ).toEqual([["e2", "e3"], ["r3"]]);
  });

  it("shows the settings that apply to the request, with their origin", async () => {
    const shown = async (given: Record<string, string[]>) => {
      const { settings } = await previewEventAutoPurge(world().opened, given);
      const row = (field: string) => settings.find((one) => one.field === field);
      return [row("event_auto_purge_enabled"), row("event_max_records")];
    };
    const ours = { origin: "set in this request", warning: null };
    expect(await shown({ event_auto_purge_enabled: ["0"], event_max_records: ["7"] })).toMatchObject([
      { value: "off", ...ours },
      { value: "7", ...ours },
    ]);
    expect(await shown({ event_auto_purge_enabled: ["yes"] })).toMatchObject([
      { value: "on", ...ours },
      { value: "0", origin: "default" },
    ]);
  });

  it("deletes nothing from a store without events, and says since which version pynenc records them", async () => {
    const app = memoryApp({ capabilities: { events: false } });
    expect(await previewEventAutoPurge(app.opened, {})).toMatchObject({
      total: 0,
      consequences: [],
      refused: "This store records no events: pynenc records them since 0.2.4.",
    });
  });

  it("warns of interrupted traces only if something is deleted", async () => {
    const consequences = async (given: Record<string, string[]>) =>
      (await previewEventAutoPurge(world().opened, given)).consequences.join(" ");
    expect(await consequences(raw)).toContain("Traces through these events and trigger runs end there");
    expect(await consequences({ event_retention_days: ["365"] })).toBe("");
  });
});

describe("an auto-purge of the orchestrator", () => {
  const HOUR = 3_600;
  /** Final since the start; `queued` of them still have a message. Three runs of the atomic service ended an hour ago. */
  const world = (queued: number) => {
    const app = memoryApp({ now: at(HOUR) }).invocations(3, () => ({
      history: [
        [at(-1), "registered"],
        [at(0), "success"],
      ],
    }));
    for (let n = 0; n < queued; n++) app.message(`i${n}`);
    for (const n of [1, 2, 3]) app.execution(`run ${n}`, { start_time: at(-n), end_time: at(-n) });
    return app;
  };
  const due = { auto_final_invocation_purge_hours: ["1"] };

  it("keeps invocations that have a message, and says so", async () => {
    const stays = async (queued: number) =>
      (await previewOrchestratorAutoPurge(world(queued).opened, due)).stays.slice(1).join(" ");
    expect(await stays(0)).toBe("");
    expect(await stays(1)).toContain("1 invocation due for removal, because a message is still queued for it, and");
    expect(await stays(2)).toContain("2 invocations due for removal, because a message is still queued for them, and");
    const app = world(2);
    expect(await autoPurgeOrchestrator(app.opened, due)).toMatchObject({
      success: true,
      action: "auto-purge orchestrator",
      invocations: 1,
      invocations_kept: 2,
    });
    expect(app.rows((rows) => rows.statuses.map((row) => row.invocation_id))).toEqual(["i0", "i1"]);
  });

  it("limits executions by age and by number: 0 minutes switches off the age, 0 records the number", async () => {
    const left = async (minutes: string, records: string) => {
      const app = world(0);
      const { older_than } = await previewOrchestratorAutoPurge(app.opened, {
        atomic_service_execution_retention_minutes: [minutes],
      });
      await autoPurgeOrchestrator(app.opened, {
        atomic_service_execution_retention_minutes: [minutes],
        atomic_service_execution_max_records: [records],
      });
      return [older_than.executions, app.rows((rows) => rows.executions.length)];
    };
    expect(await left("0", "0")).toEqual([null, 3]);
    expect(await left("0", "2")).toEqual([null, 2]);
    expect(await left("60", "0")).toEqual([isoFromEpoch(at(0)), 0]);
    expect(await left("1", "0")).toEqual([isoFromEpoch(at(HOUR - 60)), 0]);
    expect(await left("61", "0")).toEqual([isoFromEpoch(at(-60)), 3]);
    expect(await left("61", "1")).toEqual([isoFromEpoch(at(-60)), 1]);
  });

  it("has the deleted rows in its message", async () => {
    const { message, deleted } = await autoPurgeOrchestrator(world(1).opened, {
      ...due,
      atomic_service_execution_retention_minutes: ["1"],
    });
    expect(message).toBe("Auto-purged the orchestrator of shop: 2 final invocations and 3 executions removed.");
    expect(deleted).toBe(5);
  });
});

describe("counts of a purge", () => {
  it("are exact unless the purge says otherwise", () => {
    const exactness = (purged: object) => purgeCounts("orchestrator", purged).map((count) => count.exact);
    expect(exactness({ invocations: 3, exact: true })).toEqual([true]);
    expect(exactness({ invocations: 3, exact: false })).toEqual([false]);
    expect(exactness({ events_by_age: 3 })).toEqual([true]);
  });

  it("list deleted rows only, and leaked index entries only if there are some", () => {
    const purged = {
      deleted: 3,
      invocations: 3,
      invocations_kept: 1,
      executions_kept: 1,
      invocations_of_open_parents: 1,
    };
    const names = (more: object) => purgeCounts("orchestrator", { ...purged, ...more }).map((count) => count.name);
    expect(names({ leaked_index_entries: 0 })).toEqual(["invocations"]);
    expect(names({ leaked_index_entries: 2 })).toEqual(["invocations", "leaked_index_entries"]);
  });
});

describe("final invocations whose parent is not final", () => {
  const DONE = [
    [at(1), "registered"],
    [at(2), "success", "r1"],
  ] as const;
  /** A parent that waits, two children that are done, and another family that is over. */
  const world = () =>
    memoryApp()
      .invocation("parent", { history: [[at(0), "paused", "r1"]] })
      .invocation("child 1", { history: DONE, parent: "parent" })
      .invocation("child 2", { history: DONE, parent: "parent" })
      .invocation("over", { history: DONE })
      .invocation("child of it", { history: DONE, parent: "over" });
  const NOW_DUE = { auto_final_invocation_purge_hours: ["0"] };
  const left = (app: ReturnType<typeof world>) => app.rows((rows) => rows.statuses.map((row) => row.invocation_id));

  it("are kept by an auto-purge by default, and counted", async () => {
    const app = world();
    const preview = await previewOrchestratorAutoPurge(app.opened, NOW_DUE);
    expect(preview.open_parents).toEqual({ children: 2, taken: false });
    expect(preview.consequences).toEqual([]);
    expect(preview.stays.join(" ")).toContain(
      "2 final invocations due for removal, because their parents are not final",
    );
    expect(preview.counts.map(({ name, rows }) => [name, rows])).toContainEqual(["invocations", 2]);
    const done = await autoPurgeOrchestrator(app.opened, NOW_DUE);
    expect(done).toMatchObject({ invocations: 2, deleted: 2, invocations_of_open_parents: 2 });
    expect(done.message).toContain("Kept: 2 final invocations whose parent is not final.");
    expect(left(app)).toEqual(["parent", "child 1", "child 2"]);
  });

  it("are deleted with a warning on request", async () => {
    const app = world();
    const raw = { ...NOW_DUE, with_open_parents: ["0", "1"] };
    const preview = await previewOrchestratorAutoPurge(app.opened, raw);
    expect(preview.open_parents).toEqual({ children: 2, taken: true });
    expect(preview.consequences.join(" ")).toContain("fails with a KeyError");
    expect(preview.stays.join(" ")).not.toContain("due for removal");
    expect(preview.settings.map((row) => row.field)).not.toContain("with_open_parents");
    const done = await autoPurgeOrchestrator(app.opened, raw);
    expect(done).toMatchObject({ invocations: 4, invocations_of_open_parents: 2 });
    expect(done.message).not.toContain("Kept");
    expect(left(app)).toEqual(["parent"]);
  });

  it("are described in the singular or plural", async () => {
    const words = async (children: number, taken: string) => {
      const app = memoryApp().invocation("parent", { history: [[at(0), "paused", "r1"]] });
      for (let n = 0; n < children; n++) app.invocation(`child ${n}`, { history: DONE, parent: "parent" });
      const raw = { ...NOW_DUE, with_open_parents: [taken] };
      const { stays, consequences } = await previewOrchestratorAutoPurge(app.opened, raw);
      return [...stays.slice(1), ...consequences].join(" ");
    };
    expect(await words(1, "0")).toMatch(/^1 final invocation due .*its parent is not final.* removes it too/);
    expect(await words(2, "0")).toMatch(/^2 final invocations due .*their parents are not final.* removes them too/);
    expect(await words(1, "1")).toMatch(/^1 final invocation is removed although its parent is not final/);
    expect(await words(2, "1")).toMatch(/^2 final invocations are removed although their parents are not final/);
  });

  it("are recognised by the parent's last history entry if the orchestrator has purged the parent", async () => {
    const app = memoryApp()
      .invocation("ended", { history: DONE, status: null })
      .invocation("a", { history: DONE, parent: "ended" })
      .invocation("went on", { history: [[at(0), "running", "r1"]], status: null })
      .invocation("b", { history: DONE, parent: "went on" })
      .invocation("c", { history: DONE, parent: "nobody knows" });
    await autoPurgeOrchestrator(app.opened, NOW_DUE);
    expect(left(app)).toEqual(["b", "c"]);
  });

  it("are not mentioned if none is due", async () => {
    const preview = await previewOrchestratorAutoPurge(world().opened, {});
    expect(preview.open_parents).toEqual({ children: 0, taken: false });
    expect(preview.stays).toHaveLength(1);
    const asked = await previewOrchestratorAutoPurge(world().opened, { with_open_parents: ["1"] });
    expect([asked.open_parents, asked.consequences]).toEqual([{ children: 0, taken: true }, []]);
  });

  it("are chosen with yes or no, and other words are refused", async () => {
    const raw = { with_open_parents: ["perhaps"] };
    await expect(previewOrchestratorAutoPurge(world().opened, raw)).rejects.toBeInstanceOf(InvalidInputError);
  });
});
