/** `monitor purge`, `auto-purge` and `rerun` on copies of real data: what they show, what they change, and what keeps them from it. */
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSchema, tableName } from "../../src/demo/writer/schema.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { type Contents, changesOf, contentsOf } from "../support/contents.ts";
import { type FixtureName, factsOf, queueOfTomorrow } from "../support/fixtures.ts";
import { monitor, ownCopy, presentOption, type Run, type RunOptions, sharedFolder } from "./monitor.ts";
import { HAS_TERMINAL, KEYS, onTerminal } from "./terminal.ts";

const folder = sharedFolder();
const KITCHEN = "kitchen_sink";
const HOSTILE = "kitchen-sink.two/β";

/** A copy that may be changed, with everything that is asked of it. */
class Copy {
  readonly app: string;
  readonly path: string;
  readonly options: string[];
  readonly before: Contents;

  constructor(app = KITCHEN, fixture: FixtureName = "kitchen_sink.db") {
    this.app = app;
    this.path = ownCopy(fixture, folder);
    this.options = ["--db", this.path, "--app", app, "--now", presentOption(fixture)];
    this.before = contentsOf(this.path);
  }

  async run(code: number, args: readonly string[], options: RunOptions = {}): Promise<Run> {
    const run = await monitor([...this.options, ...args], options);
    expect({ code: run.code, stderr: run.code === code ? "" : run.stderr }).toEqual({ code, stderr: "" });
    expect(run.stdout + run.stderr).not.toContain("\u001b");
    return run;
  }

  // biome-ignore lint/suspicious/noExplicitAny: documents of several shapes, looked at member by member
  async json(...args: readonly string[]): Promise<any> {
    return JSON.parse((await this.run(0, [...args, "--json"])).stdout);
  }

  /** Rows won or lost per table since the beginning. */
  changed(): Record<string, number> {
    return changesOf(this.app, this.before, contentsOf(this.path));
  }

  /** Ids of invocations of a task, in the order of the list. */
  async idsOf(...filter: readonly string[]): Promise<string[]> {
    const { invocations } = await this.json("invocations", ...filter);
    return invocations.map((row: { invocation_id: string }) => row.invocation_id);
  }
}

/** The line of the log, which is the only JSON on stderr. */
function logged(stderr: string): Record<string, unknown> {
  const lines = stderr.split("\n").filter((line) => line.startsWith("{"));
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? "") as Record<string, unknown>;
}

const TABLE_NAMES: Readonly<Record<string, string>> = { trigger: "trg", client_data_store: "client" };

function losses(rows: readonly { component: string; name: string; rows: number }[]): Record<string, number> {
  return Object.fromEntries(
    rows
      .filter((row) => row.rows > 0)
      .map(({ component, name, rows: n }) => [`${TABLE_NAMES[component] ?? component}_${name}`, -n]),
  );
}

describe("monitor purge", () => {
  test.each([
    ["state-backend", 8],
    ["all", 25],
  ])("of %s deletes what its preview shows, and the preview changes nothing", async (target, tables) => {
    const copy = new Copy();
    const preview = await copy.json("purge", target, "--dry-run");
    expect(copy.changed()).toEqual({});
    expect(preview).toMatchObject({ app_id: KITCHEN, target, location: copy.path, refused: null });
    const outcome = await copy.json("purge", target, "--yes");
    expect(outcome).toMatchObject({ success: true, action: "purge", app_id: KITCHEN, target });
    expect([outcome.rows, outcome.deleted]).toEqual([preview.counts, preview.total]);
    const lost = copy.changed();
    expect(lost).toEqual(losses(outcome.rows));
    expect(Object.keys(lost)).toHaveLength(tables);
    expect((await copy.json("queue")).page.total).toBe(
      ["all", "broker"].includes(target) ? 0 : factsOf("kitchen_sink.db", KITCHEN).queue,
    );
  });

  test("shows the preview on stderr, prints the outcome on stdout, and says where it is recorded", async () => {
    const { stdout, stderr } = await new Copy().run(0, ["purge", "broker", "--yes"]);
    expect(stdout).toBe(
      "Purged the broker queue of kitchen_sink: 7 rows deleted.\n  COMPONENT  NAME           ROWS\n  broker     message_queue     7\n",
    );
    expect(stderr).toMatch(/^Purge the broker queue\n\nApp {4}kitchen_sink\n/);
    expect(stderr).toContain("6 invocations wait for a runner");
    expect(stderr).toMatch(/^Active runners: 3\n {2}RUNNER +HEARTBEAT\n(?: {2}ThreadRunner .*\n){3}/m);
    expect(stderr).toMatch(/^Recorded in \S+audit\.jsonl: monitor audit$/m);
    expect(stderr).not.toContain("{");
  });

  test("prints who did it as JSON on stderr with --json, but not with --log-level warn", async () => {
    const { stderr } = await new Copy().run(0, ["purge", "broker", "--yes", "--json"]);
    expect(logged(stderr)).toMatchObject({
      who: userInfo().username,
      action: "purge broker",
      app_id: KITCHEN,
      outcome: "done",
      counters: { deleted: 7 },
    });
    expect(stderr).not.toContain("Recorded in");
    const warned = await new Copy().run(0, ["purge", "broker", "--yes", "--json", "--log-level", "warn"]);
    expect(warned.stderr).not.toContain("{");
  });

  test("accepts components as answers call them", async () => {
    const dry = async (target: string) =>
      (await new Copy().run(0, ["purge", target, "--dry-run"])).stdout.split("\n")[0];
    expect(await dry("state_backend")).toBe(await dry("state-backend"));
    expect(await dry("trigger")).toBe(await dry("triggers"));
  });

  test("prints nothing on stderr with --quiet", async () => {
    const { stderr } = await new Copy().run(0, ["purge", "broker", "--yes", "--quiet"]);
    expect(stderr).toBe("");
  });

  test("changes only the chosen one of several apps, whatever its name", async () => {
    const copy = new Copy(HOSTILE);
    expect((await copy.run(0, ["purge", "all", "--yes"])).stdout).toContain(`Purged all data of ${HOSTILE}: `);
    expect(copy.changed()).toMatchObject({ broker_message_queue: -1, trg_events: -1 });
    expect(Object.keys(copy.changed()).filter((name) => name.includes("__"))).toEqual([]);
  });

  test.each([
    [[], "Name what to purge: one of all, broker, orchestrator, state-backend, client-data-store, triggers."],
    [["everything"], '<target>: "everything" is not accepted; one of all, broker, '],
  ])("with %j is a usage error", async (args, words) => {
    const copy = new Copy();
    const { stdout, stderr } = await copy.run(2, ["purge", ...args, "--yes"]);
    expect(stderr).toContain(words);
    expect([stdout, copy.changed()]).toEqual(["", {}]);
  });
});

describe("monitor purge --empty-queue", () => {
  test("empties the queue first, with the records that its messages need", async () => {
    const copy = new Copy();
    const told = await copy.json("purge", "orchestrator", "--dry-run");
    expect(told).toMatchObject({ stranded_messages: 7, empties_queue: false });
    const preview = await copy.json("purge", "orchestrator", "--empty-queue", "--dry-run");
    expect(preview).toMatchObject({ stranded_messages: 0, empties_queue: true, total: told.total + 7 });
    const outcome = await copy.json("purge", "orchestrator", "--empty-queue", "--yes");
    expect([outcome.rows, outcome.swept_messages]).toEqual([preview.counts, 0]);
    expect(copy.changed()).toEqual(losses(outcome.rows));
    expect(copy.changed()).toMatchObject({ broker_message_queue: -7, orchestrator_invocations: -207 });
  });

  test("is refused for targets whose purge leaves no message without records", async () => {
    const copy = new Copy();
    expect((await copy.run(2, ["purge", "triggers", "--empty-queue", "--yes"])).stderr).toContain("--empty-queue");
    expect(copy.changed()).toEqual({});
  });
});

describe("monitor auto-purge", () => {
  const OLD = ["--hours", "0", "--execution-minutes", "0.5", "--max-events", "3"];

  test("purges both orchestrator and events by default, with the limits of the flags", async () => {
    const copy = new Copy();
    const preview = await copy.json("auto-purge", ...OLD, "--dry-run");
    expect(copy.changed()).toEqual({});
    expect(Object.keys(preview)).toEqual(["schema_version", "orchestrator", "events"]);
    expect(preview.orchestrator.older_than.invocations).toBe(copy.options.at(-1));
    expect(preview.orchestrator.settings[0]).toMatchObject({ field: "auto_final_invocation_purge_hours", value: "0" });
    const { orchestrator, events } = await copy.json("auto-purge", ...OLD, "--yes");
    expect([orchestrator.success, events.success, events.enabled]).toEqual([true, true, true]);
    expect(events).toMatchObject({ events_by_capacity: 12, trigger_runs_of_events: 8 });
    const { statuses } = factsOf("kitchen_sink.db", KITCHEN);
    const unfinished = ["paused", "pending", "registered", "running"].reduce((n, word) => n + (statuses[word] ?? 0), 0);
    expect(copy.changed()).toMatchObject({
      orchestrator_invocations: -orchestrator.invocations,
      orchestrator_atomic_service_executions: -orchestrator.executions_by_age,
      trg_events: -12,
      trg_trigger_runs: -8,
    });
    const left = contentsOf(copy.path)[tableName(KITCHEN, "orchestrator_invocations")];
    // What became final in the second after the present of the data stays.
    expect(left?.length).toBeGreaterThanOrEqual(unfinished);
    expect(Object.keys(copy.changed()).filter((name) => name.startsWith("state_backend"))).toEqual([]);
    for (const part of ["orchestrator", "events"]) {
      const told = Object.fromEntries(
        preview[part].counts.map(({ name, rows }: { name: string; rows: number }) => [name, rows]),
      );
      expect(part === "events" ? events : orchestrator).toMatchObject(told);
    }
  });

  test("shows limits, settings with their origin, and what would be deleted", async () => {
    const { stdout, stderr } = await new Copy().run(0, ["auto-purge", "events", "--dry-run", "--max-events", "3"]);
    expect(stdout).toMatch(/^Events until +2026-11-1\d /m);
    expect(stdout).toMatch(/^ {2}event_max_records +3 records +--max-events$/m);
    expect(stdout).toMatch(/^ {2}event_retention_days +7 days +default$/m);
    expect(stdout).toMatch(/^ {2}trigger_run_max_records +no limit +default$/m);
    expect(stdout).toMatch(/^ {2}events by capacity +12$/m);
    expect(stderr).toBe("\nNothing was changed (--dry-run).\n");
  });

  test("keeps results that a parent may still ask for, unless --with-open-parents is given", async () => {
    const copy = new Copy();
    const db = openDatabase(copy.path, { mode: "write" });
    const statuses = tableName(KITCHEN, "orchestrator_invocations");
    const definitions = tableName(KITCHEN, "state_backend_invocations");
    db.exec(
      `UPDATE ${statuses} SET status = 'running' WHERE invocation_id =
         (SELECT i.parent_invocation_id FROM ${definitions} i JOIN ${statuses} o ON o.invocation_id = i.parent_invocation_id
          WHERE o.status = 'success' LIMIT 1)`,
    );
    db.close();
    const shown = await copy.run(0, ["auto-purge", "orchestrator", "--hours", "0", "--dry-run"]);
    expect(shown.stdout).toContain("--with-open-parents");
    const kept = (await copy.json("auto-purge", "orchestrator", "--hours", "0", "--yes")).orchestrator;
    expect(kept.invocations_of_open_parents).toBeGreaterThan(0);
    const taken = await copy.json("auto-purge", "orchestrator", "--hours", "0", "--with-open-parents", "--yes");
    expect(taken.orchestrator.invocations).toBeGreaterThanOrEqual(kept.invocations_of_open_parents);
  });

  test("leaves out events when the layout records no events", async () => {
    const old = () => new Copy(KITCHEN, "kitchen_sink_023.db");
    expect(Object.keys(await old().json("auto-purge", "--hours", "0", "--yes"))).toEqual([
      "schema_version",
      "orchestrator",
    ]);
    const copy = old();
    const { stdout, stderr } = await copy.run(5, ["auto-purge", "events", "--yes"]);
    expect(stderr).toBe("This store records no events: pynenc records them since 0.2.4.\nNothing was changed.\n");
    expect([stdout, copy.changed()]).toEqual(["", {}]);
  });

  test("prints the outcome of the first part when the second part fails", async () => {
    const copy = new Copy();
    const db = openDatabase(copy.path, { mode: "write" });
    const events = tableName(KITCHEN, "trg_events");
    db.exec(`CREATE TRIGGER stubborn BEFORE DELETE ON ${events} BEGIN SELECT raise(ABORT, 'no'); END`);
    db.close();
    const { stdout, stderr } = await copy.run(4, ["auto-purge", ...OLD, "--yes", "--log-level", "error"]);
    expect(stdout).toMatch(/^Auto-purged the orchestrator of kitchen_sink: /);
    expect(stdout).not.toContain("Auto-purged the events");
    expect(stderr).toMatch(
      /This much was done. The rest failed:\nevents: nothing was removed: .+SQLITE_CONSTRAINT_TRIGGER/,
    );
    expect(stderr.slice(stderr.indexOf("This much"))).not.toContain("Nothing was changed");
    expect(copy.changed()).toHaveProperty("orchestrator_invocations");
    expect(copy.changed()).not.toHaveProperty("trg_events");
  });

  test.each([
    [["events", "--hours", "2"], '--hours: "2" is not accepted; use it with orchestrator or all'],
    [["events", "--with-open-parents"], '--with-open-parents: "true" is not accepted; use it with orchestrator or all'],
    [["orchestrator", "--max-events", "2"], '--max-events: "2" is not accepted; use it with events or all'],
    [["--retention-days", "-1"], '--retention-days: "-1" is not accepted; expected a number from 0 to'],
    [["--enabled", "maybe"], '--enabled: "maybe" is not accepted; expected one of'],
    [["broker"], '[target]: "broker" is not accepted; expected one of orchestrator, events, all'],
  ])("with %j is a usage error", async (args, words) => {
    const copy = new Copy();
    expect((await copy.run(2, ["auto-purge", ...args, "--yes"])).stderr).toContain(words);
    expect(copy.changed()).toEqual({});
  });
});

describe("monitor rerun", () => {
  test("registers the call of an invocation that is named by the beginning of its id", async () => {
    const copy = new Copy();
    const [id = ""] = await copy.idsOf("--task", "tasks.fail_custom");
    const preview = await copy.json("rerun", id.slice(0, 8), "--dry-run");
    expect(preview).toMatchObject({ invocation: { invocation_id: id }, refused: null, force: false });
    expect(copy.changed()).toEqual({});
    const outcome = await copy.json("rerun", id.slice(0, 8), "--yes");
    expect(outcome).toMatchObject({ success: true, action: "rerun", invocation_id: id });
    const original = await copy.json("invocation", id);
    expect(await copy.json("invocation", outcome.new_invocation_id)).toMatchObject({
      status: "registered",
      queued: true,
      parent: null,
      call_id_key: original.call_id_key,
      arguments: original.arguments,
    });
    expect(copy.changed()).toEqual({
      broker_message_queue: 1,
      orchestrator_invocations: 1,
      orchestrator_invocation_args: original.arguments.length,
      state_backend_invocations: 1,
      state_backend_history: 1,
      state_backend_runner_contexts: 1,
    });
    expect(await copy.json("invocation", outcome.new_invocation_id)).toMatchObject({
      rerun_of: { invocation: { invocation_id: id }, via: "cli" },
      rerun_as: [],
    });
    expect(await copy.json("invocation", id)).toMatchObject({
      rerun_of: null,
      rerun_as: [{ invocation: { invocation_id: outcome.new_invocation_id, status: "registered" } }],
      rerun_count: 1,
    });
    const again = await copy.json("rerun", "--status", "failed", "--all", "--dry-run");
    expect(again.calls.filter((call: { rerun_as: string | null }) => call.rerun_as !== null)).toMatchObject([
      { invocation_id: id, rerun_as: outcome.new_invocation_id },
    ]);
    expect(again.notes).toContain("1 of these was already rerun.");
    const [note] = (await copy.json("rerun", id, "--dry-run")).notes;
    const at = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC`;
    const words = `^It was already rerun at ${at}, as ${outcome.new_invocation_id}, which is registered now\\.$`;
    expect(note).toMatch(new RegExp(words));
    expect((await copy.run(0, ["invocation", id])).stdout).toMatch(/^Rerun as +[0-9a-f…-]+.* registered by /m);
    const { stdout, stderr } = await copy.run(0, ["rerun", id, "--yes"]);
    expect(stdout).toMatch(/^Registered tasks\.fail_custom again as [0-9a-f-]{36}\.\n$/);
    expect(stderr).toMatch(/^Invocation +[0-9a-f-]{36}$/m);
  });

  test("registers the calls of several ids, and of no other invocation", async () => {
    const copy = new Copy();
    const ids = (await copy.idsOf("--task", "tasks.add")).slice(0, 2);
    const preview = await copy.json("rerun", ...ids.map((id) => id.slice(0, 8)), "--dry-run");
    expect(preview.calls.map((row: { invocation_id: string }) => row.invocation_id).sort()).toEqual([...ids].sort());
    expect(copy.changed()).toEqual({});
    expect(await copy.json("rerun", ...ids, "--yes")).toMatchObject({ success: true, taken: 2, registered: 2 });
    expect((await copy.json("invocation", ids[1] ?? "")).rerun_count).toBe(1);
    expect(copy.changed()).toMatchObject({ orchestrator_invocations: 2, broker_message_queue: 2 });
    const { stderr } = await copy.run(2, ["rerun", ...ids, "--status", "failed", "--dry-run"]);
    expect(stderr).toContain("Filters cannot be combined with an invocation id: leave out --status or the id.");
    expect((await copy.run(3, ["rerun", ids[0] ?? "", "ffffffff-ffff", "--dry-run"])).stderr).toContain(
      "ffffffff-ffff",
    );
  });

  test("refuses a call that waits already under concurrency control, unless forced", async () => {
    const copy = new Copy();
    const [id = ""] = await copy.idsOf("--task", "tasks.cc_reg_args");
    const first = await copy.json("rerun", id, "--yes");
    const { stderr } = await copy.run(5, ["rerun", id, "--yes"]);
    expect(stderr).toBe(
      `The task has concurrency control and the same call is already waiting as ${first.new_invocation_id}.\nNothing was changed. --force registers it anyway.\n`,
    );
    const dry = await copy.run(0, ["rerun", id, "--dry-run"]);
    expect(dry.stderr).toContain("Would be refused: The task has concurrency control");
    expect(copy.changed()).toMatchObject({ orchestrator_invocations: 1 });
    expect((await copy.json("rerun", id, "--force", "--dry-run")).indexed_arguments).toBeGreaterThan(0);
    await copy.run(0, ["rerun", id, "--force", "--yes"]);
    expect(copy.changed()).toMatchObject({ orchestrator_invocations: 2, broker_message_queue: 2 });
  });

  test("registers the newest invocations that match a filter, up to the limit", async () => {
    const copy = new Copy();
    const filter = ["--status", "failed", "--limit", "3"];
    const preview = await copy.json("rerun", ...filter, "--dry-run");
    expect(preview).toMatchObject({ matching: { total: 10 }, limit: 3, registered: 3, refusals: [] });
    const newest = await copy.idsOf(...filter);
    expect(preview.calls.map((row: { invocation_id: string }) => row.invocation_id).sort()).toEqual([...newest].sort());
    const shown = (await copy.run(0, ["rerun", ...filter, "--dry-run"])).stdout;
    expect(shown).toMatch(
      /^Matching +10 invocations\nTaken +3: the topmost match of each family \(--all takes every match\), at most the newest 3 \(--limit\)\nRegistered +3 calls$/m,
    );
    expect(copy.changed()).toEqual({});
    const outcome = await copy.json("rerun", ...filter, "--yes");
    expect(outcome).toMatchObject({ success: true, taken: 3, registered: 3, refusals: [], stopped: null });
    expect(outcome.new_invocation_ids).toHaveLength(3);
    expect((await copy.idsOf("--status", "registered")).slice(0, 3).sort()).toEqual(outcome.new_invocation_ids.sort());
    expect(copy.changed()).toMatchObject({ orchestrator_invocations: 3, broker_message_queue: 3 });
  });

  test("prints the ids of the first 20 new invocations and the number of the others, and with --quiet every id alone", async () => {
    const { stdout } = await new Copy().run(0, ["rerun", "--task", "tasks.add", "--yes"]);
    const lines = stdout.trimEnd().split("\n");
    const [message, ...ids] = lines.slice(lines.indexOf("Registered 22 calls again."));
    expect(message).toBe("Registered 22 calls again.");
    expect(ids.slice(0, 20).every((line) => /^ {2}[0-9a-f-]{36}$/.test(line))).toBe(true);
    expect(ids.slice(20)).toEqual(["  and 2 more, at the top of monitor invocations"]);
    const quiet = (await new Copy().run(0, ["rerun", "--task", "tasks.add", "--yes", "--quiet"])).stdout;
    expect(
      quiet
        .trimEnd()
        .split("\n")
        .map((line) => /^[0-9a-f-]{36}$/.test(line)),
    ).toEqual(Array(22).fill(true));
  });

  test("takes the topmost of each family, and counts what these call again, by task and exception", async () => {
    const copy = new Copy();
    const filter = ["--status", "success", "--task", "tasks.chain"];
    const all = await copy.json("rerun", ...filter, "--all", "--dry-run");
    const preview = await copy.json("rerun", ...filter, "--dry-run");
    expect(all).toMatchObject({ all: true, taken: 11, matches_below: 0 });
    expect(preview).toMatchObject({ all: false, taken: 4, matches_below: 7, left_out: 0 });
    const { stdout } = await copy.run(0, ["rerun", ...filter, "--dry-run"]);
    expect(stdout).toMatch(
      /^Calls again +7 calls below, if they run as before\. 7 had succeeded: 7 of tasks\.chain\.$/m,
    );
    expect(stdout).toMatch(/^Left out +7: their parents will call them again$/m);
    expect(stdout).toMatch(/^By task and exception\n +TASK +CALLS\n +tasks\.chain +4$/m);
    const failed = await copy.run(0, ["rerun", "--status", "failed", "--dry-run"]);
    expect(failed.stdout).toMatch(/^ +TASK +EXCEPTION +CALLS\n +tasks\.fail_value +builtins\.ValueError +3$/m);
    expect(failed.stdout).toMatch(/^ +[0-9a-f-]{36} +tasks\.fail_value +msg="in a process" /m);
    expect((await copy.run(0, ["rerun", ...filter, "--yes"])).stdout).toMatch(
      /^Registered 4 calls again\. 7 matches were left out: their parents will call them again\.$/m,
    );
    expect(copy.changed()).toMatchObject({ orchestrator_invocations: 4 });
  });

  test("counts the calls that it does not register, on the terminal and in JSON", async () => {
    const copy = new Copy();
    const filter = ["--task", "tasks.cc_keys_drop"];
    const [id = ""] = await copy.idsOf(...filter);
    await copy.run(0, ["rerun", id, "--yes"]);
    // The original and the one that now waits have the same call.
    const preview = await copy.json("rerun", ...filter, "--dry-run");
    expect(preview).toMatchObject({ registered: 5, refusals: [{ kind: "duplicate", count: 2 }] });
    const { stdout, stderr } = await copy.run(1, ["rerun", ...filter, "--yes"]);
    expect(stderr).toMatch(/^Not registered\n {2}- 2: the task has concurrency control/m);
    expect(stdout).toMatch(/^Registered 5 calls again\. 2 refused: the task has concurrency control/);
    expect(copy.changed()).toMatchObject({ orchestrator_invocations: 6 });
    // Now every one of them waits.
    const refused = await copy.run(5, ["rerun", ...filter, "--yes"]);
    expect(refused.stderr).toBe(
      "Every call is refused, 12 because the task has concurrency control and the same call is already waiting.\nNothing was changed. --force also registers calls that are already waiting.\n",
    );
    expect((await copy.run(0, ["rerun", ...filter, "--dry-run"])).stderr).toContain("Would be refused: Every call");
    expect([refused.stdout, copy.changed()]).toMatchObject(["", { orchestrator_invocations: 6 }]);
  });

  test.each<[number, string[], string]>([
    [3, ["ffffffff-0000"], 'No invocation "ffffffff-0000" in this store.'],
    [3, ["ab"], "its first 4 characters or more"],
    [2, [], "Name what to register again: an invocation id, or a filter such as --status or --task."],
    [2, ["--force"], "Name what to register again"],
    [2, ["abcd", "--status", "failed", "--limit", "2"], "leave out --status, --limit or the id"],
    [2, ["abcd", "--all"], "leave out --all or the id"],
    [2, ["--all"], "Name what to register again"],
    [2, ["--status", "bogus"], '--status: "bogus" is not accepted'],
    [2, ["--status", "failed", "--limit", "0"], '--limit: "0" is not accepted'],
    [2, ["--task", ""], "--task: it must not be empty"],
  ])("exits with %i for %j", async (code, args, words) => {
    const copy = new Copy();
    const { stdout, stderr } = await copy.run(code, ["rerun", ...args, "--yes"]);
    expect(stderr).toContain(words);
    expect([stdout, copy.changed()]).toEqual(["", {}]);
  });
});

const ACTIONS = [
  ["purge", "all"],
  ["auto-purge", "--hours", "0"],
  ["rerun", "--status", "failed"],
];

describe("nothing is changed by", () => {
  test.each(ACTIONS)("%s %s without a terminal and without --yes", async (...args) => {
    const copy = new Copy();
    const { stdout, stderr } = await copy.run(5, args);
    expect(stderr).toMatch(
      /\nNothing was changed: there is no terminal to ask for confirmation\.\n--yes skips the question; --dry-run .+\n$/,
    );
    expect([stdout, copy.changed()]).toEqual(["", {}]);
    // The preview comes before, for whoever reads along.
    const json = await copy.run(5, [...args, "--json"]);
    expect(JSON.parse(json.stderr.slice(json.stderr.lastIndexOf("\n{") + 1))).toMatchObject({
      status: 403,
      detail: "Nothing was changed: there is no terminal to ask for confirmation.",
      hint: expect.stringMatching(/^--yes skips the question; --dry-run /),
      exit_code: 5,
    });
    expect([json.stdout, copy.changed()]).toEqual(["", {}]);
  });

  test.each(ACTIONS)("%s %s in a read-only monitor", async (...args) => {
    const copy = new Copy();
    const env = { PYNENC_MONITOR_READ_ONLY: "1" };
    const { stdout, stderr } = await copy.run(5, [...args, "--yes"], { env });
    expect(stderr).toBe("This monitor is read-only (--read-only or PYNENC_MONITOR_READ_ONLY).\nNothing was changed.\n");
    const dry = await copy.run(0, [...args, "--dry-run"], { env });
    expect(dry.stdout).toMatch(/^(Purge|Auto-purge|Rerun)/);
    expect(dry.stderr).toContain("Would be refused: This monitor is read-only");
    expect([stdout, copy.changed()]).toEqual(["", {}]);
  });

  test.each(ACTIONS)("%s %s while another program holds the lock", async (...args) => {
    const copy = new Copy();
    const other = openDatabase(copy.path, { mode: "write" });
    other.exec("BEGIN IMMEDIATE");
    const { stdout, stderr } = await copy.run(4, [...args, "--yes", "--lock-wait", "0.3"]);
    other.close();
    expect(stderr).toContain("is still locked by another writer after 0.3 s; nothing was changed.");
    expect(stderr).not.toContain("{");
    expect([stdout, copy.changed()]).toEqual(["", {}]);
  });

  test("an action on a layout newer than the monitor; the app's name is printed without control characters", async () => {
    const app = "new\u202e\u001b[31mer";
    const path = join(folder, "newer.db");
    const db = openDatabase(path, { mode: "create" });
    createSchema(db, app, "0.4.0");
    db.exec(queueOfTomorrow(tableName(app, "broker_message_queue")));
    db.prepare(
      `INSERT INTO ${tableName(app, "broker_message_queue")} (invocation_id, queue_name, priority, lease) VALUES ('x', 'q', 1, '')`,
    ).run();
    db.close();
    const before = contentsOf(path);
    for (const args of [
      ["purge", "broker"],
      ["auto-purge", "--hours", "0"],
    ]) {
      const refused = await monitor(["--db", path, "--app", app, ...args, "--yes"]);
      expect([refused.code, refused.stdout]).toEqual([5, ""]);
      expect(refused.stderr).toMatch(/^Actions are refused: .+\nNothing was changed\.\n$/);
      const dry = await monitor(["--db", path, "--app", app, ...args, "--dry-run"]);
      expect(dry.code).toBe(0);
      expect(dry.stdout).toMatch(/^App +new⟨U\+202E⟩␛\[31mer$/m);
      expect(dry.stderr).toContain("Would be refused: Actions are refused: ");
    }
    expect(contentsOf(path)).toEqual(before);
  });
});

describe.skipIf(!HAS_TERMINAL)("on a terminal (needs script of util-linux)", () => {
  test.each(["y", "YES"])("%s confirms a rerun", async (answer) => {
    const copy = new Copy();
    const [id = ""] = await copy.idsOf("--task", "tasks.fail_custom");
    const { code, shown } = await onTerminal([...copy.options, "rerun", id], answer + KEYS.enter);
    expect(shown).toContain("Register tasks.fail_custom again in kitchen_sink? [y/N] ");
    expect([code, copy.changed()]).toMatchObject([0, { broker_message_queue: 1 }]);
  });

  test.each(["broker", "all"])("purge %s wants the id of the app typed", async (target) => {
    const copy = new Copy(HOSTILE);
    const { code, shown } = await onTerminal([...copy.options, "purge", target], `${HOSTILE} ${KEYS.enter}`);
    expect(shown).toMatch(new RegExp(`of ${HOSTILE} \\(\\d+ rows?, permanently\\)\\?\\s+Type ${HOSTILE} to confirm: `));
    expect(shown.split(/\r?\n/).filter((line) => line.length > 80)).toEqual([]);
    expect(shown).toMatch(new RegExp(`Purged .+ of ${HOSTILE}: \\d+ rows? deleted\\.`));
    expect([code, copy.changed()]).toMatchObject([0, { broker_message_queue: -1 }]);
  });

  test.each([
    ["an answer of no", `n${KEYS.enter}`, 5, "Nothing was changed."],
    ["yes, where the id is asked for", `yes${KEYS.enter}`, 5, "Nothing was changed."],
    ["the id of another app", `${HOSTILE}${KEYS.enter}`, 5, "Nothing was changed."],
    ["Enter alone", KEYS.enter, 5, "Nothing was changed."],
    ["the end of the input", KEYS.endOfInput, 5, "Nothing was changed: no answer was given."],
    ["Ctrl-C", KEYS.interrupt, 130, "Nothing was changed."],
  ])("%s as the answer changes nothing", async (_, keys, exit, words) => {
    const copy = new Copy();
    const { code, shown } = await onTerminal([...copy.options, "purge", "all"], keys);
    expect(shown.trimEnd().endsWith(words)).toBe(true);
    expect(shown).not.toContain("    at ");
    expect([code, copy.changed()]).toEqual([exit, {}]);
  });

  test("every action asks for confirmation, even with --quiet", async () => {
    const copy = new Copy();
    const [id = ""] = await copy.idsOf("--status", "failed");
    const questions = [
      [["rerun", id, "--quiet"], /^Register tasks\.\w+ again in kitchen_sink\? \[y\/N\]/m],
      [["rerun", "--status", "failed", "--limit", "2"], /^Register 2 calls again in kitchen_sink\? \[y\/N\]/m],
      [
        ["auto-purge", "--hours", "0"],
        /^Auto-purge orchestrator and events of kitchen_sink \(\d+ rows, permanently\)\?/m,
      ],
    ] as const;
    for (const [args, question] of questions) {
      const { code, shown } = await onTerminal([...copy.options, ...args], KEYS.enter);
      expect(shown).toMatch(question);
      expect(shown).toContain("Active runners: ");
      expect(code).toBe(5);
    }
    expect(copy.changed()).toEqual({});
  });

  test("a long action shows its progress", async () => {
    const copy = new Copy();
    const { code, shown } = await onTerminal(
      [...copy.options, "rerun", "--status", "success", "--all", "--force"],
      `y${KEYS.enter}`,
    );
    expect(shown).toContain("\rProcessed 100 of 183. Press Ctrl-C to stop.");
    // Nothing stands between the last figure and the outcome: the line for logs is for those who collect them.
    expect(shown).toMatch(/\r *\rRegistered 183 calls again\./);
    expect(shown).not.toContain('{"id"');
    expect([code, copy.changed()]).toMatchObject([0, { broker_message_queue: 183 }]);
  });

  test("an action without anything to do asks no question", async () => {
    const copy = new Copy();
    const { code, shown } = await onTerminal([...copy.options, "rerun", "--status", "killed"], KEYS.enter);
    expect([code, shown.includes("[y/N]")]).toEqual([0, false]);
    expect(shown).toContain("There is nothing to do.");
  });

  test("no line of a preview is wider than the terminal", async () => {
    const copy = new Copy();
    for (const args of [
      ["purge", "all"],
      ["auto-purge", "--max-events", "3"],
      ["rerun", "--status", "failed"],
    ]) {
      const { shown } = await onTerminal([...copy.options, ...args, "--dry-run"], "");
      // The path of the store is a word of its own and is not broken.
      const wide = shown.split(/\r?\n/).filter((line) => Array.from(line).length > 80 && !line.includes(copy.path));
      expect(wide).toEqual([]);
    }
  });
});
