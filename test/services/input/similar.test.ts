import { describe, expect, it } from "vitest";
import { didYouMean, similarWords } from "../../../src/services/input/similar.ts";

const WORDS = ["failed", "success", "pending", "pending_recovery", "running", "retry", "killed"];

describe("words like another", () => {
  it.each([
    ["faild", ["failed"]],
    ["FAILED", ["failed"]],
    ["fialed", ["failed"]],
    ["sucess", ["success"]],
    ["runing", ["running"]],
    ["pending_recovry", ["pending_recovery"]],
    ["retri", ["retry"]],
    ["pending", ["pending"]],
    ["succes", ["success"]],
    ["done", []],
    ["", []],
    ["x".repeat(10_000), []],
  ])("%s", (given, expected) => {
    expect(similarWords(given, WORDS)).toEqual(expected);
  });

  it("are the closest alone, and no more than three", () => {
    expect(similarWords("kille", ["skilled", "killed", "filled"])).toEqual(["killed"]);
    expect(similarWords("tilled", ["milled", "killed", "filled", "billed"])).toEqual(["billed", "filled", "killed"]);
  });

  it.each(["workers", "xworker", "worke", "orker", "wroker", "wokrer", "workre"])(
    "a letter more, one less or two swapped count as much as one replaced: %s",
    (other) => {
      expect(similarWords("worker", [other, "worked"]).sort()).toEqual([other, "worked"].sort());
    },
  );

  it("can be compared by a part of them", () => {
    const last = (name: string) => name.slice(name.lastIndexOf(".") + 1);
    expect(similarWords("shpi", ["shop.orders.ship", "shop.orders.cancel"], last)).toEqual(["shop.orders.ship"]);
  });
});

it.each([
  [[], null],
  [["a"], "did you mean a?"],
  [["a", "b"], "did you mean a or b?"],
  [["a", "b", "c"], "did you mean a, b or c?"],
])("as a question: %j", (words, sentence) => {
  expect(didYouMean(words)).toBe(sentence);
});
