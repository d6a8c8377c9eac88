import { describe, expect, it } from "vitest";
import { type OptionFlags, resolveConfiguration } from "../../src/config/options.ts";
import { effectiveSettings } from "../../src/config/pynenc-sources.ts";
import { MASK } from "../../src/config/secret-names.ts";
import type { Environment } from "../../src/config/setting-sources.ts";
import { assertProgressing, settingsReport } from "../../src/config/settings-report.ts";
import { InvalidInputError } from "../../src/errors.ts";
import { SETTINGS } from "../../src/pynenc/settings.ts";
import { thrownBy, workspace } from "./workspace.ts";

function reportOf(env: Environment = {}, flags: OptionFlags = {}) {
  return settingsReport(resolveConfiguration({ flags, env, cwd: workspace() }));
}

function settingsOf(env: Environment) {
  return effectiveSettings({ cwd: workspace(), env, configFile: null, appInfo: null });
}

describe("the settings report", () => {
  it.each([
    ["sqlite", {}],
    ["redis", { PYNENC__STATE_BACKEND_CLS: "RedisStateBackend" }],
    ["mongo", { PYNENC__STATE_BACKEND_CLS: "MongoStateBackend" }],
  ])(
    "of an app on %s has a row for each setting except those of other kinds of store, and the address of each component",
    (kind, env) => {
      const others = ["sqlite", "redis", "mongo"].filter((one) => one !== kind);
      const { groups } = reportOf(env);
      const rows = groups.flatMap(({ section, rows }) => rows.map(({ field }) => `${section}.${field}`));
      const components = ["broker", "orchestrator", "statebackend", "clientdatastore", "trigger"];
      const fields = SETTINGS.filter(({ section }) => section === kind).map(({ field }) => field);
      expect(new Set(rows)).toEqual(
        new Set([
          ...SETTINGS.filter(({ section }) => !others.includes(section)).map(
            ({ section, field }) => `${section}.${field}`,
          ),
          ...components.flatMap((component) => fields.map((field) => `${component}${kind}.${field}`)),
        ]),
      );
      expect(rows.length).toBe(new Set(rows).size);
      expect(groups.length).toBe(new Set(groups.map(({ config_class }) => config_class)).size);
    },
  );

  it("has the value, origin, default, unit, meaning and warning of a setting", () => {
    const { groups } = reportOf({ PYNENC__ENABLE_SCHEDULER: "no", PYNENC__SQLITE_DB_PATH: "https://u:hunter2@h/x" });
    const rows = groups.flatMap((group) => group.rows);
    const scheduler = rows.find(({ field }) => field === "enable_scheduler");
    expect(scheduler).toMatchObject({ value: true, origin: "PYNENC__ENABLE_SCHEDULER", default: true });
    expect(scheduler?.warning).toBeTruthy();
    expect(scheduler?.meaning).toBeTruthy();
    expect(rows.find(({ field }) => field === "sqlite_db_path")?.value).toBe(`https://${MASK}@h/x`);
    expect(JSON.stringify(groups)).not.toContain("hunter2");
  });

  it("has settings of a component from the class for its store", () => {
    const env = {
      PYNENC__TRIGGER_CLS: "RedisTrigger",
      PYNENC__CONFIGTRIGGERREDIS__EVENT_RETENTION_DAYS: "3",
      PYNENC__CONFIGTRIGGERSQLITE__EVENT_RETENTION_DAYS: "4",
    };
    const days = (given: Environment) => {
      const { settings } = resolveConfiguration({ flags: {}, env: given, cwd: workspace() });
      return settings.get("event_retention_days")?.value;
    };
    expect(days(env)).toBe(3);
    expect(days({ ...env, PYNENC__TRIGGER_CLS: "SQLiteTrigger" })).toBe(4);
  });

  it("shows no password of a server", () => {
    const env = {
      PYNENC__REDIS_PASSWORD: "hunter2",
      PYNENC__CONFIGBROKERREDIS__REDIS_URL: "redis://me:hunter2@host/0",
      PYNENC__CONFIGTRIGGERREDIS__REDIS_URL: "redis://localhost/0?password=hunter2",
    };
    for (const flags of [{ backend: "redis" }, { url: "redis://:hunter2@host" }]) {
      const report = reportOf(env, flags);
      expect(JSON.stringify(report)).not.toContain("hunter2");
      const rows = report.groups.flatMap(({ rows }) => rows);
      expect(rows.filter(({ field }) => field === "redis_password").map(({ value }) => value)).toEqual(
        Array(6).fill(MASK),
      );
    }
  });

  it("lists the monitor's own options as they are typed", () => {
    const { options } = reportOf({}, { readOnly: true, now: "2026-11-21T00:34:39Z", allowedHost: "web" });
    const byName = Object.fromEntries(options.map(({ option, value, origin }) => [option, { value, origin }]));
    expect(byName).toMatchObject({
      "read-only": { value: true, origin: "--read-only" },
      "no-token": { value: false, origin: "default" },
      now: { value: "2026-11-21T00:34:39.000000+00:00", origin: "--now" },
      "allowed-host": { value: ["web"], origin: "--allowed-host" },
      port: { value: 8000, origin: "default" },
      "log-level": { value: "info", origin: "default" },
    });
  });

  it("finds no problem in the defaults", () => {
    expect(reportOf().problems).toEqual([]);
    expect(() => assertProgressing(settingsOf({}))).not.toThrow();
  });
});

describe("settings under which an app could never make progress", () => {
  it.each([
    ["event_retention_days", "PYNENC__EVENT_RETENTION_DAYS", "0", 0],
    ["atomic_service_interval_minutes", "PYNENC__ATOMIC_SERVICE_INTERVAL_MINUTES", "-5", -5],
    ["atomic_service_check_interval_minutes", "PYNENC__CONFIGPYNENC__ATOMIC_SERVICE_CHECK_INTERVAL_MINUTES", "0", 0],
    ["atomic_service_spread_margin_minutes", "PYNENC__ATOMIC_SERVICE_SPREAD_MARGIN_MINUTES", "5", 5],
  ])("include %s from %s", (setting, variable, text, value) => {
    const problem = reportOf({ [variable]: text }).problems.find((candidate) => candidate.setting === setting);
    expect(problem).toMatchObject({ setting, value, origin: variable });
    expect(problem?.accepted).toBeTruthy();
    const error = thrownBy(() => assertProgressing(settingsOf({ [variable]: text }))) as InvalidInputError;
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.problems).toContainEqual({
      parameter: `${setting} (${variable})`,
      value: String(value),
      accepted: problem?.accepted,
    });
  });

  it("do not include recovery and retention settings, which are only reported", () => {
    const env = {
      PYNENC__RUNNER_CONSIDERED_DEAD_AFTER_MINUTES: "0",
      PYNENC__RECOVER_PENDING_INVOCATIONS_CRON: "never",
    };
    expect(reportOf(env).problems.map(({ setting }) => setting)).toEqual([
      "recover_pending_invocations_cron",
      "runner_considered_dead_after_minutes",
    ]);
    expect(() => assertProgressing(settingsOf(env))).not.toThrow();
  });

  it("do not include an invalid number, which is replaced by the default with a warning", () => {
    const { groups } = reportOf({ PYNENC__EVENT_RETENTION_DAYS: "often" });
    const row = groups.flatMap(({ rows }) => rows).find(({ field }) => field === "event_retention_days");
    expect(row).toMatchObject({ value: 7, origin: "PYNENC__EVENT_RETENTION_DAYS" });
    expect(row?.warning).toContain("often");
  });

  it("are also refused if they come from the app info", () => {
    const settings = effectiveSettings({
      cwd: workspace(),
      env: {},
      configFile: null,
      appInfo: { config_values: { event_retention_days: 0 } },
    });
    expect(() => assertProgressing(settings)).toThrow('event_retention_days (app_info): "0" is not accepted');
  });
});
