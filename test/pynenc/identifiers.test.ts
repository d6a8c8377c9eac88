import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  appIdOfPrefix,
  argumentsId,
  CLIENT_DATA_PREFIX,
  callableFilterId,
  callKey,
  clientDataKey,
  cronConditionId,
  cronContextId,
  eventConditionId,
  eventContextId,
  exceptionConditionId,
  exceptionContextId,
  isClientDataReference,
  isCoreTask,
  NO_RESULT_FILTER,
  parseCallKey,
  parseTaskKey,
  resultConditionId,
  resultContextId,
  staticFilterId,
  statusConditionId,
  statusContextId,
  tablePrefix,
  triggerId,
  triggerRunId,
  validConditionId,
} from "../../src/pynenc/identifiers.ts";
import { anyText } from "../support/any-text.ts";
import { FIXTURES, openFixture } from "./fixture-rows.ts";

describe("appIdOfPrefix", () => {
  it.each(["shop", "my_app", "my-app", "2fast", "gen-demo"])(
    "finds %s, which the hash in the prefix proves",
    (appId) => {
      expect(appIdOfPrefix(tablePrefix(appId))).toBe(appId);
    },
  );

  it("returns null if characters were replaced, or the hash is that of another id", () => {
    for (const prefix of [tablePrefix("kitchen-sink.two/β"), "shop_00000000", "shop"]) {
      expect(appIdOfPrefix(prefix)).toBeNull();
    }
  });
});

describe("tablePrefix", () => {
  it.each([
    ["recovery_demo", "recovery_demo_1e3608f2"],
    ["gen-demo", "gen_demo_5a0c5ca9"],
    ["pynenc", "pynenc_f3eb01f2"],
    ["my-app", "my_app_4c9a75cc"],
    ["my_app", "my_app_3fe58225"],
    ["2fast", "_2fast_323a2d31"],
    ["app.one:two", "app_one_two_0bc25fb4"],
    ["日本", "___cf2abf0c"],
    ["", "_default_e3b0c442"],
  ])("of %j is %s", (appId, prefix) => {
    expect(tablePrefix(appId)).toBe(prefix);
  });

  it("replaces each code point by one underscore", () => {
    expect(tablePrefix("a😀b")).toMatch(/^a_b_[0-9a-f]{8}$/);
  });

  it("is a valid table name in SQLite for any app id", () => {
    fc.assert(
      fc.property(anyText(), (id) => {
        expect(tablePrefix(id)).toMatch(/^[A-Za-z_][A-Za-z0-9_]*_[0-9a-f]{8}$/);
      }),
    );
  });
});

describe("task and call keys", () => {
  it("splits a task key at the last dot", () => {
    expect(parseTaskKey("shop.orders.jobs.add")).toEqual({ module: "shop.orders.jobs", func: "add" });
  });

  it("splits a call key at the last colon", () => {
    expect(parseCallKey("odd:module.task:no_args")).toEqual({
      task_id_key: "odd:module.task",
      arguments_id: "no_args",
    });
  });

  it.each(["", "add", ".add", "tasks."])("rejects %j as a task key", (key) => {
    expect(parseTaskKey(key)).toBeNull();
  });

  it.each(["", "tasks.add", ":no_args", "tasks.add:"])("rejects %j as a call key", (key) => {
    expect(parseCallKey(key)).toBeNull();
  });

  it("splits again what callKey joined", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.stringMatching(/^[0-9a-f]{64}$/), (task, id) => {
        expect(parseCallKey(callKey(task, id))).toEqual({ task_id_key: task, arguments_id: id });
      }),
    );
  });

  it("recognises pynenc's own tasks", () => {
    expect(isCoreTask("pynenc.core_tasks.recover_pending_invocations")).toBe(true);
    expect(isCoreTask("my.pynenc.core_tasks.recover")).toBe(false);
  });
});

describe("argumentsId", () => {
  it.each([
    [{}, "no_args"],
    [{ task_num: "0" }, "b9952633ecc0c3dd271219d095aea9df08f63491334fc04f7962d8413860a499"],
    [{ task_num: "1" }, "9d71fb54e29fd14afe629303e52f7c073e1d649eed947b82a3669c25cbc62aa8"],
    [{ task_num: "2" }, "2959154bda94280976c2ce8bdd2f766bf7872ead0b19bca018f3c77d38539df7"],
    [{ a: "1", b: "3" }, "dbf457b6c67152d54d73154c704fe259996e67c04fa6e31931808f4bb33aed59"],
  ])("of %j is %s", (stored, id) => {
    expect(argumentsId(stored as Record<string, string>)).toBe(id);
  });

  it("does not depend on the order of the names, astral ones included", () => {
    // Python: sha256('"\uff5a"="1";"😀"="2";'.encode()).hexdigest(); by UTF-16 unit the emoji would come first.
    const id = "5c204625b4011dbf78fc77704cb3fd90dccde2b736e23d93b20091134b100027";
    expect(argumentsId({ "😀": "2", ｚ: "1" })).toBe(id);
    expect(argumentsId({ ｚ: "1", "😀": "2" })).toBe(id);
  });
});

describe("client data keys", () => {
  it("hash the serialized text", () => {
    expect(clientDataKey(`"${"y".repeat(3000)}"`)).toBe(
      `${CLIENT_DATA_PREFIX}00c6d2d8dfebb423cdc8971891adaf1fe8c23acbc16fde495eed7036f1a9e9b8`,
    );
  });

  it("differ from a user's JSON string by the missing quote", () => {
    expect(isClientDataReference(clientDataKey("x"))).toBe(true);
    expect(isClientDataReference(`"${clientDataKey("x")}"`)).toBe(false);
  });
});

describe("staticFilterId", () => {
  it.each([
    [{}, "static_no_args"],
    [{ n: 5 }, "static_903c540936fe762edee4df3fd1b388884ed068fcff00ec2b3b3910dc28523757"],
    [{ a: 4 }, "static_41c9940eb4dd6b962713a16f532e4a983bee1da7231b2fd0cae544712af4e935"],
    [{ result: 7 }, "static_a3013453600a98b49539f55ad02e760c835a36e5b22dc05cc8e6da312b0e99df"],
    [{ vip: true }, "static_5b8bd16b2eb6355d30d863626eab31e6c03ca31a88b1f25ac78941ccf4c67cff"],
  ])("of %j is %s", (values, id) => {
    expect(staticFilterId(values)).toBe(id);
  });

  it("writes every kind of value as Python's json.dumps does", () => {
    const id = staticFilterId({
      z: [1, 1.5, -0, 1e-5, 1.5e-7, 1e-10, 0.0001, 123456.789, 10n ** 30n, Number.NaN, Number.NEGATIVE_INFINITY],
      a: { y: null, b: [true, false], "": {} },
      'é\u007f😀\n"': "ü \u0001 \\ /",
      ｚ: [],
      "😀": "astral",
    });
    expect(id).toBe("static_4ad4619936cd04a7e872913ccf085874a2fabe363ba1f48894f90496722bf8fd");
  });
});

describe("condition ids", () => {
  it("equal those in real data", () => {
    expect(cronConditionId("*/5 * * * *")).toBe("cron_*/5 * * * *");
    expect(eventConditionId("flt2.event", callableFilterId("tasks", "flt"))).toBe(
      "event#flt2.event#callable_tasks.flt",
    );
    expect(statusConditionId("tasks.fail", ["retry", "failed"], staticFilterId({}))).toBe(
      "condition#tasks.fail#failed_retry#static_no_args",
    );
    expect(resultConditionId("tasks.add", staticFilterId({}), NO_RESULT_FILTER)).toBe(
      "condition#tasks.add#success#static_no_args_result_no_result_filter",
    );
    expect(exceptionConditionId("tasks.fail", staticFilterId({}), ["ValueError", "KeyError"])).toBe(
      "condition#tasks.fail#failed#static_no_args_exception_KeyError_ValueError",
    );
    expect(exceptionConditionId("tasks.fail", "static_no_args", [])).toBe(
      "condition#tasks.fail#failed#static_no_args_exception_any",
    );
  });

  it("of conditions and contexts are joined to ids of valid conditions", () => {
    const condition = resultConditionId("tasks.add", "static_no_args", NO_RESULT_FILTER);
    expect(validConditionId(condition, resultContextId("c6d40964-98af-408f-92dc-00ec42f5276d"))).toBe(
      "valid_condition_condition#tasks.add#success#static_no_args_result_no_result_filter_context_result_c6d40964-98af-408f-92dc-00ec42f5276d",
    );
    expect(cronContextId("2026-11-21T00:34:39+00:00")).toBe("cron_2026-11-21T00:34:39+00:00");
    expect(eventContextId("a.b", "id")).toBe("event_a.b_id");
    expect(statusContextId("id", "failed")).toBe("status_id_failed");
  });
});

describe("trigger ids", () => {
  it("equal the known examples", () => {
    expect(triggerId("tasks.on_minute", ["cron_* * * * *"], "and")).toBe(
      "001c2e6bfa0740a19c8aa62426aa891bbc981d4c00fa3171a7fcdd2614f91311",
    );
    expect(triggerId("pynenc.core_tasks.recover_pending_invocations", ["cron_*/5 * * * *"], "and")).toBe(
      "f18c5211a9d3fc0dd2805cdd1a9eca5eb5b2ef562c1f6933a70be5a3dbaebd26",
    );
  });

  it("depend on the logic of the conditions, but not on their order", () => {
    expect(triggerId("t.f", ["b", "a"], "and")).toBe(triggerId("t.f", ["a", "b"], "and"));
    expect(triggerId("t.f", ["a", "b"], "or")).not.toBe(triggerId("t.f", ["a", "b"], "and"));
  });
});

describe.each(FIXTURES)("computed ids in %s", (file) => {
  const apps = openFixture(file);

  it("equal the prefixes of every app's tables", () => {
    for (const app of apps) expect(tablePrefix(app.app_id)).toBe(app.prefix);
  });

  it("equal the arguments ids and call keys of every invocation", () => {
    const invocations = apps.flatMap((app) => app.invocations);
    expect(invocations.length).toBeGreaterThan(0);
    for (const row of invocations) {
      expect(argumentsId(JSON.parse(row.serialized_arguments))).toBe(row.arguments_id);
      expect(callKey(row.task_id_key, row.arguments_id)).toBe(row.call_id_key);
      expect(parseCallKey(row.call_id_key)).toEqual({ task_id_key: row.task_id_key, arguments_id: row.arguments_id });
    }
  });

  it("equal the ids of all triggers", () => {
    const triggers = apps.flatMap((app) => app.triggers);
    expect(triggers.length).toBeGreaterThan(0);
    for (const row of triggers) {
      expect(triggerId(row.task_id_key, row.condition_ids, row.logic_value)).toBe(row.trigger_id);
    }
  });

  it("equal the keys of all externalised values", () => {
    const values = apps.flatMap((app) => app.client_data);
    expect(values.map((row) => clientDataKey(row.text))).toEqual(values.map((row) => row.data_key));
  });

  it("equal the ids of all trigger runs and their valid conditions", () => {
    const rows = apps.flatMap((app) => app.trigger_runs);
    const runs = rows.map((row) => JSON.parse(row.trigger_run_json));
    expect(runs.map((run) => triggerRunId(run.trigger_id, run.valid_condition_ids))).toEqual(
      rows.map((row) => row.trigger_run_id),
    );
    const participants = runs.flatMap((run) => run.participants);
    expect(participants.map((one) => validConditionId(one.condition_id, contextIdOf(one)))).toEqual(
      participants.map((one) => one.valid_condition_id),
    );
  });
});

interface Participant {
  context_type: string;
  event_id: string;
  source_invocation_id: string;
  context_summary: string;
}

/** The summary's tokens hold what the ids were made of. */
function contextIdOf({ context_type, event_id, source_invocation_id, context_summary }: Participant): string {
  const token = (name: string) => new RegExp(`${name}:(\\S+)`).exec(context_summary)?.[1] ?? "";
  if (context_type === "CronContext") return cronContextId(token("timestamp"));
  if (context_type === "EventContext") return eventContextId(token("code"), event_id);
  if (context_type === "StatusContext") return statusContextId(source_invocation_id, token("status").toLowerCase());
  return context_type === "ResultContext"
    ? resultContextId(source_invocation_id)
    : exceptionContextId(token("exception"));
}
