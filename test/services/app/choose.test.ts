/** Which of several apps is opened if none was chosen. */
import { expect, test } from "vitest";
import type { AppFigures, AppRow } from "../../../src/api/app.ts";
import { appToOpen } from "../../../src/services/app/choose.ts";

const QUIET: AppFigures = {
  problems: 0,
  errors: 0,
  finished: 0,
  failed: 0,
  sampled: false,
  queued_messages: 0,
  active_runners: 1,
  last_change: null,
};

const app = (app_id: string, figures: Partial<AppFigures> | null = {}): AppRow => ({
  app_id,
  phantom: false,
  module: null,
  shown: false,
  figures: figures && { ...QUIET, ...figures },
  trouble: figures === null ? "It cannot be opened." : null,
});

const chosen = (...apps: AppRow[]) => appToOpen(apps)?.app_id;

test("the app with an error is opened before one with more warnings, and that before a healthy one", () => {
  const [healthy, warned, broken] = [
    app("a", { last_change: "2026-11-28T12:00:00Z" }),
    app("b", { problems: 5, last_change: "2026-11-28T11:00:00Z" }),
    app("c", { problems: 1, errors: 1 }),
  ];
  expect(chosen(healthy, warned, broken)).toBe("c");
  expect(chosen(healthy, warned)).toBe("b");
});

test("the app that changed last is opened if several have equally severe problems", () => {
  const at = (hour: number) => `2026-11-28T${hour}:00:00Z`;
  expect(chosen(app("a"), app("b", { last_change: at(10) }), app("c", { last_change: at(11) }))).toBe("c");
  expect(chosen(app("a", { problems: 1, last_change: at(12) }), app("b", { problems: 9, last_change: at(11) }))).toBe(
    "a",
  );
});

test("without any difference the first of the list is opened, also if none can be read", () => {
  expect(chosen(app("a"), app("b"))).toBe("a");
  expect(chosen(app("a", null), app("b", null))).toBe("a");
  expect(chosen(app("a", null), app("b", { last_change: "2026-11-28T12:00:00Z" }))).toBe("b");
  expect(chosen()).toBeUndefined();
});
