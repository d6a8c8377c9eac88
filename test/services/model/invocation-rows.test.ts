/** The rows of invocation lists: status, times, duration and the source of each. */
import { describe, expect, it, test } from "vitest";
import { clientDataKey } from "../../../src/pynenc/identifiers.ts";
import { invocationRows } from "../../../src/services/model/invocation-rows.ts";
import { EXCEPTION_BYTES } from "../../../src/stores/value-limit.ts";
import { counting } from "../../support/counting.ts";
import { at, type InvocationGiven, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const row = async (app: MemoryApp, id: string) => (await app.store.read((reads) => invocationRows(reads, [id])))[0];

describe("the duration of an invocation", () => {
  it("is the time from registration to the final status", async () => {
    const app = memoryApp().invocation("a", {
      history: [
        [at(1), "registered"],
        [at(2), "pending"],
        [at(3), "running"],
        [at(5.5), "success"],
      ],
    });
    expect((await row(app, "a"))?.duration_seconds).toBe(4.5);
  });

  it("is unknown while the invocation has no final status", async () => {
    const app = memoryApp().invocation("a", {
      history: [
        [at(1), "registered"],
        [at(9), "retry"],
      ],
    });
    expect((await row(app, "a"))?.duration_seconds).toBeNull();
  });

  it("ends at the orchestrator's status time, even if the history lacks that entry", async () => {
    const app = memoryApp().invocation("a", {
      history: [
        [at(1), "registered"],
        [at(3), "running"],
      ],
      status: { status: "success", status_timestamp: at(9) },
    });
    expect(await row(app, "a")).toMatchObject({ status: "success", final: true, duration_seconds: 8 });
  });

  it("is unknown without a history", async () => {
    const app = memoryApp().invocation("a", { history: [], status: { status: "failed" } });
    expect(await row(app, "a")).toMatchObject({ status: "failed", registered_at: null, duration_seconds: null });
  });
});

describe("the task and the call of an invocation", () => {
  const identity = async (given: InvocationGiven) => {
    const found = await row(memoryApp().invocation("a", { task: "shop.ship", arguments: { n: "1" }, ...given }), "a");
    return [found?.task_id_key, found?.call_id_key];
  };

  it("come from the orchestrator, else from the definition, else are null", async () => {
    const [task, call] = await identity({});
    expect([task, call]).toEqual(["shop.ship", expect.stringMatching(/^shop\.ship:./)]);
    expect(await identity({ status: null })).toEqual([task, call]);
    expect(await identity({ definition: null })).toEqual([task, call]);
    expect(await identity({ status: null, definition: null })).toEqual([null, null]);
  });
});

it("rows come in the order of the requested ids, and an unknown id has a row too", async () => {
  const app = memoryApp().invocation("a").invocation("b");
  const rows = await app.store.read((reads) => invocationRows(reads, ["b", "nobody", "a"]));
  expect(rows.map((found) => [found.invocation_id, found.status_source])).toEqual([
    ["b", "orchestrator"],
    ["nobody", "none"],
    ["a", "orchestrator"],
  ]);
});

const stored = (error_name: string, message: string) =>
  JSON.stringify({
    error_name,
    pynenc_error: false,
    error_data: JSON.stringify({ __pynenc__std_py_exc__: { type: error_name, args: [message], message } }),
  });

const FAILED: InvocationGiven = {
  history: [
    [at(0), "registered"],
    [at(1), "failed"],
  ],
};

test("a row has the arguments on one line, and a failed one the exception's class and first line of its message", async () => {
  const app = memoryApp()
    .invocation("plain", { arguments: { order_id: '"O-1"', amount: "3" } })
    .invocation("none", { arguments: {} })
    .invocation("gone", { definition: null })
    .invocation("failed", { ...FAILED, exception: stored("KeyError", "\n  no such shelf\nat level 3") })
    .invocation("silent", { ...FAILED, exception: stored("Timeout", "") })
    .invocation("long", { ...FAILED, exception: stored("ValueError", "x".repeat(500)) })
    .invocation("unknown", FAILED)
    .invocation("torn", { ...FAILED, exception: "{" });
  const ids = ["plain", "none", "gone", "failed", "silent", "long", "unknown", "torn"];
  const rows = await app.store.read((reads) => invocationRows(reads, ids));
  expect(rows.map((row) => row.arguments)).toEqual(['order_id="O-1", amount=3', "", null, "", "", "", "", ""]);
  expect(rows.map((row) => row.exception)).toEqual([
    null,
    null,
    null,
    { type: "KeyError", message: "no such shelf …" },
    { type: "Timeout", message: "" },
    { type: "ValueError", message: `${"x".repeat(160)}…` },
    null,
    { type: "unreadable", message: null },
  ]);
});

test("exceptions are read in one step, client data included, and only if an invocation of the list failed", async () => {
  const object = JSON.stringify({ __pynenc__std_py_exc__: { type: "KeyError", args: ["x"], message: "far away" } });
  const far = JSON.stringify({ error_name: "KeyError", pynenc_error: false, error_data: clientDataKey(object) });
  const app = memoryApp()
    .value(object)
    .invocations(20, () => ({ ...FAILED, exception: far }))
    .invocation("fine");
  const read = async (ids: readonly string[]) => {
    const { store, calls } = counting(app.store);
    return { rows: await store.read((reads) => invocationRows(reads, ids)), calls: calls() };
  };
  const all = await read(Array.from({ length: 20 }, (_, n) => `i${n}`));
  expect(all.rows.map((row) => row.exception?.message)).toEqual(Array(20).fill("far away"));
  expect([all.calls, (await read(["fine"])).calls]).toEqual([5, 3]);
});

describe("the exception of a failed invocation", () => {
  const line = async (error_data: string, error_name = "CardDeclined", pynenc_error = false) => {
    const exception = JSON.stringify({ error_name, pynenc_error, error_data });
    const history: InvocationGiven["history"] = [
      [at(0), "registered"],
      [at(1), "failed"],
    ];
    return (await row(memoryApp().invocation("a", { history, exception }), "a"))?.exception;
  };
  const raised = (members: object) =>
    JSON.stringify({ __pynenc__client_exception__: { module: "models", qualname: "CardDeclined", ...members } });
  const long = (text: string) => `${text}\n${"é".repeat(EXCEPTION_BYTES)}`;

  it("is its class and the first line of its message", async () => {
    const message = "card declined\nsecond line";
    expect(await line(raised({ args: [message], message }))).toEqual({
      type: "CardDeclined",
      message: "card declined …",
    });
  });

  it.each([
    ["the message is long", raised({ args: [], message: long("card declined") }), false],
    ["the argument before the message is long", raised({ args: [long("card declined")], message: "unread" }), false],
    [
      "jsonpickle wrote it",
      JSON.stringify({ "py/reduce": [{ "py/type": "a.B" }, { "py/tuple": [long("card declined")] }] }),
      false,
    ],
    ["it is one of pynenc's own", JSON.stringify({ message: long("card declined") }), true],
  ])("is still its class and first line, marked as cut, where %s", async (_, data, ofFramework) => {
    expect(await line(data, "CardDeclined", ofFramework)).toEqual({
      type: "CardDeclined",
      message: "card declined …",
      cut: true,
    });
  });

  it("has no message and is marked as cut if the part that was read contains none", async () => {
    expect(await line(`gASV${"A".repeat(EXCEPTION_BYTES)}`)).toEqual({
      type: "CardDeclined",
      message: null,
      cut: true,
    });
  });
});
