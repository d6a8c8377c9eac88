/** What doctor tells besides problems: which writers of the history are not known. */
import { describe, expect, test } from "vitest";
import type { Discovery } from "../../../src/config/discovery.ts";
import { tablePrefix } from "../../../src/pynenc/identifiers.ts";
import { type DoctorReport, doctorReport } from "../../../src/services/health/doctor.ts";
import type { Capabilities } from "../../../src/stores/ports.ts";
import { openDatabase } from "../../../src/stores/sqlite/driver.ts";
import { copyFixture, presentOf, temporaryFolder } from "../../support/fixtures.ts";
import { at, type MemoryApp, memoryApp, type Step } from "../../support/memory-app/memory-app.ts";
import { monitorAt } from "../../support/monitor.ts";

const DISCOVERY: Discovery = {
  kind: "sqlite",
  origin: "--db",
  db: { path: "/srv/shop.db", origin: "--db" },
  tried: [],
  components: null,
};

function report(app: MemoryApp): Promise<DoctorReport> {
  return doctorReport({ app: app.opened, apps: [], discovery: DISCOVERY, readOnly: false });
}

describe("runners without a context", () => {
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

  test("are counted among the newest history entries, and nothing is wrong because of them", async () => {
    const { unknown_writers, notes, ok } = await report(app());
    expect(unknown_writers).toEqual({ runner_ids: ["lost"], count: 1, active: 0, entries: 3, looked_at: 4 });
    expect(notes).toEqual([
      "3 of the 4 history entries name 1 runner of which no context is stored (lost): class, host and process are not known. A runner stores its context once; when the state backend is purged meanwhile, it is missing until the runner is started again.",
    ]);
    expect(ok).toBe(true);
  });

  test("that are active are told apart, and those that have one are none", async () => {
    const active = await report(app().heartbeat("lost"));
    expect(active.unknown_writers?.active).toBe(1);
    expect(active.notes[0]).toContain("One of them is active now.");
    const known = await report(app().context("lost"));
    expect([known.unknown_writers, known.notes]).toEqual([null, []]);
    expect((await report(memoryApp())).unknown_writers).toBeNull();
  });

  test("many are named in part", async () => {
    const many = app();
    for (let n = 0; n < 9; n++) many.invocation(`i${n}`, { history: [[at(10 + n), "registered", `w${n}`]] });
    const { unknown_writers, notes } = await report(many);
    expect(unknown_writers).toMatchObject({ count: 10, entries: 12, looked_at: 13 });
    expect(unknown_writers?.runner_ids).toHaveLength(5);
    expect(notes[0]).toContain("name 10 runners of which no context is stored (");
    expect(notes[0]).toContain(" and 5 more)");
  });

  test("on real data whose state backend was purged while a runner was alive", async () => {
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
    const monitor = await monitorAt(
      path,
      "in process",
      { app: "kitchen_sink", now: presentOf("kitchen_sink.db") },
      folder.remove,
    );
    try {
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
    } finally {
      await monitor.close();
    }
  });
});

describe("what the judgement is about", () => {
  const everything = { broker: true, orchestrator: true, state_backend: true, client_data_store: true, trigger: true };

  test("is said, and where everything can be read nothing was left out", async () => {
    const { looked_at, not_looked_at } = await report(memoryApp().invocation("a"));
    expect(looked_at).toEqual([
      "the layout of the store",
      "the settings that were found",
      "invocations that are stuck in pending, running or paused",
      "the length of the queue",
      "who takes from the queues",
      "invocations that wait without a message",
      "runs of the atomic service",
      "whether recovery is registered",
      "who wrote the newest history entries",
    ]);
    expect(not_looked_at).toEqual([]);
  });

  test.each([
    [{ queue_peek: false }, ["invocations that wait without a message: this queue can only be counted"]],
    [{ executions: false }, ["runs of the atomic service: this layout records only the last run of each runner"]],
    [
      { components: { ...everything, trigger: false } },
      ["whether recovery is registered: the triggers are not in this store"],
    ],
    [
      { components: { ...everything, orchestrator: false } },
      [
        "invocations that are stuck in pending, running or paused: the orchestrator is not in this store",
        "invocations that wait without a message: queue and orchestrator are not both in this store",
        "runs of the atomic service: the orchestrator is not in this store",
      ],
    ],
  ])("with %j something was not", async (capabilities, expected) => {
    const { not_looked_at } = await report(memoryApp({ capabilities }).invocation("a"));
    expect(not_looked_at).toEqual(expected);
  });

  test("does not reach into a long queue, or a history that is not there", async () => {
    const app = memoryApp();
    for (let n = 0; n <= 10_000; n++) app.message(`m${n}`);
    expect((await report(app)).not_looked_at).toEqual([
      "invocations that wait without a message: the queue has more than 10,000 messages",
      "who wrote the newest history entries: no history is stored",
    ]);
  });
});

describe("tables of two versions of pynenc in one store", () => {
  const findings = async (capabilities: Partial<Capabilities>, settings: Record<string, unknown> = {}) => {
    const app = memoryApp({ settings, capabilities });
    Object.assign(app.opened.store, { kind: "sqlite" });
    return (await report(app)).findings;
  };

  test("are found where 0.4 is set up, or has left heartbeats, and messages are in an older table", async () => {
    const bySettings = await findings({}, { broker: { queues: ["mail"] } });
    expect(bySettings).toHaveLength(1);
    expect(bySettings[0]).toContain("the settings name broker.queues (app_info [broker])");
    expect(bySettings[0]).toContain("no such column: queue_name");
    const [byRows] = await findings({ consumed_queues: true });
    expect(byRows).toContain("the heartbeats are in the layout of 0.4");
  });

  test("are found where messages are in a table of 0.4 and heartbeats in an older one", async () => {
    const [finding, ...others] = await findings({ named_queues: true });
    expect([finding?.includes("no column named consumed_queues"), others]).toEqual([true, []]);
  });

  test("are none where all are of one version, whatever the version", async () => {
    expect(await findings({})).toEqual([]);
    expect(await findings({ named_queues: true, consumed_queues: true }, { broker: { queues: ["mail"] } })).toEqual([]);
  });
});
