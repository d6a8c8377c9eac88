/** `monitor serve` as it is run: address, ports, signals, trouble at start. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import { VerdictAlarm } from "../../src/api/verdicts.ts";
import { MASK } from "../../src/config/secret-names.ts";
import { write } from "../browser/store.ts";
import { differences } from "../support/answers.ts";
import { watchForDefects } from "../support/defects.ts";
import { temporaryFolder } from "../support/fixtures.ts";
import { freePort } from "../support/free-port.ts";
import { BIN, cleanEnvironment, monitor, ownCopy, runProgram, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
});

interface Serving {
  url: string;
  child: ChildProcess;
  /** Exit code and signal. */
  exit: Promise<[number | null, string | null]>;
  stderr(): string;
}

async function serve(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Serving> {
  const child = spawn(process.execPath, [BIN, "serve", ...args], { cwd: folder, env: cleanEnvironment(env) });
  running.push(child);
  watchForDefects(child.stderr);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const exit = once(child, "exit") as Promise<[number | null, string | null]>;
  const [url] = (await Promise.race([
    once(child.stdout.setEncoding("utf8"), "data"),
    exit.then(() => Promise.reject(new Error(stderr))),
  ])) as [string];
  return { url: url.trim(), child, exit, stderr: () => stderr };
}

function database(): string[] {
  return ["--db", ownCopy("kitchen_sink.db", folder), "--app", "kitchen_sink"];
}

describe("monitor serve", () => {
  test("prints its address as one JSON document with --json", async () => {
    const [, path = ""] = database();
    const { url: printed } = await serve([
      "--db",
      path,
      "--app",
      "kitchen_sink",
      "--port",
      "auto",
      "--read-only",
      "--json",
    ]);
    const document = JSON.parse(printed) as { url: string };
    expect(document).toEqual({
      schema_version: 2,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
      login_url: null,
      app_id: "kitchen_sink",
      location: path,
      read_only: true,
    });
    expect((await fetch(new URL("/health", document.url))).status).toBe(200);
  });

  test("prints its address first, then the app, reads in threads, and exits with 0 on SIGTERM", async () => {
    const { url, child, exit, stderr } = await serve([...database(), "--port", "auto"]);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    const list = await fetch(new URL("/invocations/?status=failed", url), { headers: { accept: "application/json" } });
    expect(await list.json()).toMatchObject({ page: { total: 10 } });
    expect(stderr()).toContain("Showing kitchen_sink from");
    child.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
  });

  test("exits with 0 also on a SIGTERM that comes as soon as the address is printed", async () => {
    const { child, exit } = await serve([...database(), "--port", "auto"]);
    child.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
  });

  test("counts statistics in a thread, unless that is switched off", async () => {
    const json = { headers: { accept: "application/json" } };
    const on = await serve([...database(), "--port", "auto"]);
    const stats = async () => (await fetch(new URL("/stats/?from=2026-11-20&to=2026-11-22", on.url), json)).json();
    await vi.waitFor(async () => expect(await stats()).toMatchObject({ complete: true }), { timeout: 60_000 });
    expect(await stats()).toMatchObject({ total: { finished: 197, failed: 10, retries: 4 }, rows_total: 37 });
    const off = await serve([...database(), "--port", "auto", "--no-stats"]);
    expect((await fetch(new URL("/stats/", off.url), json)).status).toBe(403);
    expect(await (await fetch(off.url, json)).json()).toMatchObject({ recent: null, recent_note: null });
  });

  test("keeps what it has counted for the next start in the user's cache folder, unless that is switched off", async () => {
    const own = temporaryFolder();
    const place = [...database(), "--port", "auto"];
    const files = () => readdirSync(own.path, { recursive: true }).map(String).sort();
    const run = async (...flags: string[]) => {
      const { url, child, exit } = await serve([...place, ...flags], { XDG_CACHE_HOME: own.path });
      const address = new URL("/stats/?from=2026-11-20&to=2026-11-22", url);
      const stats = async () => (await fetch(address, { headers: { accept: "application/json" } })).json();
      await vi.waitFor(async () => expect(await stats()).toMatchObject({ complete: true }), { timeout: 60_000 });
      expect(await stats()).toMatchObject({ total: { finished: 197, failed: 10, retries: 4 }, rows_total: 37 });
      child.kill("SIGTERM");
      expect(await exit).toEqual([0, null]);
    };
    try {
      await run("--no-cache");
      expect(files()).toEqual([]);
      await run();
      const kept = files();
      expect(kept).toEqual(["pynenc-monitor", expect.stringMatching(/^pynenc-monitor[\\/]figures-[0-9a-f]{32}\.bin$/)]);
      const path = join(own.path, kept[1] ?? "");
      // This start may write the file again, depending on how long ago the database was copied (settled-state.ts): only its name stays the same.
      await run();
      expect(files()).toEqual(kept);
      writeFileSync(path, "damaged");
      await run();
      expect(statSync(path).size).toBeGreaterThan(1_000);
    } finally {
      own.remove();
    }
  });

  test("finishes a running request after SIGTERM", async () => {
    const { url, child, exit } = await serve([...database(), "--port", "auto"]);
    const answers = Array.from({ length: 10 }, () =>
      fetch(new URL("/invocations/?limit=1000", url)).then((r) => r.text()),
    );
    await answers[0];
    child.kill("SIGTERM");
    for (const answer of await Promise.allSettled(answers)) {
      if (answer.status === "fulfilled") expect(answer.value).toContain("</html>");
    }
    expect((await answers[0])?.length).toBeGreaterThan(10_000);
    expect(await exit).toEqual([0, null]);
  });

  test("exits with 2 for a taken port and says how to get another; auto takes the next", async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
    const { port } = blocker.address() as { port: number };
    try {
      const run = await monitor(["serve", ...database(), "--port", String(port)]);
      expect(run).toMatchObject({ code: 2, stdout: "" });
      expect(run.stderr).toContain(`another program is already listening on 127.0.0.1:${port}`);
      expect(run.stderr).toContain("--port auto");
      const [first, second] = [
        await serve([...database(), "--port", "auto"]),
        await serve([...database(), "--port", "auto"]),
      ];
      expect(first.url).not.toBe(second.url);
    } finally {
      blocker.close();
    }
  });

  test("exits with 2 when another program takes the free port first, and auto takes the next", async () => {
    const port = await freePort();
    const takes = join(folder, "takes-port.mjs");
    // The server's own socket is the only one that an HTTP server opens; both looks for a free port come before it.
    writeFileSync(
      takes,
      `import http from "node:http"; import net from "node:net";
       const listen = http.Server.prototype.listen; let taken = false;
       http.Server.prototype.listen = function (...args) {
         if (taken) return listen.apply(this, args);
         taken = true;
         net.createServer().listen(args[0], "127.0.0.1", () => listen.apply(this, args)).unref();
         return this;
       };`,
    );
    const env = { NODE_OPTIONS: `--import=${pathToFileURL(takes)}` };
    const run = await runProgram(process.execPath, [BIN, "serve", ...database(), "--port", String(port)], { env });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain(`another program is already listening on 127.0.0.1:${port}`);
    expect(run.stderr).not.toContain("    at ");
    const next = await serve([...database(), "--port", "auto"], env);
    expect((await fetch(new URL("/health", next.url))).status).toBe(200);
  });

  test("refuses changes with --read-only, and unknown host names without --allowed-host", async () => {
    const { url } = await serve([...database(), "--port", "auto", "--read-only", "--allowed-host", "monitor.internal"]);
    const origin = new URL(url).origin;
    const refused = await fetch(new URL("/", url), { method: "POST", headers: { origin } });
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("--read-only")]);
    const named = (host: string) => statusFor(url, host);
    expect([await named("monitor.internal"), await named("evil.example")]).toEqual([200, 403]);
  });

  test("prints an address below the base path, and exits with 2 for a path that is not allowed", async () => {
    const { url } = await serve([...database(), "--port", "auto"], { PYNENC_MONITOR_BASE_PATH: "/mon/" });
    expect(new URL(url).pathname).toBe("/mon/");
    expect(await (await fetch(url, { headers: { accept: "text/html" } })).text()).toContain('href="/mon/tasks/');
    for (const path of ["mon", "/tasks"]) {
      const run = await monitor(["serve", ...database(), "--port", "auto", "--base-path", path]);
      expect([run.code, run.stdout, run.stderr]).toEqual([2, "", expect.stringContaining("--base-path")]);
    }
  });

  test("exits with 2 for an address that other machines can reach, before it looks for a store", async () => {
    const missing = ["--db", join(folder, "nowhere.db"), "--port", "auto"];
    const run = await monitor(["serve", "--host", "0.0.0.0", ...missing]);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain("--host");
    expect(run.stderr).toContain("anyone who can reach this port can read all data, because there is no token");
    expect(run.stderr).toContain("--token auto");
    expect(run.stderr).toContain("ssh -L");
    // What does not serve is not concerned.
    const status = await monitor(["status", ...database()], { env: { PYNENC_MONITOR_HOST: "0.0.0.0" } });
    expect(status).toMatchObject({ code: 0 });
  });

  test("with --no-token listens there with a warning, and on this machine without one", async () => {
    const open = await serve([...database(), "--port", "auto", "--host", "0.0.0.0", "--no-token"]);
    const address = `http://127.0.0.1:${new URL(open.url).port}/health`;
    expect((await fetch(address)).status).toBe(200);
    await vi.waitFor(
      () => expect(open.stderr()).toContain("without a token: anyone who can reach this port can read all data.\n"),
      { timeout: 60_000 },
    );
    const local = await serve([...database(), "--port", "auto", "--no-token"]);
    await vi.waitFor(() => expect(local.stderr()).toContain("Showing kitchen_sink"), { timeout: 60_000 });
    expect(local.stderr()).not.toContain("token");
  });

  test("with --token auto makes a token, and prints an address that signs in once", async () => {
    const { url, stderr, child } = await serve([
      ...database(),
      "--port",
      "auto",
      "--host",
      "0.0.0.0",
      "--token",
      "auto",
    ]);
    const origin = `http://127.0.0.1:${new URL(url).port}`;
    expect((await fetch(`${origin}/`)).status).toBe(401);
    expect((await fetch(`${origin}/health`)).status).toBe(401);
    const { pathname, search } = new URL(url);
    const login = await fetch(`${origin}${pathname}${search}`, { redirect: "manual" });
    expect([pathname, login.status]).toEqual(["/login", 303]);
    const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect((await fetch(`${origin}/`, { headers: { cookie } })).status).toBe(200);
    expect((await fetch(`${origin}${pathname}${search}`, { redirect: "manual" })).status).toBe(401);
    const purge = await fetch(`${origin}/purge`, { method: "POST", headers: { cookie, origin } });
    expect([purge.status, await purge.text()]).toEqual([403, expect.stringContaining("--allow-actions")]);
    await vi.waitFor(() => expect(stderr()).toContain("signs in one browser, once"), { timeout: 60_000 });
    expect(stderr()).toContain("read-only");
    expect(readFileSync(`/proc/${child.pid}/cmdline`, "utf8")).not.toContain(search.slice(6));
  });

  test("takes a token from the environment or a file, never prints it, and refuses one on the command line", async () => {
    const token = "a-token-of-this-test";
    const file = join(folder, "token");
    writeFileSync(file, token);
    const args = [...database(), "--port", "auto", "--log-level", "debug"];
    const byVariable = await serve(args, { PYNENC_MONITOR_TOKEN: token });
    const byFile = await serve([...args, "--token-file", file, "--public-metrics"]);
    for (const { url, stderr } of [byVariable, byFile]) {
      const origin = new URL(url).origin;
      const headers = { authorization: `Bearer ${token}` };
      expect((await fetch(`${origin}/`, { headers })).status).toBe(200);
      expect((await fetch(`${origin}/tasks/`, { headers: { authorization: "Bearer another" } })).status).toBe(401);
      await vi.waitFor(() => expect(stderr()).toContain("GET /tasks/ 401"), { timeout: 60_000 });
      expect(stderr()).not.toContain(token);
    }
    const health = await fetch(`${new URL(byFile.url).origin}/health`);
    expect(health.status).toBe(200);
    const run = await monitor(["serve", ...args, "--token", token]);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain("PYNENC_MONITOR_TOKEN");
    expect(run.stderr).not.toContain(token);
  });

  test("masks secrets in its log lines", async () => {
    const { url, stderr } = await serve([...database(), "--port", "auto", "--log-level", "debug"]);
    const secret = "ghp_aZq4XkP9wTbY2mVhR6nJsLdG8cF31b2c";
    for (const path of [`tasks/${secret}`, "tasks/password%3Dhunter2"]) await fetch(`${url}${path}`);
    await vi.waitFor(() => expect(stderr()).toContain("GET /tasks/password=•••••• 404"), { timeout: 60_000 });
    expect(stderr()).toContain("GET /tasks/•••••• 404");
    expect(stderr()).not.toContain("hunter2");
    expect(stderr()).not.toContain(secret);
  });

  test("runs the command of --on-verdict for a new verdict, with JSON on its standard input, and not again after a restart", async () => {
    const [, copied = ""] = database();
    // What the command is told leaves this machine, as a rule.
    const secret = "ghp_aZq4XkP9wTbY2mVhR6nJsLdG8cF31b2c";
    const path = join(folder, `${secret}.db`);
    renameSync(copied, path);
    const told = join(folder, "told.json");
    const script = join(folder, "tell.cjs");
    writeFileSync(script, `require("node:fs").appendFileSync(process.argv[2], require("node:fs").readFileSync(0))`);
    const command = `"${process.execPath}" '${script}' ${told}`;
    const state = ["--state-dir", join(folder, "alarms")];
    // An earlier run knew of nothing.
    mkdirSync(join(folder, "alarms"));
    const apps = [{ app_id: "kitchen_sink", location: path, known: [] }];
    writeFileSync(join(folder, "alarms", "alarms.json"), JSON.stringify({ apps }));
    write(path, "UPDATE $orchestrator_runner_heartbeats SET last_heartbeat = last_heartbeat - 100000");
    const args = ["--db", path, "--app", "kitchen_sink", "--port", "auto", "--on-verdict", command, ...state];
    const { url, stderr, child, exit } = await serve([...args, "--now", "2026-11-21T00:35:02"]);
    const documents = () =>
      readFileSync(told, "utf8")
        .split(/\n(?=\{)/)
        .map((line) => JSON.parse(line));
    const record = () => JSON.parse(readFileSync(join(folder, "alarms", "alarms.json"), "utf8")).apps[0].known;
    const all = (count: number) =>
      vi.waitFor(() => expect(documents()).toHaveLength(count), { timeout: 60_000, interval: 500 });
    await vi.waitFor(() => expect(record().length).toBeGreaterThan(1), { timeout: 60_000, interval: 500 });
    await all(record().length);
    const [{ schema_version, ...alarm }] = documents();
    expect(differences(VerdictAlarm, alarm)).toEqual([]);
    const location = path.replace(secret, MASK);
    expect(alarm).toMatchObject({ app_id: "kitchen_sink", location, url, change: "appeared" });
    expect(stderr()).toMatch(/verdict appeared (error|warning) \w+/);
    child.kill("SIGTERM");
    await exit;
    // As if one of them had not been there.
    const [forgotten, ...known] = record();
    writeFileSync(join(folder, "alarms", "alarms.json"), JSON.stringify({ apps: [{ ...apps[0], known }] }));
    await serve([...args, "--now", "2026-11-21T00:35:02"]);
    await all(known.length + 2);
    expect(documents().at(-1).verdict.code).toBe(forgotten.verdict.code);
  });

  test.each([
    ["a file that is not there", () => ["--db", join(folder, "nowhere.db")], "nowhere.db"],
    ["a folder", () => ["--db", folder], folder],
  ])("exits with 4 for %s, before it listens", async (_, args, named) => {
    const run = await monitor(["serve", ...args(), "--port", "auto"]);
    expect(run).toMatchObject({ code: 4, stdout: "" });
    expect(run.stderr).toContain(named);
    expect(run.stderr).not.toContain("    at ");
  });
});

/** fetch does not let a client choose its Host; a plain socket does. */
async function statusFor(url: string, host: string): Promise<number> {
  const { request } = await import("node:http");
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path: "/health", headers: { host: `${host}:${port}` } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on("error", reject).end();
  });
}
