/** Recorded stores in which something never runs, or only seems late: what is said of them, and in which order. */
import { afterAll, expect, it, onTestFinished } from "vitest";
import { resolveConfiguration } from "../../../src/config/options.ts";
import { createLinks } from "../../../src/presentation/links.ts";
import { placedWhy } from "../../../src/presentation/verdict-steps.ts";
import { Workspace } from "../../../src/services/app/workspace.ts";
import { why } from "../../../src/services/why/why.ts";
import { copyFixture, temporaryFolder } from "../../support/fixtures.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** The answer about the app of a recorded store, at this instant. */
async function asked(name: string, now: string) {
  const given = { env: {}, cwd: folder.path };
  const flags = { db: copyFixture(`cases/${name}.db`, folder.path), now };
  const configuration = resolveConfiguration({ flags, ...given });
  const workspace = await Workspace.connect({ configuration, ...given, threads: 0, clock: () => 0 });
  onTestFinished(() => workspace.close());
  const found = placedWhy(createLinks(null), await why(await workspace.openOnly(), {}));
  return [found.verdict, ...found.others].flatMap((one) => one ?? []);
}

it("20 invocations whose orchestrator and queue were purged are reported as left behind", async () => {
  const [verdict, ...others] = await asked("after_both_purges_023", "2026-11-27T07:30:00Z");
  expect(others).toEqual([]);
  expect(verdict).toMatchObject({
    code: "left_behind",
    sentence: "20 invocations left behind, not requeued",
    count: 20,
  });
});

it("after a purge of the orchestrator alone, no verdict advises to start a runner, which would end at once", async () => {
  const [verdict, ...others] = await asked("after_orchestrator_purge_023", "2026-11-27T07:30:00Z");
  expect(others).toEqual([]);
  expect(verdict).toMatchObject({ code: "message_without_invocation", severity: "error", count: 20 });
  expect(verdict?.next[0]?.command).toBe("monitor purge broker");
  expect(verdict?.detail).toContain("starting one does not help");
  expect(verdict?.next.map(({ command }) => command).join()).not.toContain("runner start");
});

it("a schedule is not overdue before its min_interval_seconds have passed", async () => {
  const name = "cron_min_interval_false_overdue_023";
  expect(await asked(name, "2026-11-27T07:18:25Z")).toEqual([]);
});

it("each host with a wrong clock has one verdict, and its silent runner, which the clock explains, has none", async () => {
  const verdicts = await asked("skewed_host", "2026-11-22T01:08:54Z");
  const clocks = verdicts.filter(({ code }) => code === "clock_skew");
  expect(clocks.map(({ sentence }) => sentence)).toEqual([
    "The clock of fast-box is at least 1 min 59 s ahead of the monitor's",
    "The clock of slow-box is at least 1 min 30 s behind that of shop-host",
  ]);
  expect(verdicts.map(({ code }) => code)).not.toContain("running_on_dead_runner");
});
