/** The opened store with its apps, and what `/health` reports while it answers, is unreachable, or hangs. */
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { resolveConfiguration } from "../../../src/config/options.ts";
import { NotFoundError, StoreUnreachableError } from "../../../src/errors.ts";
import { tablePrefix } from "../../../src/pynenc/identifiers.ts";
import { type LookAtApps, type OpenRollups, Workspace } from "../../../src/services/app/workspace.ts";
import type { DiscoveredApp } from "../../../src/stores/ports/store.ts";
import { change } from "../../stores/sqlite/rows.ts";
import { copyFixture, temporaryFolder } from "../../support/fixtures.ts";

const BETA = "kitchen-sink.two/β";
const folder = temporaryFolder();
afterAll(() => folder.remove());
/** Apps that took long to find, as on a busy machine, are reused for a moment. */
const PATIENCE = { timeout: 30_000 };
/** Who asks again before it gets the same answer. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe("the last check of the store", () => {
  let workspace: Workspace;
  let answer: () => Promise<DiscoveredApp[]>;

  beforeEach(async () => {
    const flags = { db: copyFixture("kitchen_sink.db", folder.path), app: "kitchen_sink" };
    const options = { env: {}, cwd: folder.path };
    const configuration = resolveConfiguration({ flags, ...options });
    workspace = await Workspace.connect({ configuration, ...options, threads: 0, clock: () => 0 });
    const real = workspace.store.apps.bind(workspace.store);
    answer = () => real();
    vi.spyOn(workspace.store, "apps").mockImplementation(() => answer());
  });
  afterEach(async () => {
    vi.useRealTimers();
    await workspace.close();
  });

  it("reports ok, unreachable, and ok again", async () => {
    expect(await workspace.lastCheck()).toEqual({ app: "kitchen_sink", store: "ok" });
    const real = answer;
    answer = () => Promise.reject(new StoreUnreachableError("missing", "gone"));
    await nextTurn();
    expect(await workspace.lastCheck()).toEqual({ app: null, store: "unreachable" });
    answer = real;
    await nextTurn();
    expect(await workspace.lastCheck()).toEqual({ app: "kitchen_sink", store: "ok" });
  });

  it("ends with the workspace, which closes its store", async () => {
    const close = vi.spyOn(workspace.store, "close");
    await workspace.close();
    expect(close).toHaveBeenCalledTimes(1);
  });

  it("is shared by simultaneous requests, and repeated for later ones", async () => {
    const real = answer;
    answer = vi.fn(() => real());
    const together = Array.from({ length: 20 }, () => workspace.lastCheck());
    expect(await Promise.all(together)).toEqual(Array(20).fill({ app: "kitchen_sink", store: "ok" }));
    expect(answer).toHaveBeenCalledTimes(1);
    await nextTurn();
    await workspace.lastCheck();
    expect(answer).toHaveBeenCalledTimes(2);
  });

  it("is made four times a second at most where the store is a server, and waited for if the last one is a second old", async () => {
    const options = { env: {}, cwd: folder.path };
    const flags = { url: "redis://127.0.0.1:1/0", app: "kitchen_sink" };
    const configuration = resolveConfiguration({ flags, ...options });
    const server = await Workspace.connect({ configuration, ...options, threads: 0, clock: () => 0 });
    onTestFinished(() => server.close());
    const apps = vi.spyOn(server.store, "apps").mockResolvedValue([]);
    vi.useFakeTimers();
    await server.lastCheck();
    apps.mockRejectedValue(new StoreUnreachableError("missing", "gone"));
    await vi.advanceTimersByTimeAsync(249);
    expect((await server.lastCheck()).store).toBe("ok");
    expect(apps).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect((await server.lastCheck()).store).toBe("ok");
    expect(apps).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(1);
    expect((await server.lastCheck()).store).toBe("unreachable");
    await vi.advanceTimersByTimeAsync(1_000);
    apps.mockResolvedValue([]);
    expect((await server.lastCheck()).store).toBe("ok");
  });

  it("reports the last known state of a hanging store after a second, and queries the store only once", async () => {
    const known = await workspace.lastCheck();
    await nextTurn();
    vi.useFakeTimers();
    answer = vi.fn(() => new Promise<DiscoveredApp[]>(() => undefined));
    for (let round = 0; round < 2; round++) {
      const look = workspace.lastCheck();
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await look).toEqual(known);
      // The turn ends, and the next round waits for itself.
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(answer).toHaveBeenCalledTimes(1);
  });

  it("does not keep anyone waiting for a busy store whose last check has just ended", async () => {
    vi.useFakeTimers();
    const known = await workspace.lastCheck();
    answer = () => new Promise(() => undefined);
    const within = async (milliseconds: number) => {
      const look = workspace.lastCheck();
      let settled: unknown = null;
      look.then((found) => (settled = found));
      await vi.advanceTimersByTimeAsync(milliseconds);
      return settled;
    };
    await vi.advanceTimersByTimeAsync(1);
    expect(await within(20)).toEqual(known);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await within(999)).toBeNull();
    expect(await within(1_000)).toEqual(known);
  });

  it("reports the result of a slow check after it has ended", async () => {
    await workspace.lastCheck();
    await nextTurn();
    vi.useFakeTimers();
    let fail: (error: Error) => void = () => undefined;
    answer = () =>
      new Promise((_, reject) => {
        fail = reject;
      });
    const first = workspace.lastCheck();
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await first).store).toBe("ok");
    fail(new StoreUnreachableError("timeout", "it was away"));
    await vi.advanceTimersByTimeAsync(1);
    answer = () => new Promise(() => undefined);
    const next = workspace.lastCheck();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await next).toEqual({ app: null, store: "unreachable" });
  });

  it("does not wait for all apps of a large store", async () => {
    await workspace.lastCheck();
    expect(workspace.store.apps).toHaveBeenCalledWith(true);
  });

  it("does not reuse the result of another app", async () => {
    await workspace.lastCheck();
    await workspace.activate(BETA);
    vi.useFakeTimers();
    const real = answer;
    answer = async () => {
      await new Promise((resolve) => setTimeout(resolve, 60_000));
      return real();
    };
    const look = workspace.lastCheck();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await look).toEqual({ app: BETA, store: "ok" });
  });

  it("waits for its first result, however long that takes", async () => {
    vi.useFakeTimers();
    const real = answer;
    answer = async () => {
      await new Promise((resolve) => setTimeout(resolve, 60_000));
      return real();
    };
    const look = workspace.lastCheck();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await look).toEqual({ app: "kitchen_sink", store: "ok" });
  });
});

/** A workspace on a store with two apps, and with an empty one that is only registered. */
async function opened(
  flags: { app?: string } = {},
  env: Record<string, string> = {},
  more: { look?: LookAtApps } = {},
): Promise<{ workspace: Workspace; path: string }> {
  const path = copyFixture("kitchen_sink.db", folder.path, `${randomUUID()}.db`);
  const prefix = tablePrefix("only looked");
  change(
    path,
    `CREATE TABLE ${prefix}__state_backend_app_info (app_id TEXT PRIMARY KEY, app_info_json TEXT NOT NULL)`,
    [
      `INSERT INTO ${prefix}__state_backend_app_info VALUES (?, ?)`,
      "only looked",
      JSON.stringify({ app_id: "only looked", module: "looker", config_values: {} }),
    ],
  );
  const given = { env, cwd: folder.path };
  const configuration = resolveConfiguration({ flags: { db: path, ...flags }, ...given });
  const workspace = await Workspace.connect({ configuration, ...given, threads: 0, clock: () => 7, ...more });
  onTestFinished(() => workspace.close());
  return { workspace, path };
}

const active = async (workspace: Workspace) => (await workspace.apps()).filter((app) => app.shown);

describe("the apps of a store", () => {
  it("are listed by id, phantom apps last, and one of them is shown", async () => {
    const { workspace, path } = await opened();
    expect(workspace.discovery).toMatchObject({ kind: "sqlite", db: { path } });
    expect((await workspace.apps()).map(({ app_id, phantom, shown: on }) => [app_id, phantom, on])).toEqual([
      [BETA, false, true],
      ["kitchen_sink", false, false],
      ["only looked", true, false],
    ]);
    expect((await workspace.apps()).find((app) => app.phantom)?.module).toBe("looker");
  });

  it("show the one that was chosen by flag, by variable or by a click", async () => {
    const byFlag = (await opened({ app: "kitchen_sink" })).workspace;
    expect(await active(byFlag)).toMatchObject([{ app_id: "kitchen_sink" }]);
    const byVariable = (await opened({}, { PYNENC_MONITOR_APP: "kitchen_sink" })).workspace;
    expect((await byVariable.open()).app_id).toBe("kitchen_sink");
    await byFlag.activate(BETA);
    expect([await active(byFlag), (await byFlag.open()).app_id]).toMatchObject([[{ app_id: BETA }], BETA]);
    await expect(byFlag.activate("nobody")).rejects.toBeInstanceOf(NotFoundError);
    expect((await byFlag.open()).app_id).toBe(BETA);
  });

  it("show the one that pynenc itself is configured for, if the store has it", async () => {
    const { workspace: known, path } = await opened({}, { PYNENC__APP_ID: "kitchen_sink" });
    // Before it is opened, and when its registration is purged while it is open.
    expect(await active(known)).toMatchObject([{ app_id: "kitchen_sink" }]);
    expect((await known.open()).app_id).toBe("kitchen_sink");
    change(path, `DELETE FROM ${tablePrefix("kitchen_sink")}__state_backend_app_info`);
    await expect.poll(() => active(known), PATIENCE).toMatchObject([{ app_id: "kitchen_sink", module: null }]);
    const unknown = (await opened({}, { PYNENC__APP_ID: "of another store" })).workspace;
    expect((await unknown.open()).app_id).toBe(BETA);
  });

  it("keep showing the first one when another sorts before it later", async () => {
    const { workspace, path } = await opened();
    const table = `${tablePrefix(BETA)}__state_backend_app_info`;
    change(path, `DELETE FROM ${table}`);
    expect(await active(workspace)).toMatchObject([{ app_id: "kitchen_sink" }]);
    change(path, [`INSERT INTO ${table} VALUES (?, ?)`, BETA, JSON.stringify({ app_id: BETA, config_values: {} })]);
    expect(await active(workspace)).toMatchObject([{ app_id: "kitchen_sink" }]);
    expect((await workspace.open()).app_id).toBe("kitchen_sink");
    change(path, `DROP TABLE ${tablePrefix("kitchen_sink")}__state_backend_app_info`);
    await expect.poll(() => active(workspace), PATIENCE).toMatchObject([{ app_id: BETA }]);
  });

  it("include one whose registration was purged, if its name is given", async () => {
    const { workspace, path } = await opened({ app: "kitchen_sink" });
    change(path, `DELETE FROM ${tablePrefix("kitchen_sink")}__state_backend_app_info`);
    expect((await workspace.open()).app_id).toBe("kitchen_sink");
    expect((await workspace.apps()).filter(({ shown }) => shown)).toEqual([
      { app_id: "kitchen_sink", phantom: false, module: null, shown: true },
    ]);
  });

  it("include one whose registration was purged, if the hash in its table names matches a known id", async () => {
    const { workspace, path } = await opened();
    for (const app of [BETA, "kitchen_sink", "only looked"])
      change(path, `DELETE FROM ${tablePrefix(app)}__state_backend_app_info`);
    expect((await workspace.openOnly()).app_id).toBe("kitchen_sink");
    expect((await workspace.apps()).map(({ app_id }) => app_id)).toEqual(["kitchen_sink"]);
  });

  it("include one whose registration was purged if pynenc's own configuration names it, and no other instead", async () => {
    for (const open of ["open", "openOnly"] as const) {
      const { workspace, path } = await opened({}, { PYNENC__APP_ID: BETA });
      change(path, `DELETE FROM ${tablePrefix(BETA)}__state_backend_app_info`);
      expect((await workspace[open]()).app_id).toBe(BETA);
    }
  });

  it("are all awaited unless a part of them is enough", async () => {
    const { workspace } = await opened();
    const apps = vi.spyOn(workspace.store, "apps");
    await workspace.apps();
    await workspace.apps(true);
    expect(apps.mock.calls).toEqual([[false], [true]]);
  });
});

describe("opening an app", () => {
  it("gives all simultaneous callers the same one", async () => {
    const { workspace } = await opened();
    const [first, second] = await Promise.all([workspace.open("kitchen_sink"), workspace.open("kitchen_sink")]);
    expect(first).toBe(second);
    expect(await workspace.open("kitchen_sink")).toBe(first);
    expect(first?.now()).toBe(7);
  });

  it("by id does not list other apps; all apps are listed only if none is named", async () => {
    const { workspace } = await opened();
    const apps = vi.spyOn(workspace.store, "apps");
    await workspace.open("kitchen_sink");
    expect(apps).not.toHaveBeenCalled();
    expect((await workspace.open()).app_id).toBe(BETA);
    expect(apps).toHaveBeenCalledExactlyOnceWith(true);
    await expect(workspace.open("nobody")).rejects.toBeInstanceOf(NotFoundError);
    expect(apps).toHaveBeenLastCalledWith(false);
  });

  it("with RabbitMQ as its broker reads the queue there, and any other app's in the store", async () => {
    const shared = async (env: Record<string, string>) => {
      const app = await (await opened({}, env)).workspace.open("only looked");
      return (await app.store.read((reads) => reads.layout.capabilities())).queue_shared;
    };
    expect(await shared({ PYNENC__BROKER_CLS: "RabbitMqBroker" })).toBe(true);
    expect(await shared({})).toBe(false);
  });

  it("with settings that would never run its triggers is refused, with the names of the settings", async () => {
    const { workspace } = await opened({}, { PYNENC__ATOMIC_SERVICE_INTERVAL_MINUTES: "-1" });
    await expect(workspace.open("only looked")).rejects.toThrow("atomic_service_interval_minutes");
  });

  it("that does not exist is refused with the list of apps", async () => {
    const { workspace } = await opened();
    await expect(workspace.open("nobody")).rejects.toMatchObject({
      message: expect.stringContaining("nobody"),
      hint: `Apps here: ${BETA}, kitchen_sink, only looked`,
    });
  });

  it("for a change has to be chosen if there are several real ones", async () => {
    const { workspace } = await opened();
    await expect(workspace.openOnly()).rejects.toMatchObject({
      message: `This store holds 2 apps: ${BETA}, kitchen_sink. Choose one.`,
      problems: [{ parameter: "--app", value: "", accepted: `one of ${BETA}, kitchen_sink` }],
    });
    expect((await (await opened({ app: BETA })).workspace.openOnly()).app_id).toBe(BETA);
    const configured = (await opened({}, { PYNENC__APP_ID: "kitchen_sink" })).workspace;
    // Without the list of apps, which takes long on a large server.
    const listed = vi.spyOn(configured.store, "apps");
    expect((await configured.openOnly()).app_id).toBe("kitchen_sink");
    expect(listed).not.toHaveBeenCalled();
    const elsewhere = (await opened({}, { PYNENC__APP_ID: "of another store" })).workspace;
    await expect(elsewhere.openOnly()).rejects.toThrow("This store holds 2 apps");
  });

  it("for a command that only shows it is the one that a server shows, with the ids of all", async () => {
    const { app, among } = await (await opened()).workspace.openShown();
    expect([app.app_id, among]).toEqual([
      (await (await opened()).workspace.openFirst()).app_id,
      [BETA, "kitchen_sink"],
    ]);
    const named = await (await opened({ app: "kitchen_sink" })).workspace.openShown();
    expect([named.app.app_id, named.among]).toEqual(["kitchen_sink", []]);
  });

  it("of which none was chosen looks once at how the real ones are doing, and opens the worst", async () => {
    const figures = { problems: 0, errors: 0, finished: 0, failed: 0, sampled: false, queued_messages: 0 };
    const look = vi.fn<LookAtApps>(async (_, apps) =>
      apps.map((app) => {
        const problems = app.app_id === "kitchen_sink" ? 2 : 0;
        return { ...app, figures: { ...figures, problems, active_runners: 0, last_change: null }, trouble: null };
      }),
    );
    const { workspace } = await opened({}, {}, { look });
    const [shown] = await Promise.all([active(workspace), workspace.lastCheck(), workspace.open()]);
    expect(shown).toMatchObject([{ app_id: "kitchen_sink" }]);
    expect(await workspace.openShown()).toMatchObject({
      app: { app_id: "kitchen_sink" },
      chosen: { figures: { problems: 2 } },
    });
    expect(look.mock.calls.map(([, apps]) => apps.map(({ app_id }) => app_id))).toEqual([[BETA, "kitchen_sink"]]);
    const named = await opened({ app: BETA }, {}, { look });
    expect(await named.workspace.openShown()).toMatchObject({ app: { app_id: BETA }, chosen: null });
    const configured = await opened({}, { PYNENC__APP_ID: BETA }, { look });
    expect(await active(configured.workspace)).toMatchObject([{ app_id: BETA }]);
    expect(look).toHaveBeenCalledOnce();
  });

  it("for a command chooses the only real one", async () => {
    const { workspace, path } = await opened();
    change(path, `DELETE FROM ${tablePrefix(BETA)}__state_backend_app_info`);
    expect((await workspace.openOnly()).app_id).toBe("kitchen_sink");
  });

  it("of a file that is not a pynenc store is refused with that reason", async () => {
    const { workspace, path } = await opened();
    for (const app of [BETA, "kitchen_sink", "only looked"])
      change(path, `DROP TABLE ${tablePrefix(app)}__state_backend_app_info`);
    await expect(workspace.open()).rejects.toMatchObject({
      reason: "not-pynenc",
      hint: expect.stringContaining("--app <app id>"),
    });
    await expect(workspace.open("nobody")).rejects.toMatchObject({ hint: "The store registers no app." });
  });
});

it("a workspace has figures over time if it is given a source of them", async () => {
  const given = { env: {}, cwd: folder.path };
  const configuration = resolveConfiguration({ flags: { db: copyFixture("kitchen_sink.db", folder.path) }, ...given });
  const options = { configuration, ...given, threads: 0, clock: () => 0 };
  const rollups: OpenRollups = () => {
    throw new Error("no app is opened");
  };
  const [without, withFigures] = [await Workspace.connect(options), await Workspace.connect({ ...options, rollups })];
  expect([without.figures, withFigures.figures]).toEqual([false, true]);
  await Promise.all([without.close(), withFigures.close()]);
});

it("the time of a workspace is fixed if it was given, else it is the clock's", async () => {
  const given = { env: {}, cwd: folder.path };
  const flags = { db: copyFixture("kitchen_sink.db", folder.path), now: "2026-01-05T12:00:00Z" };
  const configuration = resolveConfiguration({ flags, ...given });
  const workspace = await Workspace.connect({ configuration, ...given, threads: 0, clock: () => 7 });
  expect([workspace.clockFixed, workspace.now()]).toEqual([true, 1_767_614_400]);
  await workspace.close();
  const running = (await opened()).workspace;
  expect([running.clockFixed, running.now()]).toEqual([false, 7]);
});
