import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { phaseTime } from "../../src/presentation/critical-path.ts";
import {
  age,
  bytes,
  causeText,
  count,
  duration,
  durationPhrase,
  heartbeatAge,
  instant,
  shortId,
  visible,
  visibleLine,
} from "../../src/presentation/text.ts";
import { anyText } from "../support/any-text.ts";

const DIGEST = "9d71fb54e29fd14afe629303e52f7c073e1d649eed947b82a3669c25cbc62aa8";
const INVISIBLE = /\p{Cc}|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}/u;

test.each([
  ["c6d40964-98af-408f-92dc-00ec42f5276d", "c6d40964…276d"],
  [DIGEST, "9d71fb54…2aa8"],
  ["no_args", "no_args"],
  ["12345678901234567890", "12345678901234567890"],
  ["123456789012345678901", "1234567890123…678901"],
  ["ExternalRunner@KrsM3Pro.local-57612", "ExternalRunner@KrsM3Pro.local-57612"],
  [`tasks.add:${DIGEST}`, "tasks.add:9d71fb54…2aa8"],
  [`shop.orders.fulfilment.place_order:${DIGEST}`, "….fulfilment.place_order:9d71fb54…2aa8"],
  ["", ""],
])("shortId of %s is right", (id, expected) => {
  expect(shortId(id)).toBe(expected);
});

test("shortId is short and never cuts a character in two", () => {
  fc.assert(
    fc.property(anyText({ maxLength: 200 }), (id) => {
      const short = shortId(id);
      expect(Array.from(short).length).toBeLessThanOrEqual(40);
      expect(short).not.toMatch(/\p{Surrogate}/u);
    }),
  );
});

test.each([
  [0, "0 s"],
  [0.00035, "350 µs"],
  [0.0009997, "1 ms"],
  [0.0034, "3.4 ms"],
  [0.012, "12 ms"],
  [0.9996, "1 s"],
  [1.24, "1.24 s"],
  [9.996, "10 s"],
  [12.34, "12.3 s"],
  [59.96, "1 min"],
  [185, "3 min 5 s"],
  [3599.6, "1 h"],
  [7440, "2 h 4 min"],
  [86_399, "1 d"],
  [3 * 86_400 + 4 * 3600, "3 d 4 h"],
  [-1.24, "−1.24 s (clock skew)"],
  [-0, "0 s"],
  [Number.NaN, "–"],
  [Number.POSITIVE_INFINITY, "–"],
])("duration of %d is right", (seconds, expected) => {
  expect(duration(seconds)).toBe(expected);
});

test("an elapsed time is only called a run if it was one", () => {
  const phrases = (["took", "never_ran", "waiting", "so_far"] as const).map((meaning) => durationPhrase(1.24, meaning));
  expect(phrases).toEqual(["took 1.24 s", "never ran", "waiting for 1.24 s", "1.24 s since registration"]);
});

test("duration never shows a full unit", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (seconds) => {
      const text = duration(seconds);
      expect(text).toMatch(
        /^(\d+|\d\.\d+|\d{2}\.\d) (µs|ms|s)$|^\d+ min( \d+ s)?$|^\d+ h( \d+ min)?$|^[\d,]+ d( \d+ h)?$/,
      );
      const small = /^([\d.]+) (µs|ms|s)$/.exec(text);
      if (small) expect(Number(small[1])).toBeLessThan(small[2] === "s" ? 60 : 1000);
    }),
  );
});

test.each([
  [0, "0"],
  [999, "999"],
  [1234, "1,234"],
  [1_234_567, "1,234,567"],
  [-1234, "−1,234"],
  [1234.5, "1,234.5"],
  [Number.NaN, "–"],
])("count of %d is right", (value, expected) => {
  expect(count(value)).toBe(expected);
});

test("count groups digits without changing them", () => {
  fc.assert(
    fc.property(fc.nat(), (value) => {
      expect(Number(count(value).replaceAll(",", ""))).toBe(value);
    }),
  );
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.0 kB"],
  [34_400_000, "34 MB"],
  [999_700, "1.0 MB"],
  [5e15, "5,000 TB"],
  [-1, "–"],
])("bytes of %d is right", (value, expected) => {
  expect(bytes(value)).toBe(expected);
});

test.each([
  [0.2, "just now"],
  [3.9, "3 s ago"],
  [300, "5 min ago"],
  [7200, "2 h ago"],
  [3 * 86_400, "3 d ago"],
  [-12, "in 12 s"],
  [Number.NaN, "–"],
])("age of %d is right", (seconds, expected) => {
  expect(age(seconds)).toBe(expected);
});

test("a heartbeat in the future is described as a clock that is ahead", () => {
  expect(heartbeatAge(-119)).toBe("clock 1 min ahead");
  expect(heartbeatAge(-0.5)).toBe("just now");
  expect(heartbeatAge(12)).toBe("12 s ago");
});

test("the duration of a phase across two clocks is not known", () => {
  const time = (seconds: number, across_clocks?: true) =>
    phaseTime({
      phase: "running",
      duration_seconds: seconds,
      stretches: 1,
      ongoing: true,
      ...(across_clocks && { across_clocks }),
    });
  expect(time(0, true)).toBe("not known");
  expect(time(5, true)).toBe("not known");
  expect(time(5)).toBe("5 s");
});

test("a group of failures is named by its exception, or says how many kinds it has and whether all are known", () => {
  const named = (type: string | null, message: string | null, causes: number, other_messages = false) =>
    causeText({ type, message, other_messages, causes });
  expect([
    named("KeyError", "no such shelf", 1),
    named("KeyError", null, 3),
    named("KeyError", "no such shelf", 1, true),
    named(null, null, 2),
    named(null, null, 1),
    named(null, null, 0),
  ]).toEqual([
    "KeyError: no such shelf",
    "KeyError (3 messages)",
    "KeyError: no such shelf (other messages at other times)",
    "2 kinds",
    "1 kind, and some without a stored exception",
    "no exception recorded",
  ]);
});

describe("visible text", () => {
  test.each([
    ["\u001b[31mred", "␛[31mred"],
    ["a\0b", "a␀b"],
    ["\u007f", "␡"],
    ["\u202eevil\u2069", "⟨U+202E⟩evil⟨U+2069⟩"],
    ["zero\u200bwidth\ufeff", "zero⟨U+200B⟩width⟨U+FEFF⟩"],
    ["\u0085", "⟨U+0085⟩"],
    ["\u{e0041}", "⟨U+E0041⟩"],
    ["lone \ud800", "lone ⟨U+D800⟩"],
    ["line\n\ttab\r", "line\n\ttab␍"],
    ["größe 任務 😀", "größe 任務 😀"],
  ])("is right for %j", (input, expected) => {
    expect(visible(input)).toBe(expected);
  });

  test("on one line has marks for line feeds too", () => {
    expect(visibleLine("a\nb\tc")).toBe("a␊b␉c");
  });

  test("contains nothing invisible, and does not change a second time", () => {
    fc.assert(
      fc.property(anyText(), (input) => {
        const once = visibleLine(input);
        expect(once).not.toMatch(INVISIBLE);
        expect(visibleLine(once)).toBe(once);
        expect(visible(input).replaceAll(/[\n\t]/g, "")).not.toMatch(INVISIBLE);
      }),
    );
  });
});

test.each([
  ["2026-11-21T00:34:39.919765+00:00", "2026-11-21 00:34:39.919"],
  ["2026-11-21T00:34:39Z", "2026-11-21 00:34:39.000"],
  ["invalid time", "invalid time"],
  ["2026-11-21T00:34:39+02:00", "2026-11-21T00:34:39+02:00"],
])("instant of %s is right", (iso, expected) => {
  expect(instant(iso)).toBe(expected);
});
