import { describe, expect, it } from "vitest";
import { didYouMean, similarWords } from "../../../src/services/input/similar.ts";

const WORDS = ["failed", "success", "pending", "pending_recovery", "running", "retry", "killed"];

describe("the words most similar to another", () => {
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
  ])("are found for %s", (given, expected) => {
    expect(similarWords(given, WORDS)).toEqual(expected);
  });

  it("are only the closest ones, and at most three", () => {
    expect(similarWords("kille", ["skilled", "killed", "filled"])).toEqual(["killed"]);
    expect(similarWords("tilled", ["milled", "killed", "filled", "billed"])).toEqual(["billed", "filled", "killed"]);
  });

  it.each(["workers", "xworker", "worke", "orker", "wroker", "wokrer", "workre"])(
    "count an extra, a missing or swapped letters like one replaced letter: %s",
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
])("similar words are suggested in a question: %j", (words, sentence) => {
  expect(didYouMean(words)).toBe(sentence);
});
