import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clientDataKey } from "../../src/pynenc/identifiers.ts";
import { argumentsMap, displayException, displayValue, exceptionName, referencesIn } from "../../src/pynenc/values.ts";
import { anyText } from "../support/any-text.ts";
import { cases } from "../support/cases.ts";
import { FIXTURES, openFixture } from "./fixture-rows.ts";

const REFERENCE = clientDataKey("x");

/** More nested calls than any stack has room for. */
const DEEP = 30_000;

/** Text that looks like the stored forms but is broken in places. */
const hostileText = fc.oneof(
  anyText({ maxLength: 200 }),
  fc
    .array(
      fc.constantFrom(
        ...'[ ] { } , : " \\ \\u \\ud800 0 -1 1.5e NaN null gA== \0 \n'.split(" "),
        ...["py/object", "py/reduce", "py/tuple", "py/type", "py/b64", "py/id", "py/state", "__reduce__"].map(
          (k) => `{"${k}":`,
        ),
        ...["std_py_exc__", "client_exception__", "enum__", "json_serializable__"].map((k) => `{"__pynenc__${k}":`),
        '"type":',
        '"args":[',
        '"a"',
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join("")),
);

/** Valid JSON whose objects are jsonpickle or envelope wrappers around anything, right or wrong. */
const wrapped = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(anyText(), fc.double(), fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.constantFrom(
        "py/object",
        "py/reduce",
        "py/tuple",
        "py/set",
        "py/type",
        "py/b64",
        "py/id",
        "py/state",
        "__reduce__",
        "__pynenc__std_py_exc__",
        "__pynenc__client_exception__",
        "__pynenc__enum__",
        "__pynenc__json_serializable__",
        "type",
        "args",
        "module",
        "qualname",
        "data",
        "value",
      ),
      tie("value"),
      { maxKeys: 3 },
    ),
  ),
})).value;

const plainJson = fc.jsonValue({ maxDepth: 6 }).filter((value) => !/py\/|__pynenc__/.test(JSON.stringify(value)));

describe("displayValue of plain JSON", () => {
  it("prints structures over several lines", () => {
    expect(displayValue('[1,{"a":[],"b":{}}]')).toEqual({
      form: "json",
      text: '[\n  1,\n  {\n    "a": [],\n    "b": {}\n  }\n]',
      truncated: false,
      size: 19,
      note: null,
      reference: null,
    });
  });

  it("prints what JSON.stringify with two spaces prints", () => {
    fc.assert(
      fc.property(plainJson, (value) => {
        const shown = displayValue(JSON.stringify(value), 1_000_000);
        expect(shown.text).toBe(JSON.stringify(value, null, 2));
        expect(shown.form).toBe("json");
      }),
    );
  });

  it.each([
    "NaN",
    "Infinity",
    "-Infinity",
    "123456789012345678901234567890",
    "-0.0",
    "1e400",
    "1.10",
    "0.1000000000000000055511151231257827",
  ])("keeps the number %s digit by digit", (number) => {
    expect(displayValue(number)).toMatchObject({ form: "json", text: number });
    expect(displayValue(`{"n": ${number}}`).text).toBe(`{\n  "n": ${number}\n}`);
  });

  it("decodes escapes of readable characters and keeps the others", () => {
    expect(displayValue('"\\u00fc \\u0000 \\ud800 \\ud83d\\ude00 \\/"').text).toBe('"ü \\u0000 \\ud800 😀 /"');
  });

  it.each([
    '{"a": 1',
    "[1,]",
    "{'a': 1}",
    "[1 2]",
    '{"a"}',
    '{"a":1,}',
    "01",
    "1.",
    "-",
    "+1",
    "tru",
    '"a',
    '"\\x"',
    '"\\u12g4"',
    '"\t"',
    "",
    " ",
    "[]]",
    "nan",
  ])("shows malformed JSON as it is: %j", (stored) => {
    expect(displayValue(stored)).toMatchObject({ form: "text", text: stored, truncated: false });
  });

  it("accepts exactly what JSON.parse accepts, apart from NaN and the two infinities of Python", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        fc.pre(!/NaN|gA/.test(text));
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(displayValue(text).form !== "text").toBe(valid);
      }),
      { numRuns: cases(300) },
    );
  });
});

describe("displayValue of jsonpickle", () => {
  it.each([
    ['{"py/tuple": [1, 2]}', "(1, 2)", null],
    ['{"py/tuple": [1]}', "(1,)", null],
    ['{"py/tuple": []}', "()", null],
    ['{"py/set": [1, 3]}', "{1, 3}", null],
    ['{"py/set": []}', "set()", null],
    ['{"py/type": "tasks.Color"}', "Color", null],
    ['{"py/b64": "AGJ5dGVz/ydc"}', "b'\\x00bytes\\xff\\'\\\\'", null],
    ['[{"py/set": []}, {"py/id": 1}]', "[set(), <same as object 1>]", null],
    ['{"py/object": "tasks.Pt", "x": 1, "y": 2.5}', "Pt(x=1, y=2.5)", "instance of tasks.Pt"],
    ['{"py/object": "tasks.Pt", "a b": null}', "Pt('a b'=None)", "instance of tasks.Pt"],
    ['{"py/object": "tasks.Pt", "py/state": {"x": 1}}', "Pt(x=1)", "instance of tasks.Pt"],
    ['{"py/reduce": [{"py/type": "tasks.Color"}, {"py/tuple": ["red"]}]}', "Color('red')", "instance of tasks.Color"],
    [
      '{"py/reduce": [{"py/type": "builtins.ValueError"}, {"py/tuple": ["bad", 3]}, {}]}',
      "ValueError('bad', 3)",
      "instance of builtins.ValueError",
    ],
    [
      '{"py/object": "datetime.date", "__reduce__": [{"py/type": "datetime.date"}, ["B+oBAg=="]]}',
      "date(2026-01-02)",
      "instance of datetime.date",
    ],
    [
      '{"py/object": "datetime.time", "__reduce__": [{"py/type": "datetime.time"}, ["AQIDAAAE"]]}',
      "time(01:02:03.000004)",
      "instance of datetime.time",
    ],
    [
      '{"py/object": "datetime.datetime", "__reduce__": [{"py/type": "datetime.datetime"}, ["B+oMHxc7OwHiQA=="]]}',
      "datetime(2026-12-31T23:59:59.123456)",
      "instance of datetime.datetime",
    ],
    [
      '{"py/object": "datetime.datetime", "__reduce__": [{"py/type": "datetime.datetime"}, ["B+oBAgMEBQAAAA==", {"py/reduce": [{"py/type": "datetime.timezone"}, {"py/tuple": [{"py/reduce": [{"py/type": "datetime.timedelta"}, {"py/tuple": [0, 0, 0]}]}]}]}]]}',
      "datetime(2026-01-02T03:04:05+00:00)",
      "instance of datetime.datetime",
    ],
    [
      '{"py/object": "datetime.datetime", "__reduce__": [{"py/type": "datetime.datetime"}, ["B+oBAgMEBQAAAA==", {"py/reduce": [{"py/type": "datetime.timezone"}, {"py/tuple": [{"py/reduce": [{"py/type": "datetime.timedelta"}, {"py/tuple": [-1, 66600, 0]}]}]}]}]]}',
      "datetime(2026-01-02T03:04:05-05:30)",
      "instance of datetime.datetime",
    ],
    [
      '{"py/object": "datetime.datetime", "__reduce__": [{"py/type": "datetime.datetime"}, ["bm90IDEwIGJ5dGVz AA"]]}',
      "datetime('bm90IDEwIGJ5dGVz AA')",
      "instance of datetime.datetime",
    ],
    [
      '{"py/tuple": [true, false, null, NaN, "it\'s", "say \\"it\'s\\""]}',
      `(True, False, None, NaN, "it's", 'say "it\\'s"')`,
      null,
    ],
    ['{"a": {"py/tuple": [{"b": [1.0]}]}}', "{'a': ({'b': [1.0]},)}", null],
  ])("shows %s as %s", (stored, text, note) => {
    expect(displayValue(stored)).toMatchObject({ form: "jsonpickle", text, note, truncated: false });
  });

  it("breaks lines that are too long", () => {
    const tag = "y".repeat(40);
    expect(displayValue(`{"x": {"py/object": "models.Order", "id": 1, "tags": ["a", "${tag}", "${tag}"]}}`).text).toBe(
      `{\n  'x': Order(\n    id=1,\n    tags=[\n      'a',\n      '${tag}',\n      '${tag}'\n    ]\n  )\n}`,
    );
  });

  it.each([
    ['{"py/tuple": 5}', "{'py/tuple': 5}"],
    ['{"py/reduce": [1, 2]}', "{'py/reduce': [1, 2]}"],
    ['{"py/object": 5}', "{'py/object': 5}"],
    ['{"py/tuple": [1], "more": 2}', "{'py/tuple': [1], 'more': 2}"],
  ])("shows the unknown %s as a dictionary", (stored, text) => {
    expect(displayValue(stored).text).toBe(text);
  });
});

describe("displayValue of JsonSerializer envelopes", () => {
  it.each([
    [
      '{"__pynenc__std_py_exc__": {"type": "ValueError", "args": ["bad", 3], "message": "m"}}',
      "ValueError('bad', 3)",
      "builtins.ValueError",
    ],
    [
      '{"__pynenc__client_exception__": {"module": "m", "qualname": "Err", "args": [], "message": ""}}',
      "Err()",
      "m.Err",
    ],
    ['{"__pynenc__enum__": {"module": "tasks", "qualname": "Color", "value": "red"}}', "Color('red')", "tasks.Color"],
    ['{"__pynenc__json_serializable__": {"module": "m", "qualname": "Pt", "data": {"x": 1}}}', "Pt(x=1)", "m.Pt"],
    ['{"__pynenc__json_serializable__": {"module": "m", "qualname": "Pt", "data": "1,2"}}', "Pt('1,2')", "m.Pt"],
  ])("shows %s as %s", (stored, text, type) => {
    expect(displayValue(stored)).toMatchObject({ form: "json_envelope", text, note: `instance of ${type}` });
  });

  it("needs the envelope's key to be the only one", () => {
    expect(displayValue('{"__pynenc__enum__": {}, "a": 1}').form).toBe("json");
  });
});

describe("displayValue of other forms", () => {
  it.each([
    ["gAROLg==\n", 4],
    ["gARLBi4=\n", 5],
  ])("shows the pickle %j without loading it", (stored, bytes) => {
    expect(displayValue(stored)).toMatchObject({
      form: "pickle",
      text: stored,
      note: `pickle, ${bytes} bytes, not loaded`,
    });
  });

  it.each(["gA", "gAR", "gAR!", "gate"])("does not recognise %j as a pickle", (stored) => {
    expect(displayValue(stored).form).toBe("text");
  });

  it("recognises references", () => {
    expect(displayValue(REFERENCE, 10)).toMatchObject({
      form: "reference",
      reference: REFERENCE,
      text: "__pynenc__",
      truncated: true,
    });
  });
});

describe("displayValue of hostile text", () => {
  it("never throws and never exceeds the limit", () => {
    const limit = fc.integer({ min: -1, max: 300 });
    fc.assert(
      fc.property(
        fc.oneof(
          hostileText,
          wrapped.map((value) => JSON.stringify(value)),
        ),
        limit,
        (stored, most) => {
          const shown = displayValue(stored, most);
          expect(shown.text.length).toBeLessThanOrEqual(Math.max(0, most));
          expect(shown.size).toBe(stored.length);
          const whole = displayValue(stored, 1_000_000);
          expect(whole.truncated).toBe(false);
          expect(shown.truncated).toBe(shown.text !== whole.text);
          expect(whole.text.startsWith(shown.text)).toBe(true);
        },
      ),
      { numRuns: cases(500) },
    );
  });

  it.each([
    ["brackets", "[".repeat(DEEP) + "]".repeat(DEEP)],
    ["objects", `${'{"a":'.repeat(DEEP)}1${"}".repeat(DEEP)}`],
    ["tuples", '{"py/tuple":['.repeat(DEEP) + "]}".repeat(DEEP)],
    ["instances", `${'{"py/object":"a.B","c":'.repeat(DEEP)}1${"}".repeat(DEEP)}`],
    ["unclosed brackets", "[".repeat(DEEP)],
  ])("handles thousands of nested %s", (_, stored) => {
    expect(displayValue(stored, 1_000_000).text.length).toBeLessThanOrEqual(1_000_000);
    expect(displayValue(stored).text.length).toBeLessThanOrEqual(10_000);
  });

  it("marks where it stopped at the maximum depth", () => {
    expect(displayValue("[".repeat(101) + "]".repeat(101), 1_000_000).text).toContain("[]");
    expect(displayValue(`${"[".repeat(101)}1${"]".repeat(101)}`, 1_000_000).text).toContain("[…]");
  });

  it("cuts a long string between its escapes and its surrogate pairs", () => {
    for (const unit of ["\\\\", "\\u00e9", "\\n", "\\ud83d\\ude00", "😀", "a\\\\\\u0000"]) {
      for (let limit = 0; limit < 30; limit++) {
        const whole = displayValue(`"${unit.repeat(60)}"`, 1_000_000).text;
        const shown = displayValue(`"${unit.repeat(60)}"`, limit);
        expect(whole.startsWith(shown.text)).toBe(true);
        expect(limit - shown.text.length).toBeLessThanOrEqual(1);
        expect(() => encodeURIComponent(shown.text)).not.toThrow();
        expect(shown.truncated).toBe(true);
      }
    }
  });
});

describe("exceptionName", () => {
  it("is the name that displayException gives, for any text", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          hostileText,
          wrapped.map((value) => JSON.stringify(value)),
          anyText(),
        ),
        anyText(),
        (text, name) => {
          for (const stored of [
            text,
            JSON.stringify({ error_name: name, error_data: text }),
            `{"error_name": ${text}}`,
          ]) {
            expect(exceptionName(stored, false)).toBe(displayException(stored).error_name);
          }
        },
      ),
    );
  });

  it("is not known if the beginning that was read ends within the name, otherwise it is the same as from the whole text", () => {
    fc.assert(
      fc.property(anyText(), fc.boolean(), fc.nat(), (name, late, at) => {
        const data = "d".repeat(20);
        const stored = JSON.stringify(
          late ? { error_data: data, error_name: name } : { error_name: name, error_data: data },
        );
        const end = stored.indexOf(JSON.stringify(name)) + JSON.stringify(name).length;
        const cut = at % stored.length;
        expect(exceptionName(stored.slice(0, cut), true)).toBe(cut < end ? null : exceptionName(stored, false));
      }),
    );
  });
});

describe("displayException", () => {
  const stored = (error_data: unknown, pynenc_error = false) =>
    JSON.stringify({ error_name: "Err", pynenc_error, error_data });

  it.each([
    [
      '{"py/reduce": [{"py/type": "builtins.ValueError"}, {"py/tuple": ["bad \\u00e9"]}, {}]}',
      "builtins.ValueError",
      "bad é",
    ],
    ['{"py/reduce": [{"py/type": "m.Err"}, {"py/tuple": ["bad", 3]}, {}]}', "m.Err", "'bad', 3"],
    ['{"__pynenc__std_py_exc__": {"type": "KeyError", "args": ["k"], "message": "\'k\'"}}', "builtins.KeyError", "'k'"],
    ['{"__pynenc__client_exception__": {"module": "m", "qualname": "E", "args": [1], "message": "one"}}', "m.E", "one"],
    ["gARLBi4=\n", "Err", null],
    [REFERENCE, "Err", null],
  ])("reads %s", (data, type, message) => {
    expect(displayException(stored(data))).toMatchObject({
      error_name: "Err",
      type,
      message,
      pynenc_error: false,
      data,
    });
  });

  it("reads pynenc's own errors", () => {
    expect(displayException(stored('{"task_id_key": "t.f", "message": "no more"}', true))).toMatchObject({
      message: "no more",
      pynenc_error: true,
      value: { form: "json" },
    });
    expect(displayException(stored("{}", true))).toMatchObject({ message: "", value: { text: "{}" } });
  });

  it("keeps a reference unresolved", () => {
    expect(displayException(stored(REFERENCE)).value).toMatchObject({ form: "reference", reference: REFERENCE });
  });

  it.each(["", "not json", "[]", "{}", '{"error_name": 5}', '"text"'])("shows malformed text as it is: %j", (text) => {
    expect(displayException(text)).toMatchObject({
      error_name: "unreadable",
      data: null,
      value: { form: "text", text },
    });
  });

  it("never throws", () => {
    const envelope = fc.record(
      {
        error_name: fc.anything(),
        pynenc_error: fc.anything(),
        error_data: fc.oneof(
          hostileText,
          wrapped.map((v) => JSON.stringify(v)),
          wrapped,
        ),
      },
      { requiredKeys: [] },
    );
    const text = fc.oneof(
      hostileText,
      envelope.map((value) => safeJson(value)),
    );
    fc.assert(
      fc.property(text, fc.nat(50), (json, limit) => {
        expect((displayException(json, limit).message ?? "").length).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it("handles deeply nested arguments", () => {
    const deep = "[".repeat(DEEP) + "]".repeat(DEEP);
    const data = `{"py/reduce": [{"py/type": "m.E"}, {"py/tuple": [${deep}]}]}`;
    expect(displayException(stored(data), 1_000_000)).toMatchObject({ type: "m.E" });
  });
});

describe("argumentsMap", () => {
  it("keeps the order, the last value of duplicates and unusual names", () => {
    expect([...(argumentsMap('{"b": "1", "1": "x", "__proto__": "p", "b": "2"}') ?? [])]).toEqual([
      ["b", "2"],
      ["1", "x"],
      ["__proto__", "p"],
    ]);
  });

  it("keeps members that are not strings as JSON text", () => {
    expect(argumentsMap('{"n": 12345678901234567890, "o": {"a": [NaN]}}')).toEqual(
      new Map([
        ["n", "12345678901234567890"],
        ["o", '{"a": [NaN]}'],
      ]),
    );
  });

  it.each(["", "[]", "null", '"{}"', "{"])("rejects %j as a map", (text) => {
    expect(argumentsMap(text)).toBeNull();
  });

  it("reads back what was written", () => {
    const names = anyText().filter((name) => name !== "__proto__");
    fc.assert(
      fc.property(fc.dictionary(names, anyText()), (stored) => {
        expect(argumentsMap(JSON.stringify(stored))).toEqual(new Map(Object.entries(stored)));
      }),
    );
  });
});

describe("referencesIn", () => {
  it("finds references, also inside exceptions, once each", () => {
    const other = clientDataKey("y");
    const exception = JSON.stringify({ error_name: "E", pynenc_error: false, error_data: other });
    expect(referencesIn([REFERENCE, '"text"', exception, REFERENCE])).toEqual([REFERENCE, other]);
  });

  it("is not misled by strings that mention one", () => {
    expect(
      referencesIn([JSON.stringify(REFERENCE), JSON.stringify({ error_data: REFERENCE }), `x${REFERENCE}`]),
    ).toEqual([]);
  });
});

describe.each(FIXTURES)("the stored values of %s", (file) => {
  const apps = openFixture(file);

  it("are all understood", () => {
    const values = apps.flatMap((app) => [
      ...app.results,
      ...app.client_data.map((row) => row.text),
      ...app.invocations.flatMap((row) => [...(argumentsMap(row.serialized_arguments)?.values() ?? [])]),
    ]);
    expect(values.length).toBeGreaterThan(0);
    expect(values.filter((stored) => displayValue(stored).form === "text")).toEqual([]);
  });

  it("include exceptions whose names match their types", () => {
    const behind = new Map(apps.flatMap((app) => app.client_data.map((row) => [row.data_key, row.text])));
    const exceptions = apps.flatMap((app) => app.exceptions);
    expect(exceptions.length > 0).toBe(file !== "pending_triggers.db");
    const kept = exceptions.filter((stored) => referencesIn([stored]).length > 0);
    expect(kept.length > 0).toBe(file.startsWith("kitchen_sink"));
    for (const stored of exceptions) {
      const { error_name, type, message, pynenc_error } = displayException(stored, undefined, (key) => {
        const text = behind.get(key);
        return text === undefined ? undefined : { text, cut: false };
      });
      expect(type?.split(".").at(-1)).toBe(error_name);
      expect(type?.includes(".")).toBe(!pynenc_error);
      expect(message).not.toBeNull();
    }
  });

  it("refer only to client data that exists", () => {
    for (const app of apps) {
      const keys = new Set(app.client_data.map((row) => row.data_key));
      expect(referencesIn([...app.results, ...app.exceptions]).filter((reference) => !keys.has(reference))).toEqual([]);
    }
  });
});

/** Values that JSON cannot carry become their text. */
function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "undefined";
  } catch {
    return "unserializable";
  }
}
