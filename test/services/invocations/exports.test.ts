/** Lists as CSV and JSON lines: readable by machines, and harmless in a spreadsheet. */
import { describe, expect, it } from "vitest";
import { exportText, readFields } from "../../../src/services/invocations/exports.ts";
import { exportLines } from "../../../src/services/model/export-lines.ts";
import { NO_FILTER } from "../../../src/services/model/invocation-filter.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

async function joined(pieces: AsyncGenerator<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

async function* batches<Row = { a: string; b: string }>(...lists: Row[][]) {
  yield* lists;
}

describe("a CSV export", () => {
  const fieldOf = async (value: string | number | boolean | null) =>
    (await joined(exportLines(batches([{ value }]), ["value"], "csv"))).slice("value\r\n".length, -"\r\n".length);

  it.each([
    ["plain", "plain"],
    ["", ""],
    [null, ""],
    [0, "0"],
    [-1.5, "-1.5"],
    [true, "true"],
    ["a,b", '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ["two\nlines", '"two\nlines"'],
    ["return\r", '"return\r"'],
    ["日本", "日本"],
  ])("writes %j as %j", async (value, field) => {
    expect(await fieldOf(value)).toBe(field);
  });

  it.each(["=1+1", "+1", "-1", "@SUM(A1)"])(
    "puts a quote before text that begins like a formula: %j",
    async (value) => {
      expect(await fieldOf(value)).toBe(`'${value}`);
    },
  );

  it.each(["\tx", "\rx"])("puts a quote before text with a leading control character: %j", async (value) => {
    expect((await fieldOf(value)).replaceAll('"', "")).toBe(`'${value}`);
  });

  it("has a header for an empty list, and one header for several batches", async () => {
    expect(await joined(exportLines(batches(), ["a", "b"], "csv"))).toBe("a,b\r\n");
    const rows = batches([{ a: 1, b: 2 }], [{ a: 3, b: 4 }]);
    expect(await joined(exportLines(rows, ["b", "a"], "csv"))).toBe("b,a\r\n2,1\r\n4,3\r\n");
  });
});

describe("a JSON lines export", () => {
  it("has whole rows, one a line, and is empty for an empty list", async () => {
    const rows = batches([{ a: "=1", more: null }], [{ a: "x\ny", more: 1 }]);
    expect(await joined(exportLines(rows, ["a"], "jsonl"))).toBe('{"a":"=1","more":null}\n{"a":"x\\ny","more":1}\n');
    expect(await joined(exportLines(batches(), ["a"], "jsonl"))).toBe("");
  });
});

it("invocations are exported with their filter, newest first", async () => {
  const app = memoryApp()
    .invocation("a", {
      history: [
        [at(0), "registered"],
        [at(2), "success"],
      ],
    })
    .invocation("b")
    .invocation("c", { task: "shop.ship" });
  const filter = { ...NO_FILTER, task_id_key: "shop.pay" };
  expect((await joined(exportText(app.opened, filter, "csv"))).split("\r\n")).toEqual([
    "invocation_id,task_id_key,call_id_key,status,status_source,retry_count,registered_at,status_at,duration_seconds,owner_runner_id,parent_invocation_id,workflow_id,arguments,exception_type,exception_message",
    expect.stringMatching(/^b,shop\.pay,shop\.pay:no_args,registered,orchestrator,0,2026-.*,,,,,,,$/),
    expect.stringMatching(/^a,shop\.pay,shop\.pay:no_args,success,orchestrator,0,2026-.*,2,,,,,,$/),
    "",
  ]);
  const lines = (await joined(exportText(app.opened, filter, "jsonl"))).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).invocation_id)).toEqual(["b", "a"]);
});

it("a failed invocation is exported with its exception, in its own CSV columns", async () => {
  const app = memoryApp().invocation("a", {
    arguments: { order_id: '"O-1"' },
    exception: JSON.stringify({ error_name: "KeyError", pynenc_error: false, error_data: "{}" }),
    history: [
      [at(0), "registered"],
      [at(2), "failed"],
    ],
  });
  const csv = await joined(exportText(app.opened, NO_FILTER, "csv"));
  expect(csv.split("\r\n")[1]).toMatch(/,"order_id=""O-1""",KeyError,$/);
  const row = JSON.parse(await joined(exportText(app.opened, NO_FILTER, "jsonl")));
  expect(row).toMatchObject({ arguments: 'order_id="O-1"', exception: { type: "KeyError", message: null } });
});

it("CSV has the whole message of an exception, and JSON lines its first line unless the field is requested", async () => {
  const message = 'no such shelf:\n\n  A  7\r\nasked by "robot"';
  const args = JSON.stringify({ __pynenc__std_py_exc__: { type: "KeyError", args: [message], message } });
  const app = memoryApp().invocation("a", {
    exception: JSON.stringify({ error_name: "KeyError", pynenc_error: false, error_data: args }),
    history: [
      [at(0), "registered"],
      [at(2), "failed"],
    ],
  });
  const csv = await joined(exportText(app.opened, NO_FILTER, "csv"));
  expect(csv.endsWith(`,KeyError,"${message.replaceAll('"', '""')}"\r\n`)).toBe(true);
  const fields = await joined(exportText(app.opened, NO_FILTER, "jsonl", { fields: ["exception_message"] }));
  expect(JSON.parse(fields)).toEqual({ exception_message: message });
  const row = JSON.parse(await joined(exportText(app.opened, NO_FILTER, "jsonl")));
  expect(row.exception).toEqual({ type: "KeyError", message: "no such shelf: …" });
});

it("the requested number of invocations is exported, and all if that is more", async () => {
  const app = memoryApp().invocations(5);
  const exported = async (limit: number | null) => {
    const lines = (await joined(exportText(app.opened, NO_FILTER, "jsonl", { limit }))).trim().split("\n");
    return lines.map((line) => JSON.parse(line).invocation_id);
  };
  expect(await exported(2)).toEqual(["i4", "i3"]);
  for (const limit of [5, 6, null]) expect(await exported(limit)).toEqual(["i4", "i3", "i2", "i1", "i0"]);
});

it("an unknown field is refused with the name of the parameter", () => {
  expect(() => readFields(["nothing"])).toThrow(/^fields: "nothing" is not accepted/);
});
