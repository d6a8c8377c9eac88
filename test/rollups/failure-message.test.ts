import { describe, expect, test } from "vitest";
import { messageKind } from "../../src/rollups/failure-message.ts";
import { cases } from "../support/cases.ts";
import { PLANTED_CAUSES } from "./planted-causes.ts";

function picker(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const hex = (n: number) => ((n * 2_654_435_761) >>> 0).toString(16).padStart(8, "0");
const uuid = (n: number) =>
  `${hex(n)}-${hex(n + 1).slice(4)}-4${hex(n + 2).slice(5)}-a${hex(n + 3).slice(5)}-${hex(n + 4)}${hex(n + 5).slice(4)}`;

/** Twelve causes, some of them near each other, with what varies from failure to failure. */
const CAUSES: ((n: number) => string)[] = [
  (n) => `card declined for order ORD-${10_000 + n}: insufficient funds`,
  (n) => `card declined for order ORD-${10_000 + n}: card expired`,
  (n) => `Connection to 10.0.${n % 250}.7:${5_000 + n} timed out after ${n % 60}.${n % 10}s`,
  (n) => `Connection to 10.0.${n % 250}.7:${5_000 + n} refused`,
  (n) => `[Errno 2] No such file or directory: '/var/spool/${hex(n)}/in-${n}.csv'`,
  (n) => `[Errno 13] Permission denied: '/var/spool/${hex(n)}/in-${n}.csv'`,
  (n) => `invocation ${uuid(n)} has no result`,
  (n) => `HTTP 404 for https://api.example.com/items/${n}?token=${hex(n)}`,
  (n) => `HTTP 503 for https://api.example.com/items/${n}?token=${hex(n)}`,
  (n) => `could not parse "${hex(n)} ${n}" at line ${n}, column ${n % 80}`,
  (n) =>
    `object at 0x7f${hex(n)} was changed at 2026-11-${String((n % 28) + 1).padStart(2, "0")}T10:15:${String(n % 60).padStart(2, "0")}+00:00`,
  (n) => `user user${n}@mail${n % 9}.example.com over quota: ${n * 1_000} bytes`,
];

describe("the kind of a failure message", () => {
  const FAILURES = cases(10_000);

  test("is one of 12 for any number of failures with 12 causes", () => {
    const kinds = CAUSES.map(() => new Set<string>());
    for (let n = 0; n < FAILURES; n++) {
      const at = n % CAUSES.length;
      kinds[at]?.add(messageKind(CAUSES[at]?.(n) ?? ""));
    }
    expect(kinds.map((some) => [...some])).toEqual([
      ["card declined for order <value>: insufficient funds"],
      ["card declined for order <value>: card expired"],
      ["Connection to <address> timed out after <value>s"],
      ["Connection to <address> refused"],
      ["[Errno 2] No such file or directory: <value>"],
      ["[Errno 13] Permission denied: <value>"],
      ["invocation <value> has no result"],
      ["HTTP 404 for <url>"],
      ["HTTP 503 for <url>"],
      ["could not parse <value> at line <value>, column <value>"],
      ["object at <address> was changed at <date>"],
      ["user <address> over quota: <value> bytes"],
    ]);
  });

  test("is one of 12 for any number of failures with 12 causes that others planted", () => {
    const pick = picker(7);
    const kinds = PLANTED_CAUSES.map(() => new Set<string>());
    for (let n = 0; n < FAILURES; n++) {
      const at = n % PLANTED_CAUSES.length;
      kinds[at]?.add(messageKind(PLANTED_CAUSES[at]?.message(pick) ?? ""));
    }
    expect(kinds.map((some) => [...some])).toEqual(kinds.map(() => [expect.any(String)]));
    expect(new Set(kinds.flatMap((some) => [...some])).size).toBe(12);
  });

  test.each([
    ['column "region" does not exist', 'column "region" does not exist'],
    ['column "2024" does not exist', "column <value> does not exist"],
    ["'int' object has no attribute 'items'", "<value> object has no attribute 'items'"],
    ["Server error '503 Service Unavailable' for url", "Server error '503 Service Unavailable' for url"],
    ["ReadError('[Errno 104] reset by 10.0.0.7')", "ReadError('[Errno 104] reset by <address>')"],
    ["commit deadbeef is gone", "commit <value> is gone"],
    ["'region'", "'region'"],
    ["'ORD-10012'", "'<value>'"],
    ["can't open user's file /var/lib/x.dat", "can't open user's file <path>"],
    ["missing columns: 'a', 'b' and more", "missing columns: <value>, … and more"],
    ["missing columns: 'a', 'b', 'c' and more", "missing columns: <value>, … and more"],
    [
      "'utf-8' codec can't decode byte 0xff in position 12",
      "<value> codec can't decode byte <address> in position <value>",
    ],
    ["sha256 of s3 object differs", "sha256 of s3 object differs"],
    ["ratio 1,234.5 > 0.8%", "ratio <value> > <value>"],
    ["waited 30.5s, then 200 ms", "waited <value>s, then <value> ms"],
    ["data/2024/in.csv is empty", "<path> is empty"],
    ["read/write failed", "read/write failed"],
    ["two\n  lines\tof text", "two lines of text"],
    ["Gerät 17 überhitzt", "Gerät <value> überhitzt"],
    ["", ""],
  ])("is right for %j", (message, kind) => {
    expect(messageKind(message)).toBe(kind);
  });

  test("is the same for messages of any length that differ in one long value", () => {
    const message = (order: string, words: number) => `order ${order} failed: ${"because of that ".repeat(words)}`;
    for (const words of [12, 70, 200]) {
      const kinds = ["ORD-1", "ORD-10012", `ORD-${"1".repeat(40)}`].map((order) => messageKind(message(order, words)));
      expect(new Set(kinds).size).toBe(1);
    }
  });

  test("is cut to 300 characters, and takes time in proportion to the message", () => {
    expect(messageKind("word ".repeat(1_000))).toHaveLength(300);
    const hostile = ["'", "x@", "a.", "1.", "/a", "1-", "::", "<value>, ", "0x", "é"].map((part) =>
      part.repeat(50_000),
    );
    expect(hostile.map((text) => messageKind(text).length <= 300)).not.toContain(false);
  });
});
