import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeCondition, describeCron, nextCronTimes } from "../../src/pynenc/conditions.ts";
import { FIXTURES, openFixture } from "./fixture-rows.ts";

const NEVER_OR_BAD = [
  "",
  "bad",
  "* * * *",
  "* * * * * *",
  "@daily",
  "61 * * * *",
  "5-1 * * * *",
  "*/0 * * * *",
  "1-100000000 * * * *",
  "x".repeat(100_000),
];

describe("describeCron", () => {
  it.each([
    ["*/5 * * * *", "Every 5 minutes"],
    ["* * * * *", "Every minute"],
    ["0 * * * *", "Every hour"],
    ["0 9 * * 1-5", "At 09:00 UTC, Monday through Friday"],
    ["1-5/2 3 * * *", "Every 2 minutes, minutes 1 through 5 past the hour, between 03:00 and 03:59 UTC"],
    ["0 */6 * * *", "On the hour, every 6 hours, UTC"],
    ["*/5 * 29 2 *", "Every 5 minutes, on day 29 of the month, only in February, UTC"],
  ])("describes %s", (expression, words) => {
    expect(describeCron(expression)).toBe(words);
  });

  it.each(NEVER_OR_BAD)(
    "returns the expression itself, cut to 200 characters, if it is not understood: %.20s",
    (expression) => {
      expect(describeCron(expression)).toBe(expression.slice(0, 200));
    },
  );

  it("never throws", () => {
    const field = fc.stringMatching(/^[0-9*,/LW#?A-Z-]{1,6}$/);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(field, { minLength: 5, maxLength: 5 }).map((f) => f.join(" ")),
        ),
        (expression) => {
          expect(describeCron(expression)).toEqual(expect.any(String));
        },
      ),
    );
  });
});

describe("nextCronTimes", () => {
  it("returns UTC times after the given moment", () => {
    expect(nextCronTimes("*/5 * * * *", 0, 3)).toEqual([300, 600, 900]);
    expect(nextCronTimes("*/5 * * * *", 300, 1)).toEqual([600]);
    expect(nextCronTimes("*/5 * * * *", 299.999, 1)).toEqual([300]);
    expect(nextCronTimes("30 2 * * *", 0, 2)).toEqual([9000, 95_400]);
  });

  it.each([...NEVER_OR_BAD, "0 0 31 2 *"])("returns no times for %.20s", (expression) => {
    expect(nextCronTimes(expression, 0, 5)).toEqual([]);
  });

  it("returns no times for an invalid moment or count", () => {
    expect(nextCronTimes("* * * * *", Number.NaN, 5)).toEqual([]);
    expect(nextCronTimes("* * * * *", 1e300, 5)).toEqual([]);
    expect(nextCronTimes("* * * * *", 0, 0)).toEqual([]);
    expect(nextCronTimes("* * * * *", 0, Number.NaN)).toEqual([]);
    expect(nextCronTimes("* * * * *", 0, Number.POSITIVE_INFINITY)).toHaveLength(1000);
  });
});

describe("describeCondition", () => {
  const condition = (type: string, data: object) => JSON.stringify({ condition_type: `${type}Condition`, data });
  const fixed = (values: Record<string, string>) =>
    JSON.stringify({ filter_type: "StaticArgumentFilter", data: { arguments: values } });
  const callable = (func: string) =>
    JSON.stringify({
      filter_type: "CallableArgumentFilter",
      data: { callable_filter: JSON.stringify({ module: "tasks", function: func }) },
    });
  const add = { task_id: "tasks.add", statuses: ["success"], arguments_filter: fixed({}) };
  const fail = { task_id: "tasks.fail", statuses: ["failed"], arguments_filter: fixed({}) };

  it.each([
    [condition("Cron", { cron_expression: "*/5 * * * *" }), "every 5 minutes (*/5 * * * *)"],
    [condition("Cron", { cron_expression: "bad" }), "cron bad"],
    [condition("Event", { event_code: "order.created", payload_filter: fixed({}) }), "event order.created"],
    [
      condition("Event", { event_code: "order.created", payload_filter: fixed({ vip: "true" }) }),
      "event order.created with vip = true",
    ],
    [
      condition("Event", { event_code: "e", payload_filter: fixed({ a: '"x"', b: "[1, 2]" }) }),
      'event e with a = "x" and b = [ 1, 2 ]',
    ],
    [condition("Event", { event_code: "e", payload_filter: callable("_is_big") }), "event e accepted by tasks._is_big"],
    [condition("Event", {}), "event (unnamed)"],
    [condition("Status", add), "tasks.add succeeded"],
    [condition("Status", { ...fail, arguments_filter: fixed({ n: "5" }) }), "tasks.fail with n = 5 failed"],
    [condition("Status", { ...fail, statuses: ["failed", "retry"] }), "tasks.fail became failed or retry"],
    [condition("Status", { ...add, statuses: ["running"] }), "tasks.add became running"],
    [condition("Result", { ...add, result_filter: fixed({ result: "7" }) }), "result of tasks.add equals 7"],
    [condition("Result", { ...add, result_filter: callable("_neg") }), "result of tasks.add accepted by tasks._neg"],
    [
      condition("Result", { ...add, result_filter: '{"filter_type": "NoResultFilter", "data": {}}' }),
      "any result of tasks.add",
    ],
    [condition("Exception", { ...fail, exception_types: ["ValueError"] }), "tasks.fail failed with ValueError"],
    [condition("Exception", { ...fail, exception_types: ["A", "B"] }), "tasks.fail failed with A or B"],
    [condition("Exception", { ...fail, exception_types: [] }), "tasks.fail failed with any exception"],
    [condition("Moon", {}), "condition of the unknown type MoonCondition"],
    ["not json", "unreadable condition"],
    [
      condition("Composite", {
        logic: "OR",
        conditions: [
          { condition_type: "StatusCondition", condition_data: add },
          { condition_type: "CompositeCondition", condition_data: { logic: "AND", conditions: [5] } },
        ],
      }),
      "(tasks.add succeeded or (unreadable condition))",
    ],
  ])("says %s", (json, sentence) => {
    expect(describeCondition(json).sentence).toBe(sentence);
  });

  it("returns the parts from which ids and links are made", () => {
    expect(describeCondition(condition("Exception", { ...fail, exception_types: ["ValueError"] }))).toMatchObject({
      type: "ExceptionCondition",
      task_id_key: "tasks.fail",
      statuses: ["failed"],
      exception_types: ["ValueError"],
      event_code: null,
      cron_expression: null,
    });
    expect(describeCondition(condition("Event", { event_code: "e" }))).toMatchObject({
      type: "EventCondition",
      event_code: "e",
    });
    expect(describeCondition("[]").type).toBe("unreadable");
  });

  it("cuts long values", () => {
    const long = condition("Event", { event_code: "e", payload_filter: fixed({ a: `"${"x".repeat(1000)}"` }) });
    expect(describeCondition(long).sentence).toBe(`event e with a = "${"x".repeat(59)}…`);
  });

  it("stops at a limited depth of nested composites", () => {
    let data: object = { logic: "AND", conditions: [] };
    for (let depth = 0; depth < 1000; depth++) {
      data = { logic: "AND", conditions: [{ condition_type: "CompositeCondition", condition_data: data }] };
    }
    expect(describeCondition(condition("Composite", data)).sentence).toBe("((((((…))))))");
  });

  it.each(FIXTURES)("finds a sentence for every condition of %s", (file) => {
    const sentences = openFixture(file).flatMap((app) =>
      app.conditions.map((row) => describeCondition(row.condition_json).sentence),
    );
    expect(sentences).toContain(
      file === "queues_040.db" ? "event order.created" : "event order.created with vip = true",
    );
    expect(sentences.filter((sentence) => /unreadable|unknown|unnamed/.test(sentence))).toEqual([]);
  });
});
