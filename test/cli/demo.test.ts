import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { watchForDefects } from "../support/defects.ts";
import { fixturePath } from "../support/fixtures.ts";
import { describeWithRedis, startRedis } from "../support/redis-server.ts";
import { BIN, cleanEnvironment, monitor, ownCopy, runProgram, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const HEARTBEATS = "__pynenc__:demo-shop:orchestrator:runner_heartbeats";

test("monitor demo writes a file that other commands can open", async () => {
  const path = join(folder, "demo.db");
  const first = await monitor(["demo", "--db", path, "--no-serve"]);
  expect(first).toMatchObject({ code: 0, stdout: `${path}\n` });
  const { code, stdout } = await monitor(["status", "--app", "demo-shop", "--db", path, "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout).invocations).toBeGreaterThan(100);
  // Its own file is written again.
  const bulk = await monitor(["demo", "--db", path, "--no-serve", "--json", "--size", "200"]);
  expect(JSON.parse(bulk.stdout)).toEqual({ schema_version: 2, path, app_id: "demo-shop" });
  expect(JSON.parse((await monitor(["status", "--db", path, "--app", "demo-shop", "--json"])).stdout).invocations).toBe(
    200,
  );
});

test("monitor demo prints a command that a shell can run, also for a path with blanks", async () => {
  const path = join(folder, "my demo.db");
  const { stderr } = await monitor(["demo", "--db", path, "--no-serve"]);
  expect(stderr).toContain(`To view it: monitor serve --app demo-shop --db '${path}'\n`);
  const exported = /^For commands in this terminal: export (.*)$/m.exec(stderr)?.[1] ?? "";
  const { stdout } = await runProgram("sh", ["-c", `${exported} "$0" "$1" status --json`, process.execPath, BIN], {
    env: cleanEnvironment() as Record<string, string>,
  });
  expect(JSON.parse(stdout)).toMatchObject({ app_id: "demo-shop", location: path });
});

test.each([
  ["0.2.3", false],
  ["0.3.1", false],
  ["0.4.0", true],
])("monitor demo writes the layout of %s when asked", async (layout, named) => {
  const path = join(folder, `demo-${layout}.db`);
  expect((await monitor(["demo", "--db", path, "--no-serve", "--layout", layout])).code).toBe(0);
  const { stdout } = await monitor(["queue", "--app", "demo-shop", "--db", path, "--json"]);
  const names = (JSON.parse(stdout).queues as { queue_name: string | null }[]).map((queue) => queue.queue_name);
  expect(names).toEqual(named ? ["default", "mail", "reports"] : [null]);
});

test("monitor demo exits with 5 and leaves a file alone that is not its own", async () => {
  const text = join(folder, "notes.txt");
  writeFileSync(text, "mine");
  for (const path of [text, ownCopy("kitchen_sink.db", folder)]) {
    const run = await monitor(["demo", "--db", path, "--no-serve"]);
    expect(run).toMatchObject({ code: 5, stdout: "", stderr: expect.stringContaining("it was not changed") });
  }
});

test("monitor demo exits with 2 before it would serve to other hosts without a token, and writes nothing", async () => {
  const path = join(folder, "reachable.db");
  const run = await monitor(["demo", "--db", path, "--host", "0.0.0.0", "--port", "auto"]);
  expect(run).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("--no-token") });
  expect(existsSync(path)).toBe(false);
  expect((await monitor(["demo", "--db", path, "--host", "0.0.0.0", "--no-serve"])).code).toBe(0);
});

test.each([
  [["--size", "0"], "--size"],
  [["--seed", "x"], "--seed"],
  [["--layout", "0.3.0"], "--layout"],
  [["--layout", "0.4.0", "--url", "redis://127.0.0.1:1/0"], "--layout"],
  [["--live", "--now", "2026-01-01"], "--now"],
  [["--db", "/no/such/folder/demo.db"], "--db"],
])("monitor demo exits with 2 for %j", async (args, flag) => {
  const run = await monitor(["demo", "--no-serve", ...args]);
  expect(run).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(`^${flag}: `) });
});

test("monitor demo serves its own app, whatever is configured in the environment, and removes its files", async () => {
  const env = cleanEnvironment({
    PYNENC_MONITOR_APP: "mine",
    PYNENC_MONITOR_DB: "/mine.db",
    PYNENC__SQLITE_DB_PATH: "/mine.db",
  });
  const child = spawn(process.execPath, [BIN, "demo", "--live", "--port", "auto"], { cwd: folder, env });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const exit = once(child, "exit");
  try {
    const [url] = (await Promise.race([
      once(child.stdout.setEncoding("utf8"), "data"),
      exit.then(() => Promise.reject(new Error(stderr))),
    ])) as [string];
    const health = await fetch(new URL("/health", url.trim()));
    expect(await health.json()).toMatchObject({ status: "ok", app: "demo-shop" });
    const path = /The demo app is in (\S+) and will be deleted/.exec(stderr)?.[1] ?? "";
    // A line for the shell of another terminal.
    expect(stderr).toMatch(
      new RegExp(`^For another terminal: export PYNENC_MONITOR_DB=${path} PYNENC_MONITOR_APP=demo-shop$`, "m"),
    );
    expect(existsSync(path)).toBe(true);
    child.kill("SIGINT");
    expect((await exit)[0]).toBe(0);
    expect(existsSync(dirname(path))).toBe(false);
  } finally {
    child.kill("SIGKILL");
  }
});

describeWithRedis("monitor demo in a Redis server", () => {
  test("writes its apps next to existing ones, and other commands find them", async () => {
    const server = await startRedis({ rdb: fixturePath("redis/kitchen_sink_redis.rdb") });
    try {
      const place = `redis://127.0.0.1:${server.port}/0`;
      const written = await monitor(["demo", "--url", place, "--no-serve", "--json"]);
      expect(written.code).toBe(0);
      expect(JSON.parse(written.stdout)).toEqual({ schema_version: 2, url: place, app_id: "demo-shop" });
      const { stdout } = await monitor(["apps", "--url", place, "--json"]);
      const ids = (JSON.parse(stdout).apps as { app_id: string }[]).map((app) => app.app_id).sort();
      expect(ids).toEqual(["demo-billing", "demo-shop", "kitchen-sink.two/β", "kitchen_sink", "sink[3]*?"]);
      const status = await monitor(["status", "--url", place, "--app", "demo-shop", "--json"]);
      expect(JSON.parse(status.stdout).invocations).toBeGreaterThan(100);
    } finally {
      await server.close();
    }
  });

  test("never prints a password, and exits with 5 when an app of the same id is there", async () => {
    const server = await startRedis({ args: ["--requirepass", "s3cret"], userInfo: ":s3cret@" });
    try {
      const written = await monitor(["demo", "--url", server.url, "--no-serve"]);
      expect(written).toMatchObject({ code: 0, stdout: `redis://127.0.0.1:${server.port}/0\n` });
      expect(written.stderr).not.toContain("s3cret");
      await server.exchange([["SET", "__pynenc__:__pynenc__:apps_info:demo-shop", '{"app_id": "demo-shop"}']]);
      const refused = await monitor(["demo", "--url", server.url, "--no-serve"]);
      expect(refused).toMatchObject({ code: 5, stdout: "", stderr: expect.stringContaining("it was not changed") });
      expect(refused.stderr).not.toContain("s3cret");
    } finally {
      await server.close();
    }
  });

  test("with --live keeps writing and serving, also after the server was away", async () => {
    const server = await startRedis();
    const args = [BIN, "demo", "--live", "--url", server.url, "--port", "auto"];
    const child = spawn(process.execPath, args, { cwd: folder, env: cleanEnvironment() });
    watchForDefects(child.stderr);
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const exit = once(child, "exit");
    try {
      const [url] = (await Promise.race([
        once(child.stdout.setEncoding("utf8"), "data"),
        exit.then(() => Promise.reject(new Error(stderr))),
      ])) as [string];
      const health = await fetch(new URL("/health", url.trim()));
      expect(await health.json()).toMatchObject({ status: "ok", app: "demo-shop" });
      await server.stop();
      await vi.waitFor(() => expect(stderr).toContain("The example app is waiting for its server"), {
        timeout: 60_000,
      });
      await server.start();
      // It was empty when it came back.
      const moved = async () => expect(await server.exchange([["EXISTS", HEARTBEATS]])).toEqual([1]);
      await vi.waitFor(moved, { timeout: 60_000, interval: 500 });
      child.kill("SIGINT");
      expect((await exit)[0]).toBe(0);
      expect(stderr.match(/is waiting for its server/g)).toHaveLength(1);
    } finally {
      child.kill("SIGKILL");
      await server.close();
    }
  });

  test("exits with 4 when the server cannot be reached", async () => {
    const run = await monitor(["demo", "--url", "redis://127.0.0.1:1/0", "--no-serve"]);
    expect(run).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining("No Redis server answers") });
  });
});
