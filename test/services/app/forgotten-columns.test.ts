import { array, assert, constant, constantFrom, integer, oneof, property, record, uniqueArray, uuid } from "fast-check";
import { describe, expect, test } from "vitest";
import { ForgottenColumns, newestFirst, Vocabulary } from "../../../src/services/app/forgotten-columns.ts";
import type { ForgottenInvocation } from "../../../src/stores/ports/forgotten.ts";
import type { StatusFilter } from "../../../src/stores/ports/orchestrator.ts";

/** Few values of each kind, so that rows share them. */
const row = record({
  invocation_id: oneof(
    uuid(),
    constantFrom("i1", "I-2", "00000000-0000-0000-0000-000000000001", "c991e525", "ünï", ""),
  ),
  task_id_key: constantFrom("a.b", "a.c"),
  call_id_key: constantFrom("a.b:1", "a.b:2", "a.c:1"),
  last_status: constantFrom("success", "failed", null),
  order: integer({ min: 0, max: 20 }),
});
const rows = uniqueArray(row, { selector: (r) => r.invocation_id, maxLength: 60 });

const filter = record({
  statuses: oneof(constant(undefined), array(constantFrom("success", "failed", "unknown", "running"))),
  task_id_key: constantFrom(undefined, "a.b", "a.c", "a.never"),
  call_id_key: constantFrom(undefined, "a.b:1", "a.never:1"),
  id_prefix: constantFrom(undefined, "", "0", "00000000-", "c9", "i", "I-", "zz", "c991e525-"),
});

function meets(one: ForgottenInvocation, { statuses, task_id_key, call_id_key, id_prefix }: StatusFilter): boolean {
  return (
    (statuses === undefined || statuses.includes(one.last_status ?? "unknown")) &&
    (task_id_key === undefined || task_id_key === one.task_id_key) &&
    (call_id_key === undefined || call_id_key === one.call_id_key) &&
    one.invocation_id.startsWith(id_prefix ?? "")
  );
}

const idsOf = (columns: ForgottenColumns) => Array.from({ length: columns.length }, (_, at) => columns.idAt(at));

describe("ForgottenColumns", () => {
  test("a filter finds what a check of every row finds, in the order of registration", () => {
    assert(
      property(rows, filter, (given, wanted) => {
        const columns = ForgottenColumns.of(new Vocabulary(), given);
        const found = [...columns.matching(wanted, columns.length)].map((at) => columns.idAt(at));
        const expected = given.filter((one) => meets(one, wanted)).sort(newestFirst);
        expect(found).toEqual(expected.map((one) => one.invocation_id));
      }),
    );
  });

  test("merging, sorting and cutting keep every row once and in order", () => {
    assert(
      property(rows, integer({ min: 0, max: 60 }), integer({ min: 0, max: 21 }), (given, split, order) => {
        const vocabulary = new Vocabulary();
        const sorted = [...given].sort(newestFirst).map((one) => one.invocation_id);
        const merged = ForgottenColumns.of(vocabulary, given.slice(split)).mergedWith(
          // A few in both.
          ForgottenColumns.of(vocabulary, given.slice(0, split + 3)),
        );
        expect(idsOf(merged)).toEqual(sorted);
        const unsorted = new ForgottenColumns(vocabulary);
        for (const one of [...given, ...given.slice(0, 3)]) unsorted.push(one);
        expect(idsOf(unsorted.sorted())).toEqual(sorted);
        const older = given.filter((one) => one.order < order).sort(newestFirst);
        expect(idsOf(merged.before(order))).toEqual(older.map((one) => one.invocation_id));
        expect(merged.shares(merged.length).reduce((sum, share) => sum + share.count, 0)).toBe(given.length);
      }),
    );
  });

  test("every stored row is found at its position, and other rows are not found", () => {
    assert(
      property(rows, (given) => {
        const columns = ForgottenColumns.of(new Vocabulary(), given);
        const sorted = [...given].sort(newestFirst);
        expect(sorted.map((one) => columns.positionOf(one))).toEqual(sorted.map((_, at) => at));
        expect(given.every((one) => columns.has(one))).toBe(true);
        expect(columns.has({ order: 3, invocation_id: "elsewhere" })).toBe(false);
        expect(given.some((one) => columns.has({ ...one, order: one.order + 100 }))).toBe(false);
      }),
    );
  });

  test("counts rows by task and last status; without a history the status is unknown", () => {
    const one = { call_id_key: "a.b:1", order: 1 };
    const columns = ForgottenColumns.of(new Vocabulary(), [
      { ...one, invocation_id: "1", task_id_key: "a.b", last_status: "failed" },
      { ...one, invocation_id: "2", task_id_key: "a.c", last_status: "failed" },
      { ...one, invocation_id: "3", task_id_key: "a.c", last_status: null },
      { ...one, invocation_id: "4", task_id_key: "a.c", last_status: null },
    ]);
    expect(columns.shares(4)).toEqual([
      { task_id_key: "a.b", status: "failed", count: 1 },
      { task_id_key: "a.c", status: "failed", count: 1 },
      { task_id_key: "a.c", status: "unknown", count: 2 },
    ]);
    expect(columns.shares(2)).toHaveLength(2);
  });
});
