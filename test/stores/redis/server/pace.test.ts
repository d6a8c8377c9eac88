import { expect, it } from "vitest";
import { Pace } from "../../../../src/stores/redis/server/pace.ts";

/** After these answers, in milliseconds. */
function after(...answers: number[]): Pace {
  const pace = new Pace();
  for (const ms of answers) pace.record(ms);
  return pace;
}

/** So many answers of the same time. */
const many = (ms: number) => Array.from({ length: 15 }, () => ms);

it("a walk does not pause before the first answer, nor while answers come within 50 ms", () => {
  expect(new Pace().pause("background")).toBe(0);
  expect(after(1, ...many(50)).pause("background")).toBe(0);
});

it("a walk pauses four times as long as the median of the last answers, at most two seconds", () => {
  expect(after(1, ...many(51)).pause("background")).toBe(204);
  expect(after(1, ...many(600)).pause("background")).toBe(2_000);
});

it("a walk pauses less when a page waits for it", () => {
  expect(after(1, ...many(51)).pause("page")).toBe(51);
  expect(after(1, ...many(50)).pause("page")).toBe(0);
});

it("a walk does not pause for a single slow answer", () => {
  expect(after(...many(1), 5_000).pause("background")).toBe(0);
});

it("a walk stops pausing when the last fifteen answers were fast", () => {
  expect(after(1, ...many(100), ...many(1).slice(8)).pause("background")).toBe(400);
  expect(after(1, ...many(100), ...many(1)).pause("background")).toBe(0);
});

it("a walk does not take a distant server for a slow one", () => {
  expect(after(100, ...many(500)).pause("background")).toBe(0);
  expect(after(100, ...many(501)).pause("background")).toBe(2_000);
});
