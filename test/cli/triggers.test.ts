/** The commands about triggers on data that real pynenc runs wrote. */
import { describe, expect, test } from "vitest";
import { type FixtureName, factsOf } from "../support/fixtures.ts";
import { monitor, ownCopy, presentOption, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const KITCHEN = "kitchen_sink";
const facts = factsOf("kitchen_sink.db", KITCHEN);
const BOTH = "56782980f24c1fc0982b078cd8dc9b104c8043cdc81d74cc20861ef869333eb3";
const ON_ORDER = "b35e6c3f-390b-495d-a583-a7488235d751";

function options(fixture: FixtureName, app = KITCHEN): string[] {
  return ["--db", ownCopy(fixture, folder), "--app", app, "--now", presentOption(fixture)];
}

const here = options("kitchen_sink.db");
const older = options("kitchen_sink_023.db");

// biome-ignore lint/suspicious/noExplicitAny: documents of several shapes, looked at member by member
async function json(args: readonly string[]): Promise<any> {
  const run = await monitor([...args, "--json"]);
  expect([run.code, run.stderr]).toEqual([0, ""]);
  return JSON.parse(run.stdout);
}

describe("monitor trigger-runs", () => {
  test("prints JSON, filtered", async () => {
    const all = await json([...here, "trigger-runs", "--limit", "200"]);
    expect([all.trigger_runs.length, all.page.total]).toEqual([facts.trigger_runs, facts.trigger_runs]);
    const some = await json([...here, "trigger-runs", "--kind", "exception"]);
    expect(some.trigger_runs.map((run: { task_id_key: string }) => run.task_id_key)).toEqual(["tasks.on_declined"]);
    const at = "2026-11-21T00:34:56.690562";
    const then = await json([...here, "trigger-runs", "--since", at, "--until", at, "--task", "tasks.on_both"]);
    expect(then.trigger_runs.map((run: { trigger_run_id: string }) => run.trigger_run_id)).toEqual([BOTH]);
  });

  test("prints text", async () => {
    const { code, stdout, stderr } = await monitor([...here, "trigger-runs", "--kind", "event", "--limit", "3"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^RUN +EXECUTED +CAUSE +TASK +INVOCATION$/m);
    expect(stdout).toMatch(
      / event and\.left 75a45931-ddc9-40b5-9790-b834e39b35f1, event and\.right \S+ +tasks\.on_both /,
    );
    expect(stdout.trimEnd().split("\n")).toHaveLength(4);
    expect(stderr).toMatch(/^Trigger runs 1 to 3 of \d+\. Next: --page 2$/m);
  });

  test("refuses unknown values and names the flag", async () => {
    const { code, stderr } = await monitor([...here, "trigger-runs", "--kind", "magic"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--kind");
    expect(stderr).toContain("event, status, result, exception, cron");
    const reversed = await monitor([...here, "trigger-runs", "--since", "2026-11-22", "--until", "2026-11-21"]);
    expect([reversed.code, reversed.stderr.includes("--since")]).toEqual([2, true]);
  });

  test("says that an older layout records no trigger runs", async () => {
    const { code, stdout, stderr } = await monitor([...older, "trigger-runs"]);
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("this store is older");
    expect((await json([...older, "trigger-runs"])).events_recorded).toBe(false);
  });
});

describe("monitor trigger-run", () => {
  test("prints text and JSON", async () => {
    const { stdout } = await monitor([...here, "trigger-run", BOTH]);
    expect(stdout).toContain(`Trigger run  ${BOTH}`);
    expect(stdout).toMatch(/^What met condition 1\n {2}Condition +event and\.left$/m);
    expect(stdout).toContain('    side = "l"');
    expect(stdout).toContain("(cleared)");
    expect(await json([...here, "trigger-run", BOTH])).toMatchObject({ trigger_run_id: BOTH, logic_value: "and" });
  });

  test("exits with 3 for an unknown id", async () => {
    const { code, stdout } = await monitor([...here, "trigger-run", "nope"]);
    expect([code, stdout]).toEqual([3, ""]);
  });
});

describe("monitor triggers", () => {
  test("prints text and JSON", async () => {
    const { stdout } = await monitor([...here, "triggers"]);
    expect(stdout.trimEnd().split("\n")).toHaveLength((facts.triggers ?? 0) + 1);
    expect(stdout).toMatch(/^tasks\.every_minute +\S+ +every minute \(\* \* \* \* \*\) +2026-11-21 00:3\d:00\.000 /m);
    expect(stdout).toMatch(/^tasks\.on_either +\S+ +event or\.left or event or\.right /m);
    const { tasks } = await json([...here, "triggers", "--limit", "3"]);
    expect(tasks.map((task: { task_id_key: string }) => task.task_id_key)).toEqual([
      "pynenc.core_tasks.recover_pending_invocations",
      "pynenc.core_tasks.recover_running_invocations",
      "tasks.every_minute",
    ]);
  });
});

describe("monitor invocation", () => {
  test("prints what started the invocation and what it emitted", async () => {
    const { stdout } = await monitor([...here, "invocation", ON_ORDER]);
    expect(stdout).toMatch(/^Triggered by\n.*\n {2}[0-9a-f]{64} +order\.created ae575cf6-/m);
    expect(stdout).toMatch(/^Events emitted \(1\)\n.*\n {2}eb7ceb36-[0-9a-f-]+ +order\.audited /m);
  });

  test("prints the trigger runs that the invocation caused", async () => {
    const { stdout } = await monitor([...here, "invocation", "ec45a5bd-3222-44db-8c54-fe1f168174bf"]);
    expect(stdout).toMatch(/^Trigger runs caused \(1\)\n.*\n {2}d77c11dd[0-9a-f]+ +tasks\.on_declined +67e4cdea-/m);
  });

  test("says that an older layout records neither", async () => {
    const { invocations } = await json([...older, "invocations", "--limit", "1"]);
    const { stdout } = await monitor([...older, "invocation", invocations[0].invocation_id]);
    expect(stdout).toContain("pynenc records events and trigger runs since 0.2.4");
  });
});

describe("conditions that were met and are still waiting", () => {
  const pending = options("pending_triggers.db", "pending_triggers");
  const LEFT = "5fff5280-fd36-4e16-8c16-bfa912993cb2";

  test("are listed below the triggers, and each trigger shows how many of its conditions are met", async () => {
    const { code, stdout } = await monitor([...pending, "triggers"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^tasks\.on_both +\S+ +event and\.left and event and\.right \(1 of 2 met\) +– /m);
    expect(stdout).toMatch(/^tasks\.on_vip +6ddece83\S+ +event order\.created with vip = true +– /m);
    expect(stdout).toMatch(
      new RegExp(
        `^Waiting \\(3\\)\n(?:  .*\n)*  event and\\.left +event and\\.left ${LEFT} +2026-11-21 00:46:51\\.595 +tasks\\.on_both is waiting for event and\\.right\n`,
        "m",
      ),
    );
    expect(stdout).toContain("tasks.on_order starts at the next run of the atomic service");
    const list = await json([...pending, "triggers"]);
    expect(list.pending.total).toBe(3);
    expect((await monitor([...here, "triggers"])).stdout).not.toContain("Waiting");
  });

  test("are listed with the event that met them", async () => {
    const { stdout } = await monitor([...pending, "event", LEFT]);
    expect(stdout).toMatch(/^Outcome +met a condition, a trigger is waiting$/m);
    expect(stdout).toMatch(
      /^Met conditions still stored \(1\)\n.*\n {2}event and\.left .* tasks\.on_both is waiting for event and\.right$/m,
    );
    expect((await json([...pending, "event", LEFT])).pending).toMatchObject([
      { condition_id: "event#and.left#static_no_args", triggers: [{ state: "waiting", missing_count: 1 }] },
    ]);
  });
});
