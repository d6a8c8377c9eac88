/** The page of all apps of a store. */
import { parse } from "node-html-parser";
import { expect, it, vi } from "vitest";
import type { AppOverview } from "../../src/api/app.ts";
import type { VerdictList } from "../../src/api/verdicts.ts";
import { InvalidInputError } from "../../src/errors.ts";
import { epochFromIso } from "../../src/pynenc/time.ts";
import { fixturePath } from "../support/fixtures.ts";
import { monitorAt, testMonitor } from "../support/monitor.ts";

const NOW = epochFromIso("2026-11-27T06:56:10Z") ?? 0;
const twoApps = () => testMonitor(monitorAt(fixturePath("cases/two_apps_023.db"), "in process", { now: NOW }));

it("lists every app with its own problems, runners and last change", async () => {
  const monitor = await twoApps();
  const { apps, page } = await monitor.json<AppOverview>("/apps/");
  expect([apps.map(({ app_id }) => app_id), page.total]).toEqual([["alpha", "beta"], 2]);
  for (const { app_id, figures } of apps) {
    const { verdicts } = await monitor.json<VerdictList>(`/verdicts?app=${app_id}`);
    expect([app_id, figures?.problems]).toEqual([app_id, verdicts.length]);
    expect(figures?.last_change).toMatch(/^2026-11-27T/);
  }
  expect(apps.map(({ figures }) => figures?.active_runners)).toEqual([0, 1]);
});

it("leads to each app, and has a page for each part of the list", async () => {
  const monitor = await twoApps();
  const first = parse(await monitor.text("/apps/?limit=1"));
  expect(first.querySelectorAll("#apps tbody th a").map((link) => link.getAttribute("href"))).toEqual(["/?app=alpha"]);
  expect(first.querySelector(".pager a[rel=next]")?.getAttribute("href")).toBe("/apps/?page=2&limit=1&app=alpha");
  expect((await monitor.json<AppOverview>("/apps/?limit=1&page=2")).apps.map(({ app_id }) => app_id)).toEqual(["beta"]);
});

it("says why an app cannot be opened, and lists the others", async () => {
  const monitor = await twoApps();
  const glanced = monitor.workspace.glanced.bind(monitor.workspace);
  vi.spyOn(monitor.workspace, "glanced").mockImplementation((id, info) => {
    if (id === "beta") throw new InvalidInputError([], "", "Its settings are wrong.");
    return glanced(id, info);
  });
  const { apps } = await monitor.json<AppOverview>("/apps/");
  expect(apps.map(({ trouble, figures }) => [trouble, figures === null])).toEqual([
    [null, false],
    ["Its settings are wrong.", true],
  ]);
  expect(parse(await monitor.text("/apps/")).querySelector("#apps")?.text).toContain("Its settings are wrong.");
});

it("the figures of an app are not read again while the store is unchanged", async () => {
  const monitor = await twoApps();
  const read = vi.fn();
  const glanced = monitor.workspace.glanced.bind(monitor.workspace);
  vi.spyOn(monitor.workspace, "glanced").mockImplementation((id, info) => {
    const app = glanced(id, info);
    return {
      ...app,
      memoAcross: (key, compute) =>
        app.memoAcross(key, () => {
          read(id);
          return compute();
        }),
    };
  });
  // The first look chooses which app is shown, and opens it.
  await monitor.json("/apps/");
  await monitor.json("/apps/");
  expect(new Set(read.mock.calls.flat())).toEqual(new Set(["alpha", "beta"]));
  read.mockClear();
  await monitor.json("/apps/");
  expect(read).not.toHaveBeenCalled();
});
