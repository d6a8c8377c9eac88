import { describe, expect, test } from "vitest";
import { markedParts, searchedTexts } from "../../src/presentation/invocation-filters.ts";

describe("the texts of a search that details can show", () => {
  test("are its words, and values of error, exception and arguments", () => {
    expect(searchedTexts(["timeout", "error:Card", "arg.region=eu", "exception:A,B", '"two words"'])).toEqual([
      "timeout",
      "Card",
      "eu",
      "A",
      "B",
      "two words",
    ]);
    expect(searchedTexts(['error:"a \\\\"quoted\\\\" text"'.replaceAll("\\\\", "\\")])).toEqual(['a "quoted" text']);
  });

  test("leave out excluded terms and fields about other things", () => {
    expect(searchedTexts(["-timeout", "-error:Card", "status:failed", "run>5s", "task:shop.*"])).toEqual([]);
  });
});

describe("a text with marked matches", () => {
  const marked = (text: string, ...searched: string[]) =>
    markedParts(text, searched)
      .map(({ text, match }) => (match ? `[${text}]` : text))
      .join("");

  test("keeps its own spelling, whatever the case of the search", () => {
    expect(marked("Card declined: card 4", "card")).toBe("[Card] declined: [card] 4");
    expect(marked("a=1, b=2", "b", "a")).toBe("[a]=1, [b]=2");
    expect(marked("nothing here", "card")).toBe("nothing here");
    expect(marked("", "card")).toBe("");
  });

  test("begins shortly before its first match, so that a cell shows it", () => {
    expect(marked(`${"x".repeat(100)} card declined`, "card")).toBe(`…${"x".repeat(23)} [card] declined`);
  });

  test("is whole where lower case has another length", () => {
    expect(marked("İ card", "card")).toBe("İ card");
  });
});
