/** What doctor reports besides verdicts, such as unknown writers of the history. */
import { describe, expect, test } from "vitest";
import type { DoctorReport } from "../../../src/api/health.ts";
import type { Discovery } from "../../../src/config/discovery.ts";
import type { NamedEndpoint } from "../../../src/config/server-address.ts";
import { tablePrefix } from "../../../src/pynenc/identifiers.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { type DoctorInput, doctorReport } from "../../../src/services/health/doctor.ts";
import type { WithFoundVerdicts } from "../../../src/services/verdicts/verdicts.ts";
import type { Capabilities, StoreFile } from "../../../src/stores/ports/layout.ts";
import { openDatabase } from "../../../src/stores/sqlite/file/driver.ts";
import { copyFixture, presentOf, temporaryFolder } from "../../support/fixtures.ts";
import { at, type MemoryApp, memoryApp, type Step } from "../../support/memory-app/memory-app.ts";
import { monitorAt, testMonitor } from "../../support/monitor.ts";

const DISCOVERY: Discovery & { kind: "sqlite" } = {
  kind: "sqlite",
  origin: "--db",
  db: { path: "/srv/shop.db", origin: "--db" },
  tried: [],
  components: null,
};

function report(app: MemoryApp, given: Partial<DoctorInput> = {}): Promise<WithFoundVerdicts<DoctorReport>> {
  return doctorReport({ app: app.opened, apps: [], discovery: DISCOVERY, readOnly: false, ...given });
}

describe("runners without a context in doctor's report", () => {
  const done: readonly Step[] = [
    [at(0), "registered"],
    [at(1), "pending", "lost"],
    [at(2), "running", "lost"],
    [at(3), "success", "lost"],
  ];
  const contexts = { broker: true, orchestrator: true, state_backend: true, client_data_store: true, trigger: false };
  const app = () =>
    memoryApp({ capabilities: { components: contexts } })
      .context("client")
      .invocation("a", { history: done });

  test("are counted among the newest history entries, and are no problem", async () => {
    const { unknown_writers, notes, ok } = await report(app());
    expect(unknown_writers).toEqual({ runner_ids: ["lost"], count: 1, active: 0, entries: 3, looked_at: 4 });
    expect(notes).toEqual([
      "3 of the 4 history entries name 1 runner whose class, host and process are not stored (lost). A runner stores them once; after a purge of the state backend they are missing until it restarts.",
    ]);
    expect(ok).toBe(true);
  });

  test("that are active are counted separately, and runners with a context do not count", async () => {
    const active = await report(app().heartbeat("lost"));
    expect(active.unknown_writers?.active).toBe(1);
    expect(active.notes[0]).toContain("One of them is active now.");
    const once = memoryApp().invocation("a", { history: [[at(0), "registered", "lost"]] });
    expect((await report(once)).notes[0]).toMatch(
      /^1 of the 1 history entry names 1 runner whose class, host and process are not stored \(lost\)\./,
    );
    const two = app().invocation("b", { history: [[at(9), "registered", "lost too"]] });
    const both = await report(two.heartbeat("lost").heartbeat("lost too").heartbeat("never wrote"));
    expect([both.unknown_writers?.count, both.unknown_writers?.active]).toEqual([2, 2]);
    expect(both.notes[0]).toContain("2 of them are active now.");
    const silent = await report(app().heartbeat("lost", { last_heartbeat: at(-3_600) }));
    expect([silent.unknown_writers?.count, silent.unknown_writers?.active]).toEqual([1, 0]);
    expect(silent.notes[0]).not.toContain("active now");
    const known = await report(app().context("lost"));
    expect([known.unknown_writers, known.notes]).toEqual([null, []]);
    expect((await report(memoryApp())).unknown_writers).toBeNull();
  });

  test("are named up to five, with the number of others", async () => {
    const many = app();
    for (let n = 0; n < 9; n++) many.invocation(`i${n}`, { history: [[at(10 + n), "registered", `w${n}`]] });
    const { unknown_writers, notes } = await report(many);
    expect(unknown_writers).toMatchObject({ count: 10, entries: 12, looked_at: 13 });
    expect(unknown_writers?.runner_ids).toHaveLength(5);
    expect(notes[0]).toContain("name 10 runners whose class, host and process are not stored (");
    expect(notes[0]).toContain(" and 5 more)");
  });

  test("are found in real data whose state backend was purged while a runner was alive", async () => {
    const folder = temporaryFolder();
    const path = copyFixture("kitchen_sink.db", folder.path);
    const db = openDatabase(path, { mode: "write" });
    const runner = "cd0ba003-9f7a-4a9e-9fc8-1c9a1877f0be";
    const contextsTable = `${tablePrefix("kitchen_sink")}__state_backend_runner_contexts`;
    db.prepare(`DELETE FROM ${contextsTable} WHERE runner_id = ?`).run(runner);
    const history = `${tablePrefix("kitchen_sink")}__state_backend_history`;
    const [written] = db
      .prepare(`SELECT count(*) AS n FROM ${history} WHERE json_extract(history_json, '$.runner_context_id') = ?`)
      .all(runner) as { n: number }[];
    db.close();
    const monitor = await testMonitor(
      monitorAt(path, "in process", { app: "kitchen_sink", now: presentOf("kitchen_sink.db") }, folder.remove),
    );
    const opened = await monitor.workspace.open();
    const { unknown_writers } = await doctorReport({
      app: opened,
      apps: [],
      discovery: monitor.workspace.discovery,
      readOnly: false,
    });
    expect(unknown_writers).toEqual({
      runner_ids: [runner],
      count: 1,
      active: 1,
      entries: written?.n,
      looked_at: 895,
    });
  });
});

describe("the coverage of doctor's report", () => {
  const everything = { broker: true, orchestrator: true, state_backend: true, client_data_store: true, trigger: true };

  /** Something was registered in the day before the last hour. */
  const withPast = (app: MemoryApp) => app.invocation("earlier", { history: [[app.now - 7_200, "registered"]] });

  test("is listed, and nothing is missing if everything can be read", async () => {
    const { looked_at, not_looked_at } = await report(withPast(memoryApp()));
    expect(looked_at).toEqual([
      "the layout of the store",
      "the settings that were found",
      "who wrote the newest history entries",
      "invocations stuck in pending, running or paused",
      "invocations that wait for each other",
      "the length of the queue",
      "consumers of the queues",
      "waiting invocations missing from the queue",
      "calls without a status and without a message",
      "invocations stopped or held back and not requeued",
      "runs of the atomic service",
      "whether recovery is registered",
      "schedules and conditions that were met",
      "the clocks of hosts",
      "failures, retries, long runs and the queue in the last hour",
      "comparison with the day before",
      "comparison with the week before",
    ]);
    expect(not_looked_at).toEqual([]);
  });

  test("lacks trends if figures over time are switched off", async () => {
    const app = { ...memoryApp().invocation("a").opened, rollups: null };
    const { not_looked_at } = await doctorReport({ app, apps: [], discovery: DISCOVERY, readOnly: false });
    expect(not_looked_at).toEqual([
      "failures, retries, long runs and the queue in the last hour: figures over time are switched off",
      "comparison with the day before: figures over time are switched off",
      "comparison with the week before: figures over time are switched off",
    ]);
  });

  test.each([
    [
      { queue_peek: false },
      [
        "waiting invocations missing from the queue: this queue can only be counted",
        "calls without a status and without a message: this queue can only be counted",
      ],
    ],
    [
      { executions: false },
      ["runs of the atomic service: this pynenc version records only the last run of each runner"],
    ],
    [
      { components: { ...everything, trigger: false } },
      [
        "whether recovery is registered: the triggers are not in this store",
        "schedules and conditions that were met: the triggers are not in this store",
      ],
    ],
    [
      { components: { ...everything, orchestrator: false } },
      [
        "invocations stuck in pending, running or paused: the orchestrator is not in this store",
        "invocations that wait for each other: the orchestrator is not in this store",
        "waiting invocations missing from the queue: queue and orchestrator are not both in this store",
        "calls without a status and without a message: queue and orchestrator are not both in this store",
        "invocations stopped or held back and not requeued: the orchestrator is not in this store",
        "runs of the atomic service: the orchestrator is not in this store",
      ],
    ],
  ])("has its missing parts listed with %j", async (capabilities, expected) => {
    const { not_looked_at } = await report(withPast(memoryApp({ capabilities })));
    expect(not_looked_at).toEqual(expected);
  });

  test("leaves out a long queue and a history that is missing", async () => {
    const app = memoryApp();
    for (let n = 0; n <= 10_000; n++) app.message(`m${n}`);
    expect((await report(app)).not_looked_at).toEqual([
      "who wrote the newest history entries: no history is stored",
      "waiting invocations missing from the queue: the queue has more than 10,000 messages",
      "calls without a status and without a message: the queue has more than 10,000 messages",
      "comparison with the day before: nothing recorded",
      "comparison with the week before: nothing recorded",
    ]);
  });
});

describe("tables of two pynenc versions in one store", () => {
  const findings = async (
    { named = false, consumed_queues = false }: { named?: boolean; consumed_queues?: boolean },
    settings: Record<string, unknown> = {},
  ) => {
    const app = memoryApp({ settings, capabilities: { consumed_queues }, queue_layout: { named } });
    Object.assign(app.opened.store, { kind: "sqlite" });
    return (await report(app)).findings;
  };

  test("are found if settings or heartbeats are of 0.4 and messages are in an older table", async () => {
    const bySettings = await findings({}, { broker: { queues: ["mail"] } });
    expect(bySettings).toHaveLength(1);
    expect(bySettings[0]).toContain("the settings name broker.queues (app_info [broker])");
    expect(bySettings[0]).toContain("no such column: queue_name");
    const [byRows] = await findings({ consumed_queues: true });
    expect(byRows).toContain("the heartbeats have the layout of 0.4");
  });

  test("are found if messages are in a table of 0.4 and heartbeats in an older one", async () => {
    const [finding, ...others] = await findings({ named: true });
    expect([finding?.includes("no column named consumed_queues"), others]).toEqual([true, []]);
  });

  test("are reported as a finding, and not as a verdict too", async () => {
    const app = memoryApp({ capabilities: { consumed_queues: true } });
    Object.assign(app.opened.store, { kind: "sqlite" });
    expect((await report(app)).verdicts.map(({ code }) => code)).not.toContain("layout_trouble");
  });

  test("are not reported if all tables are of one version", async () => {
    expect(await findings({})).toEqual([]);
    expect(await findings({ named: true, consumed_queues: true }, { broker: { queues: ["mail"] } })).toEqual([]);
  });
});

describe("the store in doctor's report", () => {
  const file = (given: Partial<StoreFile> = {}): StoreFile => ({
    path: "/srv/shop.db",
    components: ["broker"],
    bytes: 4_096,
    log_bytes: null,
    journal_mode: "wal",
    modified: at(5),
    unwritable: null,
    ...given,
  });
  const withFiles = (...files: StoreFile[]) =>
    memoryApp().change((rows) => {
      rows.files = files;
    });

  test("is listed by file, with the setting that names each if components are in several files", async () => {
    const app = withFiles(file(), file({ path: "/srv/events.db", components: ["trigger"], log_bytes: 32 }));
    const apart = new Map([["trigger", { path: "/srv/events.db", origin: "PYNENC__TRIGGER" }]] as const);
    const { files, servers } = await report(app, { discovery: { ...DISCOVERY, components: apart } });
    expect(files).toEqual([
      {
        path: "/srv/shop.db",
        origin: "--db",
        components: ["broker"],
        bytes: 4_096,
        wal_bytes: null,
        journal_mode: "wal",
        modified_at: isoFromEpoch(at(5)),
      },
      expect.objectContaining({ path: "/srv/events.db", origin: "PYNENC__TRIGGER", wal_bytes: 32 }),
    ]);
    expect(servers).toEqual([]);
    expect((await report(app)).files.map((one) => one.origin)).toEqual(["--db", "--db"]);
  });

  test("is listed by server, with the components of each", async () => {
    const endpoint = (location: string, origin: string) => ({ location, origin }) as NamedEndpoint;
    const [first, second] = [endpoint("redis://a/0", "--url"), endpoint("redis://b/0", "PYNENC__TRIGGER")];
    const endpoints = {
      broker: first,
      orchestrator: first,
      state_backend: first,
      client_data_store: first,
      trigger: second,
    };
    const { servers, files } = await report(memoryApp(), {
      discovery: { kind: "redis", origin: "--url", endpoints, tried: [] },
    });
    expect([files, servers]).toEqual([
      [],
      [
        {
          location: "redis://a/0",
          origin: "--url",
          components: ["broker", "orchestrator", "state_backend", "client_data_store"],
        },
        { location: "redis://b/0", origin: "PYNENC__TRIGGER", components: ["trigger"] },
      ],
    ]);
  });

  test("is writable, or has the first reason why not", async () => {
    const writes = async (app: MemoryApp, readOnly = false) => (await report(app, { readOnly })).writes;
    expect(await writes(withFiles(file()))).toEqual({ possible: true, reason: null });
    const closed = () => withFiles(file(), file({ unwritable: "/srv" }), file({ unwritable: "/other" }));
    expect(await writes(closed())).toEqual({ possible: false, reason: "this user may not write to /srv" });
    const refused = closed().change((rows) => {
      rows.capabilities.writes_refused = "its layout is newer";
    });
    expect(await writes(refused)).toEqual({ possible: false, reason: "its layout is newer" });
    expect(await writes(refused, true)).toMatchObject({
      possible: false,
      reason: expect.stringContaining("read-only"),
    });
  });

  test("has its time span, and the parts that its layout does not record", async () => {
    const app = memoryApp().invocation("a", {
      history: [
        [at(3), "registered"],
        [at(8), "success"],
      ],
    });
    expect(await report(app)).toMatchObject({
      oldest_entry: isoFromEpoch(at(3)),
      newest_entry: isoFromEpoch(at(8)),
      lacks: [],
    });
    const old = memoryApp({ capabilities: { events: false, executions: false } });
    expect(await report(old)).toMatchObject({
      oldest_entry: null,
      newest_entry: null,
      lacks: ["events and trigger runs", "atomic-service executions"],
    });
  });

  test("has a finding for an incomplete layout, with the missing components and columns", async () => {
    const findings = async (label: string, components: Partial<Capabilities["components"]> = {}) => {
      const app = memoryApp().change((rows) => {
        rows.layout = { ...rows.layout, label, gaps: ["No column priority."] };
        Object.assign(rows.capabilities.components, components);
      });
      const { findings, ok } = await report(app);
      expect(ok).toBe(false);
      return findings;
    };
    expect(await findings("0.3.0 to 0.3.1")).toEqual(["No column priority."]);
    expect(await findings("incomplete")).toEqual([
      "The layout is incomplete: parts of it are missing.",
      "No column priority.",
    ]);
    expect((await findings("incomplete", { broker: false, trigger: false }))[0]).toContain(
      "nothing of broker, trigger is in this store",
    );
  });
});

test("doctor reads the newest 5,000 history entries, and says so if there are more", async () => {
  const entries = (count: number) => {
    const app = memoryApp({ now: at(9_000) }).invocation("a", {
      history: Array.from({ length: count }, (_, n) => [at(n), "running", "lost"] as const),
    });
    return report(app.context("client"));
  };
  const some = await entries(4_999);
  expect([some.unknown_writers?.looked_at, some.notes[0]]).toEqual([4_999, expect.stringMatching(/of the 4,999 /)]);
  const many = await entries(5_001);
  expect(many.unknown_writers).toMatchObject({ looked_at: 5_000, entries: 5_000 });
  expect(many.notes[0]).toMatch(/of the newest 5,000 /);
});

test("doctor's report is ok only without verdicts, setting problems and findings", async () => {
  const told = async (app: MemoryApp) => {
    const { verdicts, setting_problems, findings, ok } = await report(app);
    return [verdicts.length, setting_problems.length, findings.length, ok];
  };
  expect(await told(memoryApp())).toEqual([0, 0, 0, true]);
  expect(await told(memoryApp().invocation("a").message("a"))).toEqual([1, 0, 0, false]);
  expect(await told(memoryApp({ settings: { atomic_service_interval_minutes: -1 } }))).toEqual([0, 1, 0, false]);
  const gaps = memoryApp().change((rows) => {
    rows.layout = { ...rows.layout, gaps: ["No column priority."] };
  });
  expect(await told(gaps)).toEqual([0, 0, 1, false]);
});

describe("a setting that contradicts the rows", () => {
  const TOLD = /it would be 10 min \(runner_considered_dead_after_minutes\)/;
  const UNFIT = /do not match the settings found here/;

  test("has a note if a recovery came sooner than it says", async () => {
    const app = (taken: number) =>
      memoryApp({ now: at(120) })
        .runner("r1", { last: at(10) })
        .runner("r2", { last: at(119) })
        .context("client")
        .invocation("taken", {
          history: [
            [at(0), "registered"],
            [at(2), "running", "r1"],
            [at(taken), "running_recovery", "r2"],
          ],
        })
        .invocation("recovery", {
          task: "pynenc.core_tasks.recover_running_invocations",
          history: [
            [at(99), "registered", "r2"],
            [at(100), "running", "r2"],
            [at(102), "success", "r2"],
          ],
        });
    expect((await report(app(101))).notes).toEqual([expect.stringMatching(TOLD)]);
    expect((await report(app(110))).notes).toEqual([]);
  });

  test("has a note if the atomic service ran outside its slots, and none otherwise", async () => {
    // Of two runners the second has the second half of a cycle of 300 s.
    const app = (seconds: number) =>
      memoryApp({ now: at(290) })
        .runner("r1", { created: at(-900), last: at(290) })
        .runner("r2", { created: at(-800), last: at(290) })
        .execution("run", { runner_id: "r2", start_time: at(seconds), end_time: at(seconds + 0.01) });
    expect((await report(app(5))).notes).toEqual([expect.stringMatching(UNFIT)]);
    expect((await report(app(160))).notes).toEqual([]);
  });
});
