import { afterEach, describe, expect, it, test } from "vitest";
import { lengthOf, momentForms, momentOf, readLocalTimes } from "../../../src/services/input/moment.ts";

/** 2026-11-21 12:00 UTC, a Saturday. */
const NOW = Date.UTC(2026, 10, 21, 12) / 1000;
const at = (iso: string) => Date.parse(iso) / 1000;
const read = (text: string, now = NOW) => momentOf(text)?.(now) ?? null;

describe("a time as people type it", () => {
  test.each([
    ["now", NOW],
    ["90m", NOW - 5_400],
    ["1h30m", NOW - 5_400],
    ["2d", NOW - 172_800],
    ["1w", NOW - 604_800],
    ["1.5h", NOW - 5_400],
    ["500ms", NOW - 0.5],
    ["2h ago", NOW - 7_200],
    [" 15m ", NOW - 900],
    ["today", at("2026-11-21T00:00Z")],
    ["yesterday", at("2026-11-20T00:00Z")],
    ["Yesterday 14:05", at("2026-11-20T14:05Z")],
    ["today 09:30:15.5", at("2026-11-21T09:30:15.500Z")],
    ["9:05", at("2026-11-21T09:05Z")],
    ["14:05", at("2026-11-20T14:05Z")],
    ["10:05:00Z", at("2026-11-21T10:05Z")],
    ["12:00", NOW],
    ["2026-11-20", at("2026-11-20T00:00Z")],
    ["2026-11-20 08:00", at("2026-11-20T08:00Z")],
    ["2026-11-20T08:00:00+02:00", at("2026-11-20T06:00Z")],
    ["2026-11-20T08:00:00.123456", at("2026-11-20T08:00:00.123Z") + 0.000456],
    ["1783160100", 1_783_160_100],
    ["1783160100.25", 1_783_160_100.25],
    ["1783160100250", 1_783_160_100.25],
  ])("is read from %s", (text, expected) => {
    expect(read(text)).toBeCloseTo(expected, 6);
  });

  test.each([
    "",
    "soon",
    "2y",
    "1h30",
    "h",
    "-",
    "0m",
    "25:00",
    "12:60",
    "12:00:60",
    "today yesterday",
    "2026-02-31",
    "2026",
    "12",
    "-2h",
    "+2h",
    "2H",
    "1M",
    "1,5h",
    "1e3s",
    "30m1h",
    "1h1h",
    "2h later",
    "2026-11-20T08:00+24:00",
    "2026-11-20T08:00+02:60",
  ])("is not read from %j", (text) => {
    expect(momentOf(text)).toBeNull();
  });

  test.each([
    ["1970-01-01", 0],
    ["1969-12-31T23:59:59.999", null],
    ["2255-01-01T00:00:00Z", Date.UTC(2255, 0, 1) / 1000],
    ["2255-01-01T00:00:00.001", null],
    ["9999-12-31T23:59:59-23:59", null],
    ["0001-01-01", null],
    ["9999999999", null],
    ["9999999999999", null],
    ["21000d", null],
    ["100000d", null],
  ])("is accepted from %s only if it is between 1970 and 2255", (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it("with a time of day is refused if its day begins before 1970", () => {
    expect([read("yesterday", 3_600), read("2h", 3_600), read("1h", 3_600)]).toEqual([null, null, 0]);
  });

  it("is relative to the present of each call, so that an open page moves on", () => {
    const moment = momentOf("1h");
    expect([moment?.(NOW), moment?.(NOW + 60)]).toEqual([NOW - 3_600, NOW - 3_540]);
  });
});

test("lengths of time are read from their units, and other texts are refused", () => {
  const lengths = {
    "90s": 90,
    "15m": 900,
    "1h30m": 5_400,
    "1w": 604_800,
    "1.5s": 1.5,
    "1m500ms": 60.5,
    "100000d": 8.64e9,
  };
  expect(Object.keys(lengths).map(lengthOf)).toEqual(Object.values(lengths));
  const others = ["", "0s", "1h 30m", "5", "-5m", "1H30m", "30m1h", "5s5s", "1,5s", "100001d", "999999999w", "NaNs"];
  expect(others.map(lengthOf)).toEqual(others.map(() => null));
});

describe("a time as people type it in their own zone", () => {
  const ownZone = process.env.TZ;
  const inZone = (zone: string) => {
    process.env.TZ = zone;
    readLocalTimes(true);
  };
  afterEach(() => {
    readLocalTimes(false);
    if (ownZone === undefined) delete process.env.TZ;
    else process.env.TZ = ownZone;
  });

  test.each([
    ["Asia/Kolkata", "06:35", "2026-11-21T01:05Z"],
    ["Asia/Kolkata", "17:30", "2026-11-21T12:00Z"],
    ["Asia/Kolkata", "17:31", "2026-11-20T12:01Z"],
    ["Asia/Kolkata", "yesterday 06:35", "2026-11-20T01:05Z"],
    ["Asia/Kolkata", "today", "2026-11-20T18:30Z"],
    ["Asia/Kolkata", "2026-11-20", "2026-11-19T18:30Z"],
    ["Asia/Kolkata", "2026-11-20 08:00:30.25", "2026-11-20T02:30:30.250Z"],
    ["Asia/Kolkata", "2026-11-20T08:00Z", "2026-11-20T08:00Z"],
    ["Asia/Kolkata", "2026-11-20T08:00-02:00", "2026-11-20T10:00Z"],
    ["Asia/Kolkata", "1783160100", "2026-07-04T10:15Z"],
    ["America/New_York", "07:00", "2026-11-21T12:00Z"],
    ["America/New_York", "yesterday 23:30", "2026-11-21T04:30Z"],
    // Summer time, on a day on which the present has winter time.
    ["Europe/Berlin", "2026-07-04 10:15", "2026-07-04T08:15Z"],
    // 02:30 occurs twice on the day on which the clocks are set back.
    ["Europe/Berlin", "2026-10-25 02:30", "2026-10-25T00:30Z"],
  ])("in %s is read from %s", (zone, text, expected) => {
    inZone(zone);
    expect(read(text)).toBe(at(expected));
    expect(momentForms()).toContain("in the zone of this machine unless it has an offset");
  });
});
