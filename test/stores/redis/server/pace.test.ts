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

it("does not pause before anything was answered, nor while answers come within 50 ms", () => {
  expect(new Pace().pause("background")).toBe(0);
  expect(after(1, ...many(50)).pause("background")).toBe(0);
});

it("pauses four times as long as half of the last answers took, two seconds at most", () => {
  expect(after(1, ...many(51)).pause("background")).toBe(204);
  expect(after(1, ...many(600)).pause("background")).toBe(2_000);
});

it("pauses less where a page waits for the walk", () => {
  expect(after(1, ...many(51)).pause("page")).toBe(51);
  expect(after(1, ...many(50)).pause("page")).toBe(0);
});

it("takes no single answer for the server's state", () => {
  expect(after(...many(1), 5_000).pause("background")).toBe(0);
});

it("ends with the last fifteen answers", () => {
  expect(after(1, ...many(100), ...many(1).slice(8)).pause("background")).toBe(400);
  expect(after(1, ...many(100), ...many(1)).pause("background")).toBe(0);
});

it("does not take a server for slow that is far away", () => {
  expect(after(100, ...many(500)).pause("background")).toBe(0);
  expect(after(100, ...many(501)).pause("background")).toBe(2_000);
});
