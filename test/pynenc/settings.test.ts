import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coerceSetting, validateSettings } from "../../src/pynenc/setting-checks.ts";
import { SETTINGS, type SettingDefinition } from "../../src/pynenc/settings.ts";

function setting(field: string): SettingDefinition {
  const definition = SETTINGS.find((candidate) => candidate.field === field);
  if (!definition) throw new Error(`no setting ${field}`);
  return definition;
}

const objections = (values: Record<string, unknown>) =>
  validateSettings(new Map(Object.entries(values))).map(({ field }) => field);

describe("SETTINGS", () => {
  it("have valid defaults of their own type", () => {
    for (const definition of SETTINGS) {
      expect(coerceSetting(definition, definition.default)).toEqual({ value: definition.default, warning: null });
      expect(definition.check?.(definition.default) ?? null).toBeNull();
    }
    expect(validateSettings(new Map())).toEqual([]);
  });

  it("are unique within a section", () => {
    const names = SETTINGS.map(({ section, field }) => `${section}.${field}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it("name their section as pynenc does", () => {
    expect(setting("app_id").section).toBe("pynenc");
    expect(setting("sqlite_db_path").section).toBe("sqlite");
    expect(setting("min_size_to_cache").section).toBe("clientdatastore");
    expect(setting("num_processes").section).toBe("persistentprocessrunner");
  });

  it("have the unit that their name ends with", () => {
    const units = { sec: "seconds", seconds: "seconds", minutes: "minutes", hours: "hours", days: "days" };
    for (const [ending, unit] of Object.entries(units)) {
      const named = SETTINGS.filter(({ field }) => field.endsWith(`_${ending}`));
      expect(named.map(({ field, unit: shown }) => [field, shown])).toEqual(named.map(({ field }) => [field, unit]));
    }
  });

  it("have the release in which the setting of workflows was renamed", () => {
    expect(setting("force_new_workflow").since).toBe("until 0.2.4");
    expect(setting("is_workflow_task").since).toBe("0.3.0");
  });
});

describe("validateSettings", () => {
  it.each([
    ["atomic_service_interval_minutes", 0],
    ["atomic_service_interval_minutes", "-1"],
    ["atomic_service_interval_minutes", "soon"],
    ["atomic_service_check_interval_minutes", 0],
    ["atomic_service_spread_margin_minutes", 5],
    ["atomic_service_spread_margin_minutes", -1],
    ["atomic_service_max_start_slot_fraction", 0],
    ["atomic_service_max_start_slot_fraction", 1.1],
    ["atomic_service_execution_max_records", -1],
    ["runner_considered_dead_after_minutes", 0],
    ["recover_pending_invocations_cron", "every minute"],
    ["recover_running_invocations_cron", "61 * * * *"],
    ["scheduler_interval_seconds", 0],
    ["max_events_batch_size", 0],
    ["event_retention_days", 0],
    ["event_max_records", -1],
    ["trigger_run_max_records", -5],
  ])("rejects only %s = %s", (field, value) => {
    expect(objections({ [field]: value })).toEqual([field]);
  });

  it.each([
    ["atomic_service_max_start_slot_fraction", 1],
    ["atomic_service_spread_margin_minutes", 0],
    ["atomic_service_spread_margin_minutes", 4.9],
    ["event_retention_days", "1"],
    ["event_max_records", 0],
    ["recover_pending_invocations_cron", "* * * * *"],
    ["app_id", ""],
    ["no_such_setting", -1],
  ])("accepts %s = %s", (field, value) => {
    expect(objections({ [field]: value })).toEqual([]);
  });

  it("says what is accepted", () => {
    expect(validateSettings(new Map<string, unknown>([["event_retention_days", 0]]))).toEqual([
      { field: "event_retention_days", value: 0, accepted: "must be 1 or greater" },
    ]);
    expect(validateSettings(new Map([["event_retention_days", "long"]]))[0]?.accepted).toBe("must be a whole number");
    expect(validateSettings(new Map([["atomic_service_interval_minutes", 1]]))).toEqual([
      {
        field: "atomic_service_spread_margin_minutes",
        value: 1,
        accepted: "must be less than atomic_service_interval_minutes (1)",
      },
    ]);
  });

  it("uses values given by section first", () => {
    expect(objections({ event_retention_days: 0, "trigger.event_retention_days": 7 })).toEqual([]);
    expect(objections({ "trigger.event_retention_days": 0 })).toEqual(["event_retention_days"]);
  });
});

describe("coerceSetting", () => {
  it.each(["False", "false", "0", "no", "off"])("reads the text %j as true, with a warning", (raw) => {
    const { value, warning } = coerceSetting(setting("enable_scheduler"), raw);
    expect(value).toBe(true);
    expect(warning).toContain("counts as true");
  });

  it.each([
    ["enable_scheduler", "yes", true],
    ["enable_scheduler", "", false],
    ["enable_scheduler", 0, false],
    ["cached_status_time", " 1_000.5 ", 1000.5],
    ["cached_status_time", "1e3", 1000],
    ["cached_status_time", ".5", 0.5],
    ["max_retries", "5", 5],
    ["max_retries", true, 1],
    ["app_id", 5, "5"],
    ["app_id", true, "True"],
    ["key_arguments", ["a", 1], ["a", "1"]],
    ["key_arguments", "", []],
  ])("reads %s = %j as %j", (field, raw, value) => {
    expect(coerceSetting(setting(field), raw)).toEqual({ value, warning: null });
  });

  it("warns if the conversion by Python loses something", () => {
    expect(coerceSetting(setting("max_retries"), 5.7)).toMatchObject({
      value: 5,
      warning: expect.stringContaining("cuts it to 5"),
    });
    expect(coerceSetting(setting("key_arguments"), "ab")).toMatchObject({
      value: ["a", "b"],
      warning: expect.stringContaining("list of its characters"),
    });
  });

  it.each([
    ["max_retries", "5.0"],
    ["max_retries", "many"],
    ["max_retries", ""],
    ["cached_status_time", "0x10"],
    ["cached_status_time", "."],
    ["cached_status_time", null],
    ["key_arguments", 5],
    ["app_id", {}],
  ])("falls back to the default of %s for %j", (field, raw) => {
    expect(coerceSetting(setting(field), raw)).toMatchObject({
      value: setting(field).default,
      warning: expect.stringContaining("pynenc cannot use it"),
    });
  });

  it("never throws, and returns a value of the setting's type", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SETTINGS),
        fc.anything({ withBigInt: true, withNullPrototype: true }),
        (definition, raw) => {
          const { value } = coerceSetting(definition, raw);
          expect(Array.isArray(value)).toBe(Array.isArray(definition.default));
          expect(typeof value).toBe(typeof definition.default);
        },
      ),
    );
  });
});

describe("settings of named queues", () => {
  const named = (field: string, config_class: string): SettingDefinition => {
    const found = SETTINGS.find((one) => one.field === field && one.config_class === config_class);
    if (found === undefined) throw new Error(`${config_class} has no ${field}`);
    return found;
  };
  const declared = named("queues", "ConfigBroker");
  const consumed = named("queues", "ConfigRunner");
  const rules = named("priority_rules", "ConfigBroker");

  it("accept names in a list or separated by commas, and add the default queue in front if it is missing", () => {
    expect(coerceSetting(declared, "mail, reports")).toEqual({ value: ["default", "mail", "reports"], warning: null });
    expect(coerceSetting(declared, ["mail", "default"]).value).toEqual(["mail", "default"]);
    expect(coerceSetting(consumed, "mail,reports").value).toEqual(["mail", "reports"]);
    expect([declared.default, consumed.default]).toEqual([["default"], []]);
  });

  it("reject a duplicate or invalid queue name, and a priority out of range", () => {
    const objections = (values: Record<string, unknown>) =>
      validateSettings(new Map(Object.entries(values))).map(({ field, accepted }) => `${field} ${accepted}`);
    expect(objections({ "broker.queues": ["default", "mail", "mail"] })).toEqual([
      "queues must not name a queue twice",
    ]);
    expect(objections({ "runner.queues": "a b" })).toEqual([
      "queues must be names of letters, digits, dots, dashes and underscores, separated by commas",
    ]);
    expect(objections({ "broker.queues": "mail", "runner.queues": "mail" })).toEqual([]);
    expect(objections({ priority: 100, queue: "a.b-c_D9" })).toEqual([]);
    expect(objections({ priority: 100.5, queue: "a/b" })).toEqual([
      "queue must be a name of letters, digits, dots, dashes and underscores",
      "priority must be from -100 to 100",
    ]);
    expect(objections({ priority_rules: [{ task_id: "a.*", priority: -101 }] })).toEqual([
      "priority_rules must have priorities from -100 to 100",
    ]);
  });

  it("accept priority rules as pynenc stores them, and no other form", () => {
    const given = [{ task_id: "shop.*", priority: "90" }];
    expect(coerceSetting(rules, given)).toEqual({ value: [{ task_id: "shop.*", priority: 90 }], warning: null });
    expect(coerceSetting(rules, "shop.*:90")).toMatchObject({
      value: [],
      warning: expect.stringContaining("is not a list of rules, each with task_id and priority"),
    });
  });
});
