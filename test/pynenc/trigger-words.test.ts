/** Words about contexts, logic and argument providers. */
import { describe, expect, it } from "vitest";
import { describeArgumentProvider } from "../../src/pynenc/argument-providers.ts";
import { logicWords } from "../../src/pynenc/conditions.ts";
import {
  CONTEXT_KINDS,
  causeWords,
  contextClass,
  contextKind,
  summaryWords,
} from "../../src/pynenc/context-summary.ts";

const NOTHING = { event_code: null, status: null, exception_type: null, task_id_key: null, timestamp: null };

describe("the summary of a trigger context", () => {
  it.each([
    ["code:order.created", { event_code: "order.created" }],
    ["code:a b task:c", { event_code: "a b task:c" }],
    ["status:SUCCESS task:tasks.add", { status: "success", task_id_key: "tasks.add" }],
    [
      "status:FAILED exception:ValueError task:tasks.fail",
      { status: "failed", exception_type: "ValueError", task_id_key: "tasks.fail" },
    ],
    ["timestamp:2026-11-21T00:34:39.876812+00:00", { timestamp: "2026-11-21T00:34:39.876812+00:00" }],
    ["status: task:", {}],
    ["anything else", {}],
    ["", {}],
    [null, {}],
  ])("is read from %j", (summary, words) => {
    expect(summaryWords(summary)).toEqual({ ...NOTHING, ...words });
  });

  it("has kinds that correspond to classes in both directions", () => {
    expect(CONTEXT_KINDS.map((kind) => contextKind(contextClass(kind)))).toEqual([...CONTEXT_KINDS]);
    expect([contextKind("OtherContext"), contextKind(null)]).toEqual([null, null]);
  });
});

describe("the cause of a trigger run in words", () => {
  const { timestamp: _timestamp, ...nothing } = NOTHING;
  it.each([
    [{ kind: "event", event_code: "order.created" }, "event order.created"],
    [{ kind: "event" }, "event"],
    [{ kind: "status", task_id_key: "t.a", status: "failed" }, "t.a became failed"],
    [{ kind: "status", task_id_key: "t.a" }, "status of t.a"],
    [{ kind: "result", task_id_key: "t.a", status: "success" }, "result of t.a"],
    [{ kind: "exception", task_id_key: "t.a", exception_type: "E" }, "E in t.a"],
    [{ kind: "cron" }, "schedule"],
    [{ kind: null }, "an invocation"],
  ] as const)("is right for %j", (cause, words) => {
    expect(causeWords({ ...nothing, ...cause })).toBe(words);
  });
});

describe("the logic of a trigger in words", () => {
  it.each([
    ["and", 1, "its condition is met"],
    ["or", 1, "its condition is met"],
    ["and", 2, "both conditions are met"],
    ["OR", 3, "any of 3 conditions is met"],
  ])("is right for %s of %i", (logic, conditions, words) => {
    expect(logicWords(logic, conditions)).toBe(words);
  });
});

describe("the argument provider in words", () => {
  const provider = (type: string, data: unknown) => JSON.stringify({ condition_type: type, data });
  const callback = JSON.stringify({ module: "tasks", function: "_ev" });
  const fixed = provider("StaticArgumentProvider", { arguments: { x: "1", who: '"vip"' } });

  it.each([
    [null, null, "none"],
    [provider("StaticArgumentProvider", { arguments: {} }), "StaticArgumentProvider", "none"],
    [fixed, "StaticArgumentProvider", "fixed arguments"],
    [
      provider("ContextTypeArgumentProvider", { context_type: "EventContext", callback }),
      "ContextTypeArgumentProvider",
      "from the event, by tasks._ev",
    ],
    [
      provider("ContextTypeArgumentProvider", { context_type: "OddContext", callback: "{torn" }),
      "ContextTypeArgumentProvider",
      "from OddContext, by an unknown function",
    ],
    [
      provider("DirectArgumentProvider", { callback }),
      "DirectArgumentProvider",
      "from everything that met the conditions, by tasks._ev",
    ],
    [provider("NewProvider", {}), "NewProvider", "by a provider of the unknown type NewProvider"],
    [JSON.stringify({ condition_type: "StaticArgumentProvider" }), "StaticArgumentProvider", "none"],
    [
      provider("DirectArgumentProvider", null),
      "DirectArgumentProvider",
      "from everything that met the conditions, by an unknown function",
    ],
    ["{torn", "unreadable", "unreadable argument provider"],
    ["[]", "unreadable", "unreadable argument provider"],
  ])("is right for %s", (json, type, sentence) => {
    expect(describeArgumentProvider(json)).toMatchObject({ type, sentence });
  });

  it("has fixed arguments as stored", () => {
    expect(describeArgumentProvider(fixed).arguments).toEqual({ x: "1", who: '"vip"' });
  });

  it("joins the parts of a composite one, to a limited number and depth", () => {
    let nested = fixed;
    for (let depth = 0; depth < 3; depth++) nested = provider("CompositeArgumentProvider", { providers: [nested] });
    const both = provider("CompositeArgumentProvider", { providers: [fixed, nested] });
    expect(describeArgumentProvider(both)).toEqual({
      type: "CompositeArgumentProvider",
      sentence: "combined from fixed arguments; several providers",
      arguments: { x: "1", who: '"vip"' },
    });
    const many = provider("CompositeArgumentProvider", { providers: Array.from({ length: 500 }, () => fixed) });
    expect(describeArgumentProvider(many).sentence).toContain("and 480 more");
  });
});
