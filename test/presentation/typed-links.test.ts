/** Links accept only the parameters of their page, which the compiler checks when it reads this file. */
import { expect, it } from "vitest";
import { createLinks } from "../../src/presentation/links.ts";

it("a link with a parameter that the page does not have fails to compile", () => {
  const links = createLinks(null);
  // @ts-expect-error: it is called `status`
  expect(links.invocations({ statuses: "failed" })).toBe("/invocations/?statuses=failed");
  // @ts-expect-error: a name is checked also beside parameters that go along
  expect(links.events({ ...({ page: ["2"] } as Record<string, readonly string[]>), code: "x" })).toBe(
    "/events/?page=2&code=x",
  );
  expect(links.events({ event_code: "x", limit: 5 })).toBe("/events/?event_code=x&limit=5");
  // The HTTP contract's names of a window, on the timeline alone.
  expect(links.timeline({ start_date: "a" })).toBe("/invocations/timeline?start_date=a");
  // @ts-expect-error: elsewhere it is `from`
  expect(links.triggerRuns({ start_date: "a" })).toBe("/trigger-runs/?start_date=a");
});
