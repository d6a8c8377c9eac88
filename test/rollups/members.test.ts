import { expect, test } from "vitest";
import { Members } from "../../src/rollups/members.ts";

test("failure groups beyond the limit are all counted as one group without a task and a message", () => {
  const members = new Members();
  const numberOf = (n: number) =>
    members.numberOf({ kind: "failure", task_id_key: "shop.pay", type: "ValueError", message: `no ${n}` });
  for (let n = 0; n < 5_000; n++) expect(numberOf(n)).toBe(n);
  expect(members.countsEachByName("failure")).toBe(false);
  expect([numberOf(5_000), numberOf(5_001), numberOf(5_000)]).toEqual([5_000, 5_000, 5_000]);
  expect(members.at(5_000)).toEqual({ kind: "failure", task_id_key: null, type: null, message: null });
  expect(numberOf(7)).toBe(7);
});
