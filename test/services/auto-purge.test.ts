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
