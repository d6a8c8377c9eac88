/** Settings given with a request, and the instants and limits that come of them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { effectiveSettings } from "../../src/config/pynenc-sources.ts";
import { InvalidInputError } from "../../src/errors.ts";
import { isoFromEpoch } from "../../src/pynenc/time.ts";
import {
  autoPurgeEvents,
  autoPurgeOrchestrator,
  previewEventAutoPurge,
  previewOrchestratorAutoPurge,
} from "../../src/services/auto-purge.ts";
import { type OpenedApp, openedApp } from "../../src/services/opened-app.ts";
import { connectStore } from "../../src/stores/connect.ts";
import type { Store } from "../../src/stores/ports.ts";
import { copyFixture, presentOf, temporaryFolder } from "../support/fixtures.ts";
import { at, memoryApp } from "../support/memory-app/memory-app.ts";

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

  it("count for the request alone, in their own units, and a preview tells what the action then does", async () => {
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

  it("may switch the auto-purge of events off", async () => {
    const raw = { event_auto_purge_enabled: ["no"], event_max_records: ["1"] };
    expect((await previewEventAutoPurge(app, raw)).total).toBe(0);
    expect(await autoPurgeEvents(app, raw)).toMatchObject({ enabled: false, deleted: 0 });
    expect(await autoPurgeEvents(app, { event_max_records: ["1"] })).toMatchObject({
      enabled: true,
      events_by_capacity: 14,
    });
  });
});

describe("results that a parent may still ask for", () => {
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

  it("stay unless they are asked for, and are counted", async () => {
    const app = world();
    const preview = await previewOrchestratorAutoPurge(app.opened, NOW_DUE);
    expect(preview.open_parents).toEqual({ children: 2, taken: false });
    expect(preview.consequences).toEqual([]);
    expect(preview.stays.join(" ")).toContain(
      "2 final invocations old enough to go, because their parents are not final",
    );
    expect(preview.counts.map(({ name, rows }) => [name, rows])).toContainEqual(["invocations", 2]);
    const done = await autoPurgeOrchestrator(app.opened, NOW_DUE);
    expect(done).toMatchObject({ invocations: 2, deleted: 2, invocations_of_open_parents: 2 });
    expect(done.message).toContain("Kept: 2 final invocations whose parent is not final.");
    expect(left(app)).toEqual(["parent", "child 1", "child 2"]);
  });

  it("go with a warning when they are asked for", async () => {
    const app = world();
    const raw = { ...NOW_DUE, with_open_parents: ["0", "1"] };
    const preview = await previewOrchestratorAutoPurge(app.opened, raw);
    expect(preview.open_parents).toEqual({ children: 2, taken: true });
    expect(preview.consequences.join(" ")).toContain("fails with a KeyError");
    expect(preview.stays.join(" ")).not.toContain("old enough to go");
    expect(preview.settings.map((row) => row.field)).not.toContain("with_open_parents");
    const done = await autoPurgeOrchestrator(app.opened, raw);
    expect(done).toMatchObject({ invocations: 4, invocations_of_open_parents: 2 });
    expect(done.message).not.toContain("Kept");
    expect(left(app)).toEqual(["parent"]);
  });

  it("go by the last history entry of a parent that the orchestrator has forgotten", async () => {
    const app = memoryApp()
      .invocation("ended", { history: DONE, status: null })
      .invocation("a", { history: DONE, parent: "ended" })
      .invocation("went on", { history: [[at(0), "running", "r1"]], status: null })
      .invocation("b", { history: DONE, parent: "went on" })
      .invocation("c", { history: DONE, parent: "nobody knows" });
    await autoPurgeOrchestrator(app.opened, NOW_DUE);
    expect(left(app)).toEqual(["b", "c"]);
  });

  it("are no matter where none is due", async () => {
    const preview = await previewOrchestratorAutoPurge(world().opened, {});
    expect(preview.open_parents).toEqual({ children: 0, taken: false });
    expect(preview.stays).toHaveLength(1);
  });

  it("are asked for with yes or no", async () => {
    const raw = { with_open_parents: ["perhaps"] };
    await expect(previewOrchestratorAutoPurge(world().opened, raw)).rejects.toBeInstanceOf(InvalidInputError);
  });
});
