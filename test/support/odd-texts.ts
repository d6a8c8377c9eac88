/** What people and programs send where a time, a length of time or a number is expected, at the limits and beyond. */
import fc from "fast-check";

/** Each of these once failed somewhere, or is the last of its kind. */
export const WORST_TEXTS = ["99999999d", "9999-12-31T23:59:59", "1e308"] as const;

const ODD = [
  ...[
    "",
    "0",
    "-0",
    "-1",
    "+1",
    "1.",
    ".5",
    "1,5",
    "1,5s",
    "1_000",
    "0x10",
    "1e3",
    "NaN",
    "Infinity",
    "-Infinity",
    "null",
  ],
  ...["9007199254740993", "999999999", "1000000000", "9999999999", "10000000000", "9999999999999", "10000000000000"],
  ...[
    "-1h",
    "+1h",
    "1H",
    "1M",
    "1h ago",
    "1h30",
    "30m1h",
    "1 h",
    "0s",
    "999999999w",
    "999999999ms",
    "100000d",
    "100001d",
  ],
  ...["0000-01-01", "0001-01-01", "1969-12-31T23:59:59.999999", "1970-01-01", "2255-01-01", "2255-01-01T00:00:01"],
  ...["9999-12-31T23:59:59-23:59", "0000-01-01T00:00+23:59", "2026-11-21T00:36:00+99:99", "2026-02-29", "now", "today"],
  ...["yesterday", "24:00", "23:59", "-00:01", "2026-11-21T00:36", "2026-11-21T00:36:00,5", "1h|", "1h;", "1h\n"],
];

const number = fc.oneof(fc.constantFrom("0", "1", "5", "999999999"), fc.nat().map(String), fc.double().map(String));

export const oddText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...ODD),
  fc
    .tuple(fc.constantFrom("", "", "-", "+"), number, fc.constantFrom("", "ms", "s", "m", "h", "d", "w", "W", "%"))
    .map((parts) => parts.join("")),
  fc
    .date({ min: new Date("0000-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59Z"), noInvalidDate: true })
    .map((date) => date.toISOString()),
);
