import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compositeMember,
  parseAppInfo,
  parseCondition,
  parseContext,
  parseEvent,
  parseHistory,
  parseStatusTime,
  parseTriggerRun,
} from "../../src/pynenc/json-records.ts";
import { epochFromIso } from "../../src/pynenc/time.ts";
import { eventRecord, triggerRunRecord } from "../../src/pynenc/trigger-records.ts";
import { FIXTURES, openFixture } from "./fixture-rows.ts";

const PARSERS = {
  parseAppInfo,
  parseCondition,
  parseContext,
  parseEvent,
  parseHistory,
  parseStatusTime,
  parseTriggerRun,
};

describe.each(Object.entries(PARSERS))("%s", (_, parse) => {
  it.each(["", "not json", "{", "null", "5", '"text"', "[]"])("returns null for %j", (text) => {
    expect(parse(text)).toBeNull();
  });

  it("never throws", () => {
    const name = fc.constantFrom(
      "condition_type",
      "context_type",
      "app_id",
      "data",
      "condition",
      "context",
      "participants",
      "payload",
      "status_record",
    );
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.dictionary(name, fc.jsonValue()).map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(text, (json) => {
        const read = parse(json);
        expect(read === null || typeof read === "object").toBe(true);
      }),
    );
  });

  it("survives deep nesting", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const record = `{"condition_type": "x", "context_type": "x", "app_id": "a", "data": ${deep}, "payload": {"a": ${deep}}}`;
    expect(() => parse(record)).not.toThrow();
  });
});

describe("parseHistory", () => {
  it("returns the time of the status, its owner, the acting runner and the parent", () => {
    const json = {
      _timestamp: "2026-11-21T00:34:39.919765+00:00",
      status_record: { status: "pending", runner_id: "r1", timestamp: "2026-11-21T00:34:39.500000+00:00" },
      runner_context_id: "r2",
      registered_by_inv_id: "i",
    };
    expect(parseStatusTime(JSON.stringify(json))).toBe(1795221279.5);
    expect(parseHistory(JSON.stringify(json))).toEqual({
      timestamp: 1795221279.5,
      status_runner_id: "r1",
      runner_context_id: "r2",
      registered_by_inv_id: "i",
    });
  });

  it("returns null for missing and malformed members", () => {
    const nothing = { timestamp: null, status_runner_id: null, runner_context_id: null, registered_by_inv_id: null };
    expect(parseHistory("{}")).toEqual(nothing);
    for (const odd of [
      '{"status_record": "pending", "runner_context_id": 5, "registered_by_inv_id": null}',
      '{"status_record": {"timestamp": "soon"}}',
      '{"status_record": {"timestamp": 1795221279.5}}',
    ])
      expect(parseHistory(odd)).toEqual(nothing);
  });
});

describe("what JSON that cannot be read leaves", () => {
  it("of an event is what the columns say, an empty payload and no conditions", () => {
    const columns = {
      event_id: "e",
      event_code: "order.created",
      timestamp: 1,
      emitted_by_invocation_id: null,
      emitted_by_task_id: null,
      emitted_by_runner_context_id: null,
    };
    const nothing = { matched_condition_ids: [], valid_condition_ids: [] };
    expect(eventRecord(columns, parseEvent("{"))).toEqual({ ...columns, ...nothing, payload: {} });
    expect(eventRecord(columns, parseEvent("{"), 5)).toEqual({ ...columns, ...nothing, payload: null, whole_size: 5 });
  });

  it("of a trigger run is what the columns say, and no conditions, events or sources", () => {
    const columns = {
      trigger_run_id: "run",
      trigger_id: "trigger",
      task_id_key: "shop.pay",
      logic_value: "or",
      claimed_at: 1,
      executed_at: null,
      triggered_invocation_id: "i",
    } as const;
    expect(triggerRunRecord(columns, parseTriggerRun("{"))).toEqual({
      ...columns,
      participants: [],
      valid_condition_ids: [],
      condition_ids: [],
      event_ids: [],
      source_invocation_ids: [],
      atomic_service_run_id: null,
      atomic_service_runner_id: null,
    });
  });
});

describe("parseAppInfo", () => {
  it("keeps config values as they are and fills in what is missing", () => {
    expect(parseAppInfo('{"app_id": "a", "config_values": {"max_retries": 3, "x": [1]}, "newer": true}')).toEqual({
      app_id: "a",
      module: null,
      module_filepath: null,
      app_variable: null,
      config_filepath: null,
      config_values: { max_retries: 3, x: [1] },
    });
  });
});

describe("parseCondition", () => {
  it("reads the filter inside the text inside the condition", () => {
    const filter = JSON.stringify({
      filter_type: "StaticArgumentFilter",
      data: { arguments: { vip: "true", odd: 5 } },
    });
    const json = { condition_type: "EventCondition", data: { event_code: "order.created", payload_filter: filter } };
    expect(parseCondition(JSON.stringify(json))).toEqual({
      condition_type: "EventCondition",
      data: {
        event_code: "order.created",
        payload_filter: { filter_type: "StaticArgumentFilter", data: { arguments: { vip: "true" }, callable: null } },
      },
    });
  });

  it("reads callable filters", () => {
    const callable_filter = JSON.stringify({ module: "tasks", function: "_is_big" });
    const payload_filter = JSON.stringify({ filter_type: "CallableArgumentFilter", data: { callable_filter } });
    expect(
      parseCondition(JSON.stringify({ condition_type: "EventCondition", data: { payload_filter } })),
    ).toMatchObject({
      data: { event_code: null, payload_filter: { data: { callable: { module: "tasks", function: "_is_big" } } } },
    });
  });

  it("returns the name of an unknown type", () => {
    expect(parseCondition('{"condition_type": "MoonCondition", "data": {}}')).toEqual({
      condition_type: "unknown",
      original_type: "MoonCondition",
    });
  });

  it("reads the members of composite conditions", () => {
    const member = { condition_type: "CronCondition", condition_data: { cron_expression: "* * * * *" } };
    expect(compositeMember(member)).toMatchObject({
      condition_type: "CronCondition",
      data: { cron_expression: "* * * * *" },
    });
    expect(compositeMember("CronCondition")).toBeNull();
  });
});

describe("parseContext", () => {
  it("distinguishes local times of 0.2.3 from UTC", () => {
    const at = (timestamp: string) =>
      parseContext(JSON.stringify({ context_type: "EventContext", data: {}, timestamp }));
    expect(at("2026-11-21T00:00:24.147152")).toMatchObject({ timestamp_is_local: true });
    expect(at("2026-11-21T00:46:51.595783+00:00")).toMatchObject({
      timestamp: epochFromIso("2026-11-21T00:46:51.595783Z"),
      timestamp_is_local: false,
    });
    expect(parseContext('{"context_type": "CronContext"}')).toMatchObject({
      timestamp: null,
      timestamp_is_local: false,
      data: {},
    });
  });

  it("reads the arguments of a source invocation", () => {
    const data = { invocation_id: "i", status_value: "success", arguments_json: { x: "1" }, result: "7" };
    expect(parseContext(JSON.stringify({ context_type: "ResultContext", data }))?.data).toMatchObject(data);
  });
});

describe("parseTriggerRun", () => {
  it("reads times without an offset as UTC", () => {
    expect(parseTriggerRun('{"claimed_at": "2026-11-21T00:00:01", "executed_at": null}')).toMatchObject({
      claimed_at: epochFromIso("2026-11-21T00:00:01Z"),
      executed_at: null,
      participants: [],
      valid_condition_ids: [],
    });
  });
});

describe.each(FIXTURES)("records of %s", (file) => {
  const apps = openFixture(file);

  it("include the app info", () => {
    for (const app of apps) expect(parseAppInfo(app.app_info_json)?.app_id).toBe(app.app_id);
  });

  it("include an acting runner in every history entry, and an owner if the status has one", () => {
    for (const row of apps.flatMap((app) => app.history)) {
      const entry = parseHistory(row.history_json);
      expect(entry?.runner_context_id).toEqual(expect.any(String));
      const owned = ["registered", "pending", "running", "paused", "resumed"].includes(row.history_status);
      expect(entry?.status_runner_id !== null).toBe(owned);
    }
  });

  it("include known conditions with readable filters", () => {
    const conditions = apps.flatMap((app) => app.conditions);
    expect(conditions.length).toBeGreaterThan(0);
    for (const { condition_json } of conditions) {
      const condition = parseCondition(condition_json);
      expect(condition?.condition_type).toMatch(/^(Cron|Event|Status|Result|Exception)Condition$/);
      if (condition && "data" in condition) expect(Object.values(condition.data)).not.toContain(null);
    }
  });

  it("include events, trigger runs and pending valid conditions", () => {
    const told = apps.flatMap((app) => app.events);
    const events = told.map((row) => parseEvent(row.event_json));
    expect(events.map((event) => event?.event_id)).toEqual(told.map((row) => row.event_id));
    expect(events.filter((event) => typeof event?.timestamp !== "number")).toEqual([]);
    expect(events.map((event) => event?.matched_condition_ids.length)).toEqual(
      events.map((event) => event?.valid_condition_ids.length),
    );
    const executed = apps.flatMap((app) => app.trigger_runs);
    const runs = executed.map((row) => parseTriggerRun(row.trigger_run_json));
    expect(runs.map((run) => run?.trigger_run_id)).toEqual(executed.map((row) => row.trigger_run_id));
    const participants = runs.flatMap((run) => run?.participants ?? []);
    expect(participants.map((one) => one.valid_condition_id)).toEqual(runs.flatMap((run) => run?.valid_condition_ids));
    expect(participants.filter((one) => typeof one.context_timestamp !== "number")).toEqual([]);
  });
});
