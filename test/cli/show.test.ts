/** `monitor show` and the commands of one kind: one thing in full, several as a list with exit code 2, no match with 3. */
import { describe, expect, test } from "vitest";
import { FindAnswer } from "../../src/api/find.ts";
import { ShownKind, ShownThing } from "../../src/api/show.ts";
import { copyFixture } from "../support/fixtures.ts";
import { monitor, presentOption, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const db = copyFixture("kitchen_sink.db", folder);
const here = ["--db", db, "--app", "kitchen_sink", "--now", presentOption("kitchen_sink.db")];

/** The first answer of a command that a path of members and positions leads to. */
async function firstOf(path: readonly (string | number)[], ...command: string[]): Promise<string> {
  const { stdout } = await monitor([...here, ...command, "--json"]);
  return String(path.reduce<unknown>((value, step) => (value as Record<string, unknown>)?.[step], JSON.parse(stdout)));
}

const KINDS: Record<string, () => Promise<string>> = {
  invocation: () => firstOf(["invocations", 0, "invocation_id"], "invocations"),
  event: () => firstOf(["events", 0, "event_id"], "events"),
  trigger_run: () => firstOf(["trigger_runs", 0, "trigger_run_id"], "trigger-runs"),
  trigger: () => firstOf(["tasks", 0, "triggers", 0, "trigger_id"], "triggers"),
  condition: () => firstOf(["tasks", 0, "triggers", 0, "conditions", 0, "condition_id"], "triggers"),
  runner: () => firstOf(["runners", 0, "runner_id"], "runners", "--all"),
  atomic_service_run: () => firstOf(["executions", 0, "atomic_service_run_id"], "atomic-service"),
  call: () => firstOf(["invocations", 0, "call_id_key"], "invocations"),
  task: () => firstOf(["tasks", 0, "task_id_key"], "tasks"),
};

describe("monitor show", () => {
  test.each(Object.entries(KINDS))("prints a %s by its whole id", async (kind, idOf) => {
    const id = await idOf();
    const { code, stdout } = await monitor([...here, "show", id]);
    expect([code, stdout.includes(id)]).toEqual([0, true]);
    const json = await monitor([...here, "show", `"${id}"`, "--json"]);
    expect(json.code).toBe(0);
    expect(ShownThing.parse(JSON.parse(json.stdout))).toMatchObject({ kind, id });
  });

  test("prints the runs of a workflow type, which has the name of a task, when its kind is put before the name", async () => {
    const type = await firstOf(["types", 0, "workflow_type_key"], "workflows");
    const json = await monitor([...here, "show", "workflow", "type", type, "--json"]);
    const shown = ShownThing.parse(JSON.parse(json.stdout));
    expect(shown).toMatchObject({ kind: "workflow_type", id: type, detail: { workflow_type_key: type } });
    const { stdout } = await monitor([...here, "show", "workflow type", type]);
    expect(stdout).toBe((await monitor([...here, "workflows", "--type", type])).stdout);
  });

  test("accepts shortened ids and words of a log line", async () => {
    const id = await firstOf(["invocations", 0, "invocation_id"], "invocations");
    for (const text of [
      `${id.slice(0, 8)}…${id.slice(-4)}`,
      id.slice(0, 8).toUpperCase(),
      `worker: took ${id}, done`,
    ]) {
      const { code, stdout } = await monitor([...here, "show", ...text.split(" ")]);
      expect([text, code, stdout.includes(id)]).toEqual([text, 0, true]);
    }
  });

  test("prints the list of monitor find when several things match", async () => {
    const [shown, found] = [await monitor([...here, "show", "tasks."]), await monitor([...here, "find", "tasks."])];
    expect(shown).toEqual({ ...found, code: 2 });
    expect(shown.stdout).toMatch(/^KIND +ID OR NAME/);
    const json = await monitor([...here, "show", "tasks.", "--json"]);
    expect([json.code, FindAnswer.parse(JSON.parse(json.stdout)).matches.length > 1]).toEqual([2, true]);
  });

  test("prints a problem on stderr with --json when nothing matches, as other commands do", async () => {
    const { code, stdout, stderr } = await monitor([...here, "show", "no-such-thing", "--json"]);
    expect([code, stdout]).toEqual([3, ""]);
    expect(JSON.parse(stderr)).toMatchObject({ exit_code: 3, detail: expect.stringContaining("no-such-thing") });
  });

  test("prints an invocation as of an instant, without anything later", async () => {
    const id = await firstOf(["invocations", 0, "invocation_id"], "invocations", "--status", "success");
    const entries = JSON.parse((await monitor([...here, "show", id, "--json"])).stdout).detail.history;
    const [first, last] = [entries[0], entries.at(-1)];
    const then = entries.at(-2);
    const run = await monitor([...here, "show", id, "--at", then.timestamp]);
    expect(run.code).toBe(0);
    expect(run.stdout.split("\n")[0]).toMatch(new RegExp(`  ${then.status}$`));
    expect(run.stdout).toContain("In this status since  ");
    expect(run.stdout).not.toContain(last.status);
    expect(run.stderr).toMatch(/As of .*, from the status history\.\n$/);
    const { stdout } = await monitor([...here, "show", id, "--at", then.timestamp, "--json"]);
    const shown = ShownThing.parse(JSON.parse(stdout));
    expect(shown).toMatchObject({ kind: "invocation", id, detail: { at: then.timestamp, critical_path: null } });
    const before = new Date(Date.parse(first.timestamp) - 1_000).toISOString();
    const early = await monitor([...here, "show", id, "--at", before]);
    const said = (iso: string) => `${iso.slice(0, 23).replace("T", " ").replace("Z", "")} UTC`;
    const registered = `was not registered yet at ${said(before)}; it was registered at ${said(first.timestamp)}.`;
    expect([early.code, early.stdout, early.stderr]).toEqual([3, "", `Invocation "${id}" ${registered}\n`]);
  });

  test("prints times of the past on a narrow terminal as times, not as ages", async () => {
    const id = await firstOf(["invocations", 0, "invocation_id"], "invocations", "--status", "success");
    for (const command of ["show", "tree", "trace"]) {
      const more = command === "trace" ? ["--format", "tree"] : [];
      const run = (...at: string[]) => monitor([...here, command, id, ...at, ...more], { columns: 80 });
      expect((await run()).stdout).toMatch(/ ago\b/);
      const { stdout } = await run("--at", presentOption("kitchen_sink.db"));
      expect([command, stdout]).toEqual([command, expect.not.stringMatching(/ ago\b/)]);
      expect(stdout).toMatch(/ \d\d:\d\d:\d\d\.\d{3} /);
    }
  });

  test("prints what waited in the queue at an instant, as many as the counts by status of then", async () => {
    const at = ["--at", "2026-11-21T00:35:50"];
    const { statuses } = JSON.parse((await monitor([...here, "status", ...at, "--json"])).stdout);
    const waited = statuses.registered + statuses.rerouted + statuses.retry;
    const { stdout, stderr } = await monitor([...here, "queue", ...at]);
    expect(stdout.trim().split("\n").length).toBe(waited + 1);
    expect(stderr).toContain("As of 2026-11-21 00:35:50");
    expect(JSON.parse((await monitor([...here, "queue", ...at, "--json"])).stdout).page.total).toBe(waited);
    expect((await monitor([...here, "queue", "--at", "2999-01-01"])).code).toBe(2);
  });

  test("prints an event with the family that it had at an instant", async () => {
    const event = await firstOf(["events", 0, "event_id"], "events", "--triggered", "yes");
    const { detail } = JSON.parse((await monitor([...here, "show", event, "--json"])).stdout);
    const [started] = detail.triggered_invocations;
    expect(started).toBeDefined();
    const now = await monitor([...here, "show", event, "--at", presentOption("kitchen_sink.db")]);
    expect(now.stdout).toContain(started.invocation_id);
    const then = await monitor([...here, "show", event, "--at", detail.timestamp]);
    expect([then.code, then.stdout.includes(event), then.stdout.includes(started.invocation_id)]).toEqual([
      0,
      true,
      false,
    ]);
  });

  test("refuses --at for things of which only the present is known", async () => {
    const runner = await firstOf(["runners", 0, "runner_id"], "runners", "--all");
    const { code, stdout, stderr } = await monitor([...here, "show", runner, "--at", "2026-11-21T00:36:00"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("only the present state of other things is known");
  });

  test("prints what was looked for when nothing matches", async () => {
    const none = await monitor([...here, "show", "no-such-thing"]);
    expect([none.code, none.stdout]).toEqual([3, ""]);
    expect(none.stderr).toContain('Nothing in this app matches "no-such-thing". Searched for:');
  });

  test("begins with the reason of a failure", async () => {
    const id = await firstOf(["invocations", 0, "invocation_id"], "invocations", "status:failed", "has:error");
    const { stdout } = await monitor([...here, "show", id]);
    expect(stdout.split("\n").slice(0, 3)).toEqual([
      expect.stringMatching(/ {2}failed$/),
      "",
      expect.stringMatching(/^It failed .*with \w+/),
    ]);
  });
});

describe("the command for one kind of thing", () => {
  test.each(["runner", "task", "call", "invocation", "event"])("%s prints the same as monitor show", async (kind) => {
    const id = (await KINDS[kind]?.()) ?? "";
    const [own, shown] = [await monitor([...here, kind, id]), await monitor([...here, "show", id])];
    expect(own).toEqual(shown);
    expect(own.code).toBe(0);
  });

  test("workflow prints a workflow run", async () => {
    const id = await firstOf(["runs", 0, "workflow_id"], "workflows", "--runs");
    const { code, stdout } = await monitor([...here, "workflow", id.slice(0, 8)]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(new RegExp(`^Workflow run +${id}$`, "m"))]);
  });

  test("refuses an id of another kind, and names that kind", async () => {
    const id = await firstOf(["events", 0, "event_id"], "events");
    const { code, stderr } = await monitor([...here, "runner", id]);
    expect(code).toBe(3);
    expect(stderr).toMatch(new RegExp(`^ {2}event {2}${id}`, "m"));
  });

  test("task suggests similar names for an unknown one", async () => {
    const key = await firstOf(["tasks", 0, "task_id_key"], "tasks");
    const { code, stderr } = await monitor([...here, "task", `${key.slice(0, -2)}${key.at(-1)}`]);
    expect([code, stderr]).toEqual([3, expect.stringContaining("did you mean")]);
    expect(stderr).toContain(key);
  });
});

test("the kinds of things without a test of monitor show are listed here", () => {
  const shown = Object.keys(KINDS);
  expect(ShownKind.options.filter((kind) => !shown.includes(kind))).toEqual([
    "workflow",
    "valid_condition",
    "client_data",
    "queue",
    "workflow_type",
  ]);
});
