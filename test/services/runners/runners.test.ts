/** One runner: what it worked on, and apart from that what it registered. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NotFoundError } from "../../../src/errors.ts";
import { registeredPart } from "../../../src/presentation/facts/runner.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import { idleTakers } from "../../../src/services/model/waiting-place.ts";
import { listRunners, runnerDetail } from "../../../src/services/runners/runners.ts";
import { openFixture } from "../../pynenc/fixture-rows.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";
import { type Monitor, monitorOf } from "../../support/monitor.ts";

const ids = (rows: readonly { invocation_id: string }[]) => rows.map((row) => row.invocation_id);

describe("a runner", () => {
  const app = memoryApp()
    .runner("worker")
    .context("client", { runner_cls: "ExternalRunner" })
    .invocation("ran", {
      history: [
        [at(0), "registered", "client"],
        [at(1), "pending", "worker"],
        [at(2), "running", "worker"],
      ],
    })
    .invocation("called", { parent: "ran", history: [[at(3), "registered", "worker"]] });

  it("worked on what it owned, and registered what its own work called", async () => {
    const { invocations, registered } = await runnerDetail(app.opened, "worker");
    expect([ids(invocations), ids(registered)]).toEqual([["ran"], ["called"]]);
  });

  it("that is a client outside the runners has registered invocations and worked on none", async () => {
    const { invocations, registered } = await runnerDetail(app.opened, "client");
    expect([ids(invocations), ids(registered)]).toEqual([[], ["ran"]]);
  });

  it("that registered more than its page lists says that these are the latest", async () => {
    const busy = memoryApp();
    const add = (n: number) => busy.invocation(`i${n}`, { history: [[at(n), "registered", "client"]] });
    for (let n = 0; n < 3; n++) add(n);
    expect((await runnerDetail(busy.opened, "client")).registered_note).toBeNull();
    for (let n = 3; n < 40; n++) add(n);
    const { registered, registered_note: note } = await runnerDetail(busy.opened, "client");
    expect(note).toBe(`The latest ${registered.length} are shown.`);
    const cut = registeredPart(await runnerDetail(busy.opened, "client"), 10);
    expect([cut.rows.length, cut.note]).toEqual([10, "The latest 10 are shown."]);
  });

  it("is found by its context alone, with null for everything that only a heartbeat has", async () => {
    const { runner } = await runnerDetail(memoryApp().context("quiet").opened, "quiet");
    expect(runner).toMatchObject({ name: { context_missing: false, runner_cls: "ThreadRunner" }, active: false });
    expect([runner.last_heartbeat, runner.atomic_service_eligible, runner.consumed_queues]).toEqual([null, null, null]);
  });

  it("is found by a registration alone", async () => {
    const gone = memoryApp().invocation("i", { history: [[at(0), "registered", "nameless"]] });
    expect((await runnerDetail(gone.opened, "nameless")).runner.name.context_missing).toBe(true);
    await expect(runnerDetail(gone.opened, "nobody")).rejects.toBeInstanceOf(NotFoundError);
  });
});

it("the list of runners has what they hold; who holds nothing is idle in the sentences about waiting invocations too", async () => {
  const app = memoryApp({ now: at(10) })
    .runner("pauses", { last: at(10) })
    .runner("takes", { last: at(10) })
    .runner("idle", { last: at(10) });
  const held = [
    ["paused", "pauses"],
    ["pending", "takes"],
  ] as const;
  for (const [status, runner] of held)
    app.invocation(status, {
      history: [
        [at(0), "registered"],
        [at(1), status, runner],
      ],
    });
  const list = await listRunners(app.opened, {}, {});
  expect(list.held?.map(({ status, runner_id }) => [status, runner_id]).sort()).toEqual(held);
  const idle = await app.opened.store.read((reads) => idleTakers(app.opened, reads, at(0), null));
  expect(idle?.map(({ runner_id }) => runner_id)).toEqual(["idle"]);
});

it("the list of runners says since when idle ones are idle, if the newest history shows it", async () => {
  const app = memoryApp({ now: at(100) })
    .runner("worked", { last: at(100) })
    .runner("never", { last: at(100) });
  app.invocation("done", {
    history: [
      [at(0), "registered", "never"],
      [at(1), "pending", "worked"],
      [at(2), "running", "worked"],
      [at(5), "success", "worked"],
      [at(9), "registered", "worked"],
    ],
  });
  const list = await listRunners(app.opened, {}, {});
  expect(list.idle_since).toEqual([{ runner_id: "worked", at: isoFromEpoch(at(5)) }]);
  expect((await listRunners(app.opened, {})).idle_since).toBeNull();
  expect(await runnerDetail(app.opened, "worked")).toMatchObject({ held: [], idle_since: isoFromEpoch(at(5)) });
  expect(await runnerDetail(app.opened, "never")).toMatchObject({ held: [], idle_since: null });
});

it("a runner is not called idle if it holds something, is silent, or works through the runners that it started", async () => {
  const app = memoryApp({ now: at(10_000) })
    .runner("busy", { last: at(10_000) })
    .runner("silent", { last: at(10) })
    .runner("parent", { last: at(10_000) });
  app.context("child", { parent_ctx_id: "parent" }).heartbeat("child", { last_heartbeat: at(10_000) });
  app.invocation("a", {
    history: [
      [at(0), "registered"],
      [at(1), "pending", "busy"],
      [at(2), "running", "busy"],
    ],
  });
  const about = async (id: string) => {
    const { held, idle_since } = await runnerDetail(app.opened, id);
    return [held?.length, idle_since];
  };
  expect(await about("busy")).toEqual([1, null]);
  expect(await about("silent")).toEqual([undefined, null]);
  expect(await about("parent")).toEqual([undefined, null]);
});

it("beside active runners, the list has silent ones only if they still hold something", async () => {
  const app = memoryApp({ now: at(10_000) })
    .runner("alive", { last: at(10_000) })
    .runner("silent", { last: at(10) })
    .runner("gone", { last: at(10) });
  app.invocation("stuck", {
    history: [
      [at(0), "registered"],
      [at(1), "pending", "silent"],
      [at(2), "running", "silent"],
    ],
  });
  const ids = (rows: { runner_id: string }[]) => rows.map(({ runner_id }) => runner_id);
  const list = await listRunners(app.opened, {}, {});
  expect([ids(list.silent), ids(list.runners), list.active]).toEqual([["silent"], ["alive"], 1]);
  expect(list.held).toMatchObject([{ runner_id: "silent", invocation_id: "stuck" }]);
  expect((await listRunners(app.opened, { show: ["all"] }, {})).silent).toEqual([]);
});

it("the list has what silent runners ran in the last hour, as that of active ones", async () => {
  const app = memoryApp({ now: at(3_000) })
    .runner("alive", { last: at(3_000) })
    .runner("silent", { last: at(10) })
    .invocation("stuck", {
      history: [
        [at(0), "registered"],
        [at(1), "pending", "silent"],
        [at(2), "running", "silent"],
      ],
    });
  const { busy } = await listRunners(app.opened, {}, {});
  const ran = busy?.rows.map(({ runner_id, running }) => [runner_id, running.some((n) => n > 0)]);
  expect(ran?.sort()).toEqual([
    ["alive", false],
    ["silent", true],
  ]);
});

describe("the client of a recorded run", () => {
  let monitor: Monitor;
  let app: OpenedApp;
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink.db", "in process", { app: "kitchen_sink" });
    app = await monitor.workspace.open();
  });
  afterAll(() => monitor.close());

  it("registered invocations and worked on none of them", async () => {
    const [fixture] = openFixture("kitchen_sink.db").filter((one) => one.app_id === "kitchen_sink");
    const entries = (fixture?.history ?? []).map((row) => JSON.parse(row.history_json));
    const client = entries.find((entry) => entry.runner_context_id.startsWith("ExternalRunner@"));
    const own = entries.filter((entry) => entry.runner_context_id === client.runner_context_id);
    expect(new Set(own.map((entry) => entry.status_record.status))).toEqual(new Set(["registered"]));
    const { invocations, registered } = await runnerDetail(app, client.runner_context_id);
    expect(invocations).toEqual([]);
    expect(ids(registered)).toEqual(ids(own.slice(-25).reverse()));
    const page = await monitor.text(`/runners/${encodeURIComponent(client.runner_context_id)}`);
    expect(page).toContain("It only registered invocations");
    const all = await monitor.json<{ page: { total: number } }>(
      `/invocations/?limit=1000&registered_by=${encodeURIComponent(client.runner_context_id)}`,
    );
    expect(all.page.total).toBe(own.length);
  });
});

it("the latest service run of a runner exists if it has a start in the heartbeat", async () => {
  const app = memoryApp()
    .context("begun")
    .heartbeat("begun", { last_service_start: at(5) })
    .context("both")
    .heartbeat("both", { last_service_start: at(5), last_service_end: at(6) })
    .context("never")
    .heartbeat("never");
  const ofRunner = async (id: string) => (await runnerDetail(app.opened, id)).last_service;
  expect([await ofRunner("begun"), await ofRunner("both"), await ofRunner("never")]).toEqual([
    { start_time: isoFromEpoch(at(5)), end_time: null },
    { start_time: isoFromEpoch(at(5)), end_time: isoFromEpoch(at(6)) },
    null,
  ]);
});
