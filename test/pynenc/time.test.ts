import { describe, expect, test } from "vitest";
import { coarse } from "../../src/pynenc/numbers.ts";
import {
  epochFromIso,
  epochFromJulianDay,
  inAddress,
  isoFromEpoch,
  julianDayFromEpoch,
  secondsSince,
  toMicros,
} from "../../src/pynenc/time.ts";

describe("isoFromEpoch", () => {
  // What `datetime.fromtimestamp(seconds, UTC)` says of heartbeats of a real run, which carry more digits than microseconds.
  test.each([
    [1795221304.4120514, "2026-11-21T00:35:04.412051+00:00"],
    [1795221305.8502254, "2026-11-21T00:35:05.850225+00:00"],
    [1795221308.3394165, "2026-11-21T00:35:08.339417+00:00"],
    [1795221527.3785, "2026-11-21T00:38:47.378500+00:00"],
    [1795221308.9999998, "2026-11-21T00:35:09.000000+00:00"],
  ])("rounds %d as Python does", (seconds, iso) => {
    expect(isoFromEpoch(seconds)).toBe(iso);
  });

  test("rounds a half to the even digit, as Python does", () => {
    expect(isoFromEpoch(1795221308.0078125)).toBe("2026-11-21T00:35:08.007812+00:00");
    expect(isoFromEpoch(1795221308.0234375)).toBe("2026-11-21T00:35:08.023438+00:00");
  });

  test("keeps each microsecond of a text through a number and back", () => {
    for (let micros = 0; micros < 1_000_000; micros += 997) {
      const iso = `2026-11-21T00:35:04.${String(micros).padStart(6, "0")}+00:00`;
      const seconds = epochFromIso(iso) as number;
      expect(isoFromEpoch(seconds)).toBe(iso);
      expect(toMicros(seconds)).toBe(seconds);
    }
  });

  test(`returns "invalid time" for an instant that no date can have`, () => {
    expect(isoFromEpoch(1e300)).toBe("invalid time");
    expect(isoFromEpoch(Number.NaN)).toBe("invalid time");
    expect(isoFromEpoch(Number.POSITIVE_INFINITY)).toBe("invalid time");
    expect(isoFromEpoch(Date.UTC(10_000, 0, 1) / 1000)).toBe("invalid time");
    expect(isoFromEpoch(Date.parse("0000-01-01T00:00Z") / 1000 - 1)).toBe("invalid time");
  });
});

describe("epochFromIso", () => {
  test.each(["0001-01-01T00:00:00", "0099-12-31T23:59:59", "0100-01-01T00:00:00", "9999-12-31T23:59:59"])(
    "reads %s as that year, and writes it back",
    (second) => {
      for (const form of [`${second}.000000+00:00`, `${second}Z`]) {
        expect(epochFromIso(form)).toBe(Date.parse(`${second}Z`) / 1000);
        expect(isoFromEpoch(epochFromIso(form) ?? 0)).toBe(`${second}.000000+00:00`);
      }
    },
  );

  test("returns null for an offset of a day or more, and for a UTC year of five digits", () => {
    for (const text of ["2026-11-21T10:00+24:00", "2026-11-21T10:00-01:60", "9999-12-31T23:59:59-00:01"]) {
      expect([text, epochFromIso(text)]).toEqual([text, null]);
    }
  });

  const parts = [
    "1970-01-01T00:00:00",
    "1999-12-28T23:59:59",
    "2024-02-29T12:30:45",
    "2026-01-31T00:00:00",
    "2026-04-30T23:59:59",
    "2026-12-31T23:59:59",
    "2026-11-21T09:08:07",
  ];
  test.each(parts)("reads %s alike in Python's own format and in others", (second) => {
    for (const fraction of ["000000", "000001", "123456", "919765", "999999"]) {
      const python = epochFromIso(`${second}.${fraction}+00:00`);
      expect(python).not.toBeNull();
      expect(python).toBe(epochFromIso(`${second.replace("T", " ")}.${fraction}Z`));
      expect(python).toBe(Date.parse(`${second}Z`) / 1000 + Number(`0.${fraction}`));
    }
  });

  test.each([["2026-02-31"], ["2026-02-29"], ["2026-13-01"], ["2026-00-10"], ["2026-04-00"], ["2026-04-31"]])(
    "returns null for the date %s, in either format",
    (day) => {
      expect(epochFromIso(`${day}T10:00:00.000000+00:00`)).toBeNull();
      expect(epochFromIso(`${day}T10:00:00Z`)).toBeNull();
    },
  );

  test.each([["24:00:00"], ["23:60:00"], ["99:10:00"]])(
    "returns null for the time of day %s, in either format",
    (time) => {
      expect(epochFromIso(`2026-04-03T${time}.000000+00:00`)).toBeNull();
      expect(epochFromIso(`2026-04-03T${time}Z`)).toBeNull();
    },
  );
});

describe("secondsSince", () => {
  test("returns the seconds until now, and zero for a future instant", () => {
    expect(secondsSince(100, 103.5)).toBe(3.5);
    expect(secondsSince(100, 100)).toBe(0);
    expect(secondsSince(100, 40)).toBe(0);
  });
});

test.each([
  [1_795_000_000, "2026-11-18T11:06:40Z"],
  [1_795_000_000.25, "2026-11-18T11:06:40.250000Z"],
])("an address names the instant %d in few characters, and is read as the same instant", (seconds, text) => {
  expect(inAddress(isoFromEpoch(seconds))).toBe(text);
  expect(epochFromIso(text)).toBe(seconds);
});

test.each([0, 0.1, 0.9, 59.999])(
  "a Julian day gives the millisecond that was stored, and an age as long as that: %d s",
  (part) => {
    const now = 1_795_000_100;
    for (let second = 0; second < 50; second++) {
      const stored = 1_795_000_000 - second + part;
      const read = epochFromJulianDay(julianDayFromEpoch(stored));
      expect(isoFromEpoch(read)).toBe(isoFromEpoch(stored));
      expect(coarse(now + part - read)).toBe(coarse(100 + second));
    }
  },
);
