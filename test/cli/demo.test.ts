import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { BIN, cleanEnvironment, monitor, ownCopy, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();

test("writes a file for the other commands", async () => {
  const path = join(folder, "demo.db");
  const first = await monitor(["demo", "--db", path, "--no-serve"]);
  expect(first).toMatchObject({ code: 0, stdout: `${path}\n` });
  const { code, stdout } = await monitor(["status", "--app", "demo-shop", "--db", path, "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout).invocations).toBeGreaterThan(100);
  // Its own file is written anew.
  const bulk = await monitor(["demo", "--db", path, "--no-serve", "--json", "--size", "200"]);
  expect(JSON.parse(bulk.stdout)).toEqual({ path, app_id: "demo-shop" });
  expect(JSON.parse((await monitor(["status", "--db", path, "--app", "demo-shop", "--json"])).stdout).invocations).toBe(
    200,
  );
});

test("leaves everything else alone (5)", async () => {
  const text = join(folder, "notes.txt");
  writeFileSync(text, "mine");
  for (const path of [text, ownCopy("kitchen_sink.db", folder)]) {
    const run = await monitor(["demo", "--db", path, "--no-serve"]);
    expect(run).toMatchObject({ code: 5, stdout: "", stderr: expect.stringContaining("it was left as it is") });
  }
});

test.each([
  [["--size", "0"], "--size"],
  [["--seed", "x"], "--seed"],
  [["--live", "--now", "2026-01-01"], "--now"],
  [["--db", "/no/such/folder/demo.db"], "--db"],
])("%j is a usage error", async (args, flag) => {
  const run = await monitor(["demo", "--no-serve", ...args]);
  expect(run).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(`^${flag}: `) });
});

test("serves it, whatever is configured here, and leaves nothing behind", async () => {
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
    const path = /The demo app is in (\S+) and will be removed/.exec(stderr)?.[1] ?? "";
    expect(existsSync(path)).toBe(true);
    child.kill("SIGINT");
    expect((await exit)[0]).toBe(0);
    expect(existsSync(dirname(path))).toBe(false);
  } finally {
    child.kill("SIGKILL");
  }
});
