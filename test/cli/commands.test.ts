/** Every command on data that real pynenc runs wrote, as text and as JSON. */
import { beforeAll, describe, expect, test } from "vitest";
import type { InvocationRow } from "../../src/api/model/invocation-rows.ts";
import { STATUSES } from "../../src/pynenc/statuses.ts";
import { isoFromEpoch } from "../../src/pynenc/time.ts";
import { type FixtureName, factsOf, presentOf, sum } from "../support/fixtures.ts";
import { monitor, ownCopy, presentOption, type Run, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const KITCHEN = "kitchen_sink";
const facts = factsOf("kitchen_sink.db", KITCHEN);

/** Where the commands look. */
function options(fixture: FixtureName, app: string): string[] {
  return ["--db", ownCopy(fixture, folder), "--app", app, "--now", presentOption(fixture)];
}

let here: string[];
beforeAll(() => {
  here = options("kitchen_sink.db", KITCHEN);
});

// biome-ignore lint/suspicious/noExplicitAny: documents of a dozen shapes, looked at member by member
async function json(args: readonly string[]): Promise<any> {
  const run = await monitor([...args, "--json"]);
  expect(run.stderr).toBe("");
  return JSON.parse(run.stdout);
}

/** Text of a command that ends well; whatever is not a terminal gets no escape sequence. */
async function text(args: readonly string[], code = 0): Promise<Run> {
  const run = await monitor([...here, ...args]);
  expect(run.stdout + run.stderr).not.toContain("\u001b");
  expect({ code: run.code, stderr: code === run.code ? "" : run.stderr }).toEqual({ code, stderr: "" });
  return run;
}

describe("monitor status", () => {
  test("prints the counts as text", async () => {
    const { stdout } = await text(["status"]);
    expect(stdout).toContain(`App          ${KITCHEN}`);
    expect(stdout).toContain("Queue        7 messages");
    expect(stdout).toContain("Events       15 recorded, 9 matched, 9 triggered, 8 codes, 47 trigger runs");
    for (const { name } of STATUSES)
      expect(stdout).toMatch(new RegExp(`^ *${facts.statuses[name] ?? 0}  ${name} `, "m"));
  });
});

describe("monitor tasks", () => {
  test("are sorted by what heads of columns are called, and failures come first among the statuses", async () => {
    expect(await json([...here, "tasks", "--sort", "task"])).toEqual(await json([...here, "tasks", "--sort", "name"]));
    const byLength = ["--sort", "-duration_seconds", "--status", "failed"];
    expect(await json([...here, "invocations", "--sort", "-duration", "--status", "failed"])).toEqual(
      await json([...here, "invocations", ...byLength]),
    );
    expect((await text(["tasks"])).stdout).toMatch(/^tasks\.\S+ +\d+ +failed \d+, success \d+/m);
  });

  test("prints a line for each task", async () => {
    const { stdout } = await text(["tasks"]);
    expect(stdout).toMatch(/^tasks\.leaf +21 {2}failed 2, success 19 /m);
    expect(stdout.trimEnd().split("\n")).toHaveLength(1 + Object.keys(facts.tasks).length);
  });
});

describe("monitor invocations", () => {
  test("prints a page as text, with a hint on stderr about the next page", async () => {
    const { stdout, stderr } = await text(["invocations", "--task", "tasks.add", "--limit", "3", "--page", "2"]);
    expect(stdout.trimEnd().split("\n")).toHaveLength(4);
    expect(stdout).toMatch(/^INVOCATION +STATUS +TASK +REGISTERED +DURATION/);
    expect(stderr).toBe("Invocations 4 to 6 of 22. Next: --page 3\n");
    expect((await text(["invocations", "--task", "tasks.add", "--limit", "3", "--quiet"])).stderr).toBe("");
  });

  test("passes every flag on to the filter", async () => {
    // Of names that occur nowhere there is no list.
    const rows: InvocationRow[] = (await json([...here, "invocations", "--limit", "200"])).invocations;
    const child = rows.find((row) => row.parent_invocation_id !== null && row.workflow_id !== null);
    const runner: string = (await json([...here, "runners", "--all"])).runners[0].runner_id;
    const type: string = (await json([...here, "workflows"])).types[0].workflow_type_key;
    const task = child?.task_id_key ?? "";
    const call = child?.call_id_key ?? "";
    const given = {
      "--task": task,
      "--call": call,
      "--workflow-id": child?.workflow_id ?? "",
      "--workflow-type": type,
      "--runner": runner,
      "--registered-by": runner,
      "--parent": child?.parent_invocation_id ?? "",
      "--id-prefix": rows[0]?.invocation_id.slice(0, 4) ?? "",
      "--since": "2026-11-21T00:00:00",
      "--until": "2026-11-21T01:00:00",
      "--status": "failed,retry",
      "--status-mode": "history",
      "--query": "retries>=2",
    };
    const { filter, invocations } = await json([...here, "invocations", ...Object.entries(given).flat()]);
    expect(invocations).toEqual([]);
    expect(filter).toEqual({
      statuses: ["failed", "retry"],
      status_mode: "history",
      task_id_key: task,
      call_id_key: call,
      workflow_id: child?.workflow_id,
      workflow_type_key: type,
      runner_id: runner,
      registered_by: runner,
      parent_invocation_id: child?.parent_invocation_id,
      id_prefix: given["--id-prefix"],
      from: "2026-11-21T00:00:00.000000+00:00",
      to: "2026-11-21T01:00:00.000000+00:00",
      invocation_ids: [],
      conditions: [
        {
          field: "retries",
          path: null,
          comparison: ">=",
          values: [2],
          negated: false,
          as_of: expect.stringMatching(/^2026-.*\+00:00$/),
          text: "retries>=2",
        },
      ],
      query: ["retries>=2"],
    });
  });

  test("counts a length of time in --since back from the present", async () => {
    const { filter } = await json([...here, "invocations", "--since", "1m", "--limit", "1"]);
    expect(filter.from).toBe(isoFromEpoch(presentOf("kitchen_sink.db") - 60));
  });

  test("exits with 3 for an unknown task, and with 0 for a known task without matches", async () => {
    const { stdout, stderr } = await text(["invocations", "--task", "tasks.nobody"], 3);
    expect([stdout, stderr]).toEqual([
      "",
      expect.stringMatching(/^No task "tasks\.nobody" is known\. Known: \S.* and \d+ more\.\n$/),
    ]);
    const known = await text(["invocations", "--task", "tasks.add", "--status", "killed"]);
    expect([known.stdout, known.stderr]).toEqual(["", "No invocation matches the filter.\n"]);
  });

  test("exports every matching invocation as CSV and as JSON lines", async () => {
    const csv = await text(["invocations", "--format", "csv"]);
    const lines = csv.stdout.trimEnd().split("\r\n");
    expect(lines[0]).toMatch(/^invocation_id,task_id_key,/);
    expect(lines).toHaveLength(1 + sum(facts.statuses));
    const jsonl = await text(["invocations", "--format", "jsonl", "--status", "success"]);
    const rows = jsonl.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { status: string });
    expect(rows).toHaveLength(facts.statuses.success ?? 0);
    expect(new Set(rows.map((row) => row.status))).toEqual(new Set(["success"]));
  });
});

describe("monitor invocation", () => {
  const [waiter, waited] = facts.blocking[0] ?? ["", ""];

  test("prints text, and accepts the beginning of an id", async () => {
    const { stdout } = await text(["invocation", waiter.slice(0, 8)]);
    expect(stdout).toMatch(/^tasks\.root {2}running\n/);
    expect(stdout).toMatch(new RegExp(`^Invocation +${waiter}$`, "m"));
    expect(stdout).toContain('  name = "left"');
    expect(stdout).toMatch(/\nWhere the time went so far\n(.*\n){3} {2}running +\S+ ms {2}ongoing\n/);
    expect(stdout).toMatch(/\nHistory \(3\)\n(.*\n){3} {2}running .* ThreadRunner /);
    expect(stdout).toMatch(new RegExp(`\nWaits for the result of\n.*\n  ${waited}`));
  });

  test("prints results and exceptions", async () => {
    const { stdout: csv } = await text(["invocations", "--format", "csv", "--task", "tasks.fail_value"]);
    const [failed = ""] = csv.split("\r\n")[1]?.split(",") ?? [];
    const { stdout } = await text(["invocation", failed]);
    expect(stdout).toMatch(/\nException\n {2}builtins\.ValueError: /);
    expect((await text(["invocation", "1479d5fa-a194-4741-bde2-2c85840ceff9"])).stdout).toMatch(
      /\nResult\n {2}"big"\n/,
    );
  });
});

describe("an exception that the store keeps inline or by reference", () => {
  // Real ones: the object of the first lies in the client data store, the second is pynenc's own.
  test.each([
    ["46531ca0-27dd-4ab6-bbb8-dde22453141d", "builtins.RuntimeError", /\S/],
    ["71ba1e9a-d9a7-4d13-936d-761c7252bafc", "RetryError", /^$/],
  ])("of %s has its type and message in JSON and as text", async (id, type, message) => {
    const { exception, auto_purge, repeats } = await json([...here, "invocation", id]);
    expect(exception.exception).toMatchObject({ type, message: expect.stringMatching(message) });
    expect([repeats, auto_purge.hours]).toEqual(["no", 24]);
    const { stdout } = await text(["invocation", id]);
    expect(stdout).toContain(`\nException\n  ${type}`);
    expect(stdout).toMatch(/^Auto-purge +Kept until \S+ \S+ UTC \(pynenc's default: 1 d\)$/m);
  });
});

describe("monitor runners", () => {
  test("lists active runners as text, and says after which silence a runner counts as silent", async () => {
    const { stdout, stderr } = await text(["runners"]);
    expect(stdout.trimEnd().split("\n")).toHaveLength(1 + 3);
    expect(stderr).toContain("counts as silent after 51.9 s (after which this app's recovery has taken over)");
    const later = await monitor([...here.slice(0, 4), "--now", "2027-01-01", "runners"]);
    expect([later.code, later.stderr]).toEqual([0, "No runner is active. 33 runners known: --all\n"]);
    // It still holds an invocation.
    expect(later.stdout.trimEnd().split("\n").slice(1)).toEqual([
      expect.stringMatching(/^ThreadRunner vm:30698 \S+ +silent /),
    ]);
  });
});

describe("a runner", () => {
  test("is accepted as tables and drawings print it, and several are listed", async () => {
    const { runners } = await json([...here, "runners", "--all"]);
    const { runner_id, name } = runners[0] as { runner_id: string; name: { runner_cls: string } };
    const ends = `${name.runner_cls.slice(0, 8)}…${runner_id.slice(-4)}`;
    for (const shown of [ends, ends.replace("…", "..."), `${name.runner_cls} ${runner_id.slice(0, 8)}`])
      expect((await json([...here, "runner", shown])).runner_id ?? (await json([...here, "show", shown])).id).toBe(
        runner_id,
      );
    const none = await text(["runner", `${name.runner_cls.slice(0, 8)}…zzzz`], 3);
    expect(none.stderr).toContain("No runner");
  });

  test("list says how many are active and known", async () => {
    const { active, known } = await json([...here, "runners"]);
    expect((await text(["runners"])).stderr).toContain(`${active} active, ${known} known.\n`);
  });
});

describe("monitor workflows", () => {
  test("lists runs by type, one page at a time", async () => {
    const { page, workflow_type_key } = await json([...here, "workflows", "--type", "tasks.wf_inner"]);
    expect(page.total).toBe(11);
    expect(workflow_type_key).toBe("tasks.wf_inner");
    const { stdout, stderr } = await text(["workflows", "--runs", "--limit", "4"]);
    expect(stdout.trimEnd().split("\n")).toHaveLength(5);
    expect(stderr).toBe(`Runs 1 to 4 of ${sum(facts.workflow_types)}. Next: --page 2\n`);
  });

  test("prints a line for each type", async () => {
    expect((await text(["workflows"])).stdout).toMatch(/^tasks\.wf_outer +5 {2}/m);
  });
});

describe("monitor queue", () => {
  test("shows the messages, and leaves them in the queue", async () => {
    const { messages, page } = await json([...here, "queue"]);
    expect(messages).toHaveLength(facts.queue);
    expect(page.total).toBe(facts.queue);
    expect((await text(["queue"])).stdout.trimEnd().split("\n")).toHaveLength(1 + facts.queue);
  });

  test("takes the name of a queue as an argument, but not twice", async () => {
    const db = options("queues_040.db", "queue-shop");
    const named = await json([...db, "queue", "archive"]);
    expect(named).toEqual(await json([...db, "queue", "--queue", "archive"]));
    const twice = await monitor([...db, "queue", "archive", "--queue", "mail"]);
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining("give it once")]);
    const unknown = await monitor([...db, "queue", "nope"]);
    expect([unknown.code, unknown.stderr]).toEqual([
      3,
      expect.stringMatching(/Known: default, mail, reports, archive, adhoc\.$/m),
    ]);
  });

  test("says that the queue is empty", async () => {
    const run = await monitor([...options("pending_triggers.db", "pending_triggers"), "queue"]);
    expect(run).toEqual({ code: 0, stdout: "", stderr: "The queue is empty.\n" });
  });
});

describe("monitor apps", () => {
  test("lists the apps as JSON and as text", async () => {
    const { apps } = await json(["--db", here[1] ?? "", "apps"]);
    expect(apps.map((app: { app_id: string }) => app.app_id)).toEqual(["kitchen-sink.two/β", KITCHEN]);
    expect((await text(["apps"])).stdout).toMatch(/^kitchen_sink +yes +yes +– +shop\.orders\.jobs$/m);
  });
});

describe("monitor config", () => {
  test("shows values with their origins, masks secrets and lists problems", async () => {
    const env = { PYNENC__MAX_PENDING_SECONDS: "17", PYNENC__RECOVER_PENDING_INVOCATIONS_CRON: "soon" };
    const run = await monitor([...here, "config", "--json"], { env });
    expect(run.code).toBe(0);
    const report = JSON.parse(run.stdout);
    const rows = report.groups.flatMap((group: { rows: { field: string }[] }) => group.rows);
    const row = (field: string) => rows.find((one: { field: string }) => one.field === field);
    expect(report.app_id).toBe(KITCHEN);
    expect(row("max_pending_seconds")).toMatchObject({ value: 17, origin: "PYNENC__MAX_PENDING_SECONDS" });
    expect(row("event_retention_days")).toMatchObject({ value: 7, origin: "default" });
    expect(report.options.find((one: { option: string }) => one.option === "db")).toMatchObject({
      value: here[1],
      origin: "--db",
    });
    expect(report.problems.map((problem: { setting: string }) => problem.setting)).toEqual([
      "recover_pending_invocations_cron",
    ]);
  });

  test("prints text, with masked secrets and settings that would stop the app", async () => {
    const env = { PYNENC__ATOMIC_SERVICE_INTERVAL_MINUTES: "0", PYNENC__APP_ID: "postgres://me:hush@db/app" };
    const { code, stdout } = await monitor([...here, "config"], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}pynenc\.atomic_service_interval_minutes +0 minutes +PYNENC__ATOMIC/m);
    expect(stdout).toMatch(/^Problems\nerror: atomic_service_interval_minutes is 0 /m);
    expect(stdout).not.toContain("hush");
  });

  test("works without a store", async () => {
    const { code, stdout, stderr } = await monitor(["config", "--db", "/nowhere/app.db", "--json"]);
    expect(code).toBe(0);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject({ app_id: null, notes: [expect.stringContaining("/nowhere/app.db")] });
  });
});

describe("monitor doctor", () => {
  test("examines every app when none is chosen, and config shows the settings common to all", async () => {
    const { code, stdout } = await monitor([...here.slice(0, 2), "--now", "2026-11-22", "doctor"]);
    expect(stdout.match(/^App +.*$/gm)).toEqual([
      expect.stringContaining("kitchen-sink.two"),
      expect.stringMatching(/kitchen_sink$/),
    ]);
    const json = await monitor([...here.slice(0, 2), "--now", "2026-11-22", "doctor", "--json"]);
    const { reports } = JSON.parse(json.stdout) as { reports: { app_id: string; ok: boolean }[] };
    expect(reports.map(({ app_id }) => app_id)).toEqual(["kitchen-sink.two/β", "kitchen_sink"]);
    expect([code, json.code]).toEqual(reports.some(({ ok }) => !ok) ? [1, 1] : [0, 0]);
    const config = await monitor([...here.slice(0, 2), "config"]);
    expect([config.code, config.stdout]).toEqual([0, expect.stringContaining("orchestrator")]);
    expect(config.stderr).toContain("This store holds 2 apps");
  });

  test("says first whether the store is well, and refers to why for problems of the app", async () => {
    const args = [...here.slice(0, 4), "--now", "2026-11-22"];
    const { stdout } = await monitor([...args, "doctor"]);
    expect(stdout).toMatch(/^Store +ok\nApp +kitchen_sink\n/);
    expect(stdout).toMatch(
      /\nProblems\n(?:(?:error|warning): .+\n){4} {2}\$ monitor why --app kitchen_sink\n\nChecked: /,
    );
    const status = (await monitor([...args, "status"])).stdout;
    expect(status).toMatch(/^Problems\n(?:(?:error|warning): .+\n){4} {2}\$ monitor why --app kitchen_sink\n\nApp /);
  });

  test("with --fail-on error exits with 1 for errors only", async () => {
    const args = [...here.slice(0, 4), "--now", "2026-11-22", "doctor"];
    const { verdicts, findings, setting_problems } = JSON.parse((await monitor([...args, "--json"])).stdout);
    const severe = (verdicts as { severity: string }[]).some(({ severity }) => severity === "error");
    expect([verdicts.length > 0, findings, setting_problems]).toEqual([true, [], []]);
    const codes = [(await monitor(args)).code, (await monitor([...args, "--fail-on", "error"])).code];
    expect(codes).toEqual([1, severe ? 1 : 0]);
    expect((await monitor([...args, "--fail-on", "never"])).code).toBe(2);
  });

  test("exits with 1 and reports what is wrong", async () => {
    const run = await monitor([...here.slice(0, 4), "--now", "2026-11-22", "doctor", "--json"]);
    const report = JSON.parse(run.stdout);
    expect(run.code).toBe(1);
    expect(report).toMatchObject({
      app_id: KITCHEN,
      origin: "--db",
      ok: false,
      writes: { possible: true, reason: null },
    });
    expect(report.files).toMatchObject([{ path: here[1], journal_mode: "wal" }]);
    const rows = (component: string, table: string) =>
      report.tables.find(
        (one: { component: string; name: string }) => one.component === component && one.name === table,
      )?.rows;
    expect(rows("state_backend", "history")).toBe(facts.history_rows);
    expect(rows("client_data_store", "data")).toBe(facts.client_data);
    expect(rows("orchestrator", "atomic_service_executions")).toBe(sum(facts.executions ?? {}));
    expect(report.verdicts.map(({ code }: { code: string }) => code)).toEqual([
      "unconsumed_queue",
      "running_on_dead_runner",
      "paused_on_dead_runner",
      "stuck_pending",
    ]);
    expect(report.notes).toEqual([]);
  });

  test("exits with 0 when only a guess about settings suggests a problem", async () => {
    const { code, stdout } = await monitor([...here, "doctor"]);
    expect(code).toBe(0);
    expect(stdout).toContain("A runner counts as silent after 51.9 s (after which this app's recovery");
    expect(stdout).toContain("The recorded service runs do not match the settings found here");
    expect(stdout).toMatch(/\nNo problems found\.\nChecked: the layout of the store, [^:]+\.\n(?:Not checked: .+\n)*$/);
  });

  test("exits with 0 when nothing is wrong", async () => {
    const run = await monitor([...options("pending_triggers.db", "pending_triggers"), "doctor", "--read-only"]);
    expect(run.stderr).toContain("unknown option '--read-only'");
    const env = { PYNENC_MONITOR_READ_ONLY: "1" };
    const fine = await monitor([...options("pending_triggers.db", "pending_triggers"), "doctor"], { env });
    expect(fine.code).toBe(0);
    expect(fine.stdout).toContain("Writes    refused: read-only mode is on");
    expect(fine.stdout).toMatch(
      /\nNo problems found\.\nChecked: the layout of the store, [^:]+\.\n(?:Not checked: .+\n)*$/,
    );
  });

  test("describes an older layout as text, and settings that would stop the app", async () => {
    const env = { PYNENC__ATOMIC_SERVICE_INTERVAL_MINUTES: "0" };
    const { code, stdout } = await monitor([...options("kitchen_sink_023.db", KITCHEN), "doctor"], { env });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Layout +pynenc 0\.2\.0 to 0\.2\.3$/m);
    expect(stdout).toMatch(/^Not recorded +events and trigger runs, atomic-service executions$/m);
    expect(stdout).toMatch(/^error: atomic_service_interval_minutes is 0 \(PYNENC__ATOMIC_SERVICE_INTERVAL_MINUTES\)/m);
  });
});

describe("monitor stats --compare", () => {
  test("prints the figures of the other range in brackets", async () => {
    const { stdout } = await text(["stats", "--since", "2m", "--compare", "previous"]);
    expect(stdout).toMatch(/^Compared +\S+ \S+ to \S+ \S+$/m);
    expect(stdout).toMatch(/^Before +\d+, /m);
    expect(stdout).toMatch(/^tasks\.add +\d+ \(/m);
  });

  test("says once that nothing was recorded in the other range", async () => {
    const { stdout } = await text(["stats", "--compare", "yesterday"]);
    expect(stdout).toMatch(/^Compared +.* to .*: nothing recorded$/m);
    expect(stdout).not.toMatch(/^Before|\(–\)/m);
    expect(stdout).toMatch(/^tasks\.add +\d+ +\d/m);
  });
});
