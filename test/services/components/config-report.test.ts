/** The settings of an app, also where they make no sense or no store is found. */
import { afterAll, expect, it, onTestFinished } from "vitest";
import { resolveConfiguration } from "../../../src/config/options.ts";
import { NotFoundError } from "../../../src/errors.ts";
import { tablePrefix } from "../../../src/pynenc/identifiers.ts";
import { Workspace } from "../../../src/services/app/workspace.ts";
import { configReport, uncheckedApps } from "../../../src/services/components/config-report.ts";
import { change } from "../../stores/sqlite/rows.ts";
import { copyFixture, temporaryFolder } from "../../support/fixtures.ts";

const folder = temporaryFolder();
afterAll(folder.remove);

function input(flags: { app?: string; db?: string } = {}, env: Record<string, string> = {}) {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const db = flags.db ?? copyFixture("pending_triggers.db", folder.path);
  const given = { env, cwd: folder.path };
  return { configuration: resolveConfiguration({ flags: { ...flags, db }, ...given }), ...given };
}

const report = (given: ReturnType<typeof input>) =>
  configReport(given.configuration, () => Workspace.connect({ ...given, threads: 0, clock: () => 0 }));

const settingOf = (found: Awaited<ReturnType<typeof report>>, field: string) =>
  found.groups.flatMap((group) => group.rows).find((row) => row.field === field);

it("the report has the settings of the only app, with those that the app registered itself", async () => {
  const given = input();
  const { value: db } = given.configuration.options.db;
  change(
    db ?? "",
    `UPDATE ${tablePrefix("pending_triggers")}__state_backend_app_info
     SET app_info_json = json_set(app_info_json, '$.config_values', json('{"max_pending_seconds": 9}'))`,
  );
  const found = await report(given);
  expect(found).toMatchObject({ app_id: "pending_triggers", notes: [], problems: [], location: db });
  expect(settingOf(found, "max_pending_seconds")).toMatchObject({ value: 9, origin: "app_info" });
});

it("a component found in the store is reported with its class as seen there, unless a setting names the class", async () => {
  const found = await report(input({}, { PYNENC__BROKER_CLS: "SQLiteBroker" }));
  expect(settingOf(found, "orchestrator_cls")).toMatchObject({
    value: "SQLiteOrchestrator",
    origin: "seen in this store",
    default: "MemOrchestrator",
  });
  expect(settingOf(found, "broker_cls")).toMatchObject({ value: "SQLiteBroker", origin: "PYNENC__BROKER_CLS" });
  expect(settingOf(found, "runner_cls")?.origin).toBe("default");
});

it("settings that no app could be opened with are still reported, with the problems", async () => {
  const given = input({}, { PYNENC__ATOMIC_SERVICE_INTERVAL_MINUTES: "-1" });
  const found = await report(given);
  expect(found.app_id).toBe("pending_triggers");
  expect(settingOf(found, "atomic_service_interval_minutes")).toMatchObject({ value: -1 });
  expect(found.problems.length).toBeGreaterThan(0);
});

it("without a store the report has a note about it, and the settings from elsewhere", async () => {
  const found = await report(input({ db: "/no/such/store.db" }, { PYNENC__MAX_PENDING_SECONDS: "9" }));
  expect([found.app_id, found.location]).toEqual([null, null]);
  expect(found.notes).toEqual([expect.stringContaining("/no/such/store.db")]);
  expect(settingOf(found, "max_pending_seconds")).toMatchObject({ value: 9, origin: "PYNENC__MAX_PENDING_SECONDS" });
});

it("with several apps and none chosen the report has a note with their names, and an unknown app is refused", async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const db = copyFixture("kitchen_sink.db", folder.path);
  const { app_id, location, notes } = await report(input({ db }));
  expect([app_id, location]).toEqual([null, db]);
  expect(notes).toEqual([
    expect.stringMatching(/^This store holds 2 apps, .* --app: kitchen-sink\.two\/β, kitchen_sink\.$/),
  ]);
  await expect(report(input({ db, app: "nobody" }))).rejects.toBeInstanceOf(NotFoundError);
  expect((await report(input({ db, app: "kitchen_sink" }))).app_id).toBe("kitchen_sink");
});

it.each([
  ["kitchen-sink.two/β", "kitchen_sink"],
  ["kitchen_sink", "kitchen-sink.two/β"],
])(
  "with %s only registered in the store, the report is about the other app, which is listed first",
  async (phantom, real) => {
    const given = input({ db: copyFixture("kitchen_sink.db", folder.path) });
    for (const component of ["orchestrator", "state_backend"])
      change(
        given.configuration.options.db.value ?? "",
        `DELETE FROM ${tablePrefix(phantom)}__${component}_invocations`,
      );
    const workspace = await Workspace.connect({ ...given, threads: 0, clock: () => 0 });
    onTestFinished(() => workspace.close());
    expect((await workspace.store.apps()).map((app) => [app.app_id, app.phantom])).toEqual([
      [real, false],
      [phantom, true],
    ]);
    expect((await uncheckedApps(given.configuration, workspace)).map((app) => app.app_id)).toEqual([real]);
    // With settings with which no app could be opened.
    const senseless = input(
      { db: given.configuration.options.db.value ?? "" },
      { PYNENC__ATOMIC_SERVICE_INTERVAL_MINUTES: "-1" },
    );
    expect((await report(senseless)).app_id).toBe(real);
  },
);
