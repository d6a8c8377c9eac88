/** Settings as pages show them. */
import { describe, expect, it } from "vitest";
import { effectiveSettings } from "../../../src/config/pynenc-sources.ts";
import { settingRows } from "../../../src/services/model/setting-rows.ts";
import { memoryApp } from "../../support/memory-app/memory-app.ts";

const settings = (config_values: Record<string, unknown>, env: Record<string, string> = {}) =>
  effectiveSettings({ cwd: import.meta.dirname, env, configFile: null, appInfo: { config_values } });

describe("a setting", () => {
  it("shows its value, unit, meaning and origin", () => {
    const found = settings({ max_pending_seconds: 7.5 }, { PYNENC__QUEUE_TIMEOUT_SEC: "2" });
    const [pending, timeout, interval] = settingRows(found, [
      "max_pending_seconds",
      "queue_timeout_sec",
      "atomic_service_interval_minutes",
    ]);
    expect(pending).toMatchObject({ field: "max_pending_seconds", value: "7.5", origin: "app_info", warning: null });
    expect(pending?.meaning).not.toBe("");
    expect(timeout).toMatchObject({ value: "2", origin: "PYNENC__QUEUE_TIMEOUT_SEC" });
    expect(interval).toMatchObject({ origin: "default", unit: "minutes" });
  });

  it.each([
    [{ disable_client_data_store: true }, "disable_client_data_store", "on"],
    [{ disable_client_data_store: false }, "disable_client_data_store", "off"],
    [{ rabbitmq_host: "" }, "rabbitmq_host", "not set"],
  ])("%j is shown as a word", (values, field, shown) => {
    expect(settingRows(settings(values), [field]).map((row) => row.value)).toEqual([shown]);
  });

  it("of priority rules names the task of each rule", () => {
    const rules = [
      { task_id: "shop.pay", priority: 5 },
      { task_id: "shop.*", priority: 1 },
    ];
    const rows = settingRows(settings({ priority_rules: rules }), ["priority_rules"]);
    expect(rows.map((row) => row.value)).toEqual(["shop.pay: 5, shop.*: 1"]);
  });

  it("that is secret is masked", () => {
    const [row] = settingRows(settings({ rabbitmq_password: "hunter2" }), ["rabbitmq_password"]);
    expect(row).toMatchObject({ value: expect.stringMatching(/^[^a-z]+$/), origin: "app_info" });
  });

  it("comes in the requested order, and an unknown field is left out", () => {
    const rows = settingRows(settings({}), ["serializer_cls", "no_such_setting", "broker_cls"]);
    expect(rows.map((row) => row.field)).toEqual(["serializer_cls", "broker_cls"]);
  });

  it("with a contradictory value has a warning", () => {
    const [row] = settingRows(settings({}, { PYNENC__DISABLE_CLIENT_DATA_STORE: "false" }), [
      "disable_client_data_store",
    ]);
    expect(row?.warning).not.toBeNull();
    expect(row?.value).toBe("on");
  });
});

const shown = (settings: Record<string, unknown>, present?: { broker: boolean }) =>
  settingRows(memoryApp({ settings }).opened.settings, ["broker_cls", "queue_timeout_sec"], present).map(
    ({ value, origin }) => [value, origin],
  );

it("the class of a component found in the store is that of the store, not the default", () => {
  expect(shown({}, { broker: true })[0]).toEqual(["SQLiteBroker", "seen in this store"]);
  expect(shown({}, { broker: true })[1]?.[1]).toBe("default");
});

it("the class of a component that is not in the store, or that a setting names, is the configured one", () => {
  expect(shown({}, { broker: false })[0]).toEqual(["MemBroker", "default"]);
  expect(shown({})[0]).toEqual(["MemBroker", "default"]);
  const [row] = shown({ broker_cls: "shop.OwnBroker" }, { broker: true });
  expect(row?.[0]).toBe("shop.OwnBroker");
  expect(row?.[1]).not.toBe("seen in this store");
});
