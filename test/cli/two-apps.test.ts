/** A store of two apps, of which only one has a runner. */
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { AppList } from "../../src/api/app.ts";
import type { FindAnswer } from "../../src/api/find.ts";
import type { VerdictList } from "../../src/api/verdicts.ts";
import { fixturePath } from "../support/fixtures.ts";
import { monitorAt, testMonitor } from "../support/monitor.ts";
import { monitor, ownCopy, sharedFolder } from "./monitor.ts";

const NOW = "2026-11-27T06:56:10Z";
/** An invocation of the app beta. */
const OF_BETA = "5455f928-082a-4bd2-b9e4-caf1f0787057";
const TASK_OF_BETA = "multi.work";
const folder = sharedFolder();
let path: string;
beforeAll(() => {
  path = join(folder, "two_apps.db");
  copyFileSync(fixturePath("cases/two_apps_023.db"), path);
});

const run = (...args: string[]) => monitor(["--db", path, "--now", NOW, ...args]);

test.each(["alpha", "beta"])("monitor apps marks the app with a runner as active while %s is shown", async (app) => {
  const { apps } = JSON.parse((await run("apps", "--app", app, "--json")).stdout) as AppList;
  expect(apps.map(({ app_id, shown, active }) => [app_id, shown, active])).toEqual([
    ["alpha", app === "alpha", false],
    ["beta", app === "beta", true],
  ]);
  const rows = (await run("apps", "--app", app)).stdout.split("\n").map((line) => line.trim().split(/\s{2,}/));
  expect(rows[0]?.slice(0, 3)).toEqual(["APP", "SHOWN", "ACTIVE"]);
  const doctor = JSON.parse((await run("doctor", "--app", app, "--json")).stdout);
  expect(doctor.apps).toEqual(apps);
});

test("a command without --app shows the app that serve shows, and says which others there are", async () => {
  const { code, stdout, stderr } = await run("status", "--json");
  expect([code, (JSON.parse(stdout) as { app_id: string }).app_id]).toEqual([0, "alpha"]);
  expect(stderr).toBe("app alpha (1 of 2, has 1 problem); --app beta for the other\n");
  expect((await run("status", "--app", "beta")).stderr).not.toContain("app alpha (");
});

test("monitor apps marks no app as active when the last heartbeat is old", async () => {
  const { stdout } = await monitor(["--db", path, "--now", "2026-11-27T07:56:10Z", "apps", "--json"]);
  expect((JSON.parse(stdout) as AppList).apps.map(({ active }) => active)).toEqual([false, false]);
});

test("monitor find does not find an id of another app, but names the app that has it", async () => {
  const found = JSON.parse((await run("find", OF_BETA, "--app", "alpha", "--json")).stdout) as FindAnswer;
  expect(found).toMatchObject({ matches: [], near: [{ kind: "invocation", id: OF_BETA, app_id: "beta" }] });
  expect(found.near[0]?.path).toBe(`/invocations/${OF_BETA}?app=beta`);
  for (const command of ["find", "show"]) {
    const { code, stdout, stderr } = await run(command, OF_BETA, "--app", "alpha");
    expect([code, stdout]).toEqual([3, expect.stringContaining("in the app beta")]);
    expect(stderr).toContain(`monitor invocation ${OF_BETA} --app beta\n`);
  }
  for (const command of ["why", "invocation", "rerun"]) {
    const { code, stderr } = await run(command, OF_BETA, "--app", "alpha");
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(
        /in the app "alpha"[\s\S]*another app of this store: beta\.\nmonitor invocation .* --app beta\n/,
      ),
    ]);
  }
});

test("a task, a name in a search and a log line of the other app are found there", async () => {
  const task = await run("task", TASK_OF_BETA, "--app", "alpha");
  expect([task.code, task.stderr]).toEqual([3, expect.stringContaining(`monitor task ${TASK_OF_BETA} --app beta\n`)]);
  const line = `2026-11-27 07:00:00 INFO [ThreadRunner(1234abcd)] invocation:${OF_BETA} started`;
  for (const [words, kind] of [
    [TASK_OF_BETA, "task"],
    [line, "invocation"],
  ]) {
    const found = JSON.parse((await run("find", String(words), "--app", "alpha", "--json")).stdout) as FindAnswer;
    expect(found.near.map((one) => [one.kind, one.app_id])).toContainEqual([kind, "beta"]);
    const there = found.near.filter(({ app_id }) => app_id === "beta");
    expect(there.every((one) => one.path.endsWith("?app=beta"))).toBe(true);
  }
});

test("a text in the arguments of an invocation of the other app is found there, and the answer says what was searched", async () => {
  const kitchen = ["--db", ownCopy("kitchen_sink.db", folder), "--app", "kitchen-sink.two/β"];
  const found = JSON.parse((await monitor([...kitchen, "find", "ORD-4-ppr", "--json"])).stdout) as FindAnswer;
  expect(found.matches).toEqual([]);
  expect(found.near.map(({ kind, id, app_id }) => [kind, id, app_id])).toEqual([
    ["query", "arg:ORD-4-ppr", "kitchen_sink"],
  ]);
  expect(found.tried).toContain("arguments of invocations in the app kitchen_sink");
  const { code, stderr } = await monitor([...kitchen, "find", "ORD-4-ppr"]);
  expect([code, stderr]).toEqual([3, expect.stringContaining("monitor invocations arg:ORD-4-ppr --app kitchen_sink")]);
});

test("addresses and follow-up commands in the output of a command name the app", async () => {
  const found = await run("find", OF_BETA, "--app", "beta");
  expect(found.stdout).toContain(`/invocations/${OF_BETA}?app=beta`);
  expect(found.stdout).toContain(`monitor invocation ${OF_BETA} --app beta`);
  const kitchen = ownCopy("kitchen_sink.db", folder);
  const status = await monitor(["--db", kitchen, "--app", "kitchen_sink", "status", "--json"]);
  const { verdicts } = JSON.parse(status.stdout) as VerdictList;
  const steps = verdicts.flatMap(({ next }) => next);
  expect(steps.length).toBeGreaterThan(0);
  for (const { path: address, command } of steps) {
    expect(new URL(address, "http://monitor.test").searchParams.get("app")).toBe("kitchen_sink");
    if (command?.startsWith("monitor ")) expect(command).toMatch(/ --app kitchen_sink$/);
  }
});

test("the page of an id of the other app names that app, and marks the app that it shows", async () => {
  const server = await testMonitor(monitorAt(path, "in process", { app: "alpha", now: Date.parse(NOW) / 1000 }));
  for (const address of [`/invocations/${OF_BETA}`, `/why?id=${OF_BETA}`, `/tasks/${TASK_OF_BETA}`]) {
    const missing = await server.get(address, { headers: { accept: "text/html" } });
    const text = await missing.text();
    expect([missing.status, text]).toEqual([404, expect.stringContaining("of this store: beta")]);
    const [, there = ""] = /<a href="([^"]*)">Open it in <bdi>beta</.exec(text) ?? [];
    expect((await server.get(there)).status).toBe(200);
  }
  expect(await (await server.get(`/events/${OF_BETA}/api`)).json()).toMatchObject({
    status: 404,
    elsewhere: [{ app_id: "beta", path: `/invocations/${OF_BETA}?app=beta` }],
  });
  const searched = await server.text(`/search?q=${OF_BETA}`);
  expect(searched).toContain("In other apps of this store");
  expect(searched).toContain(`href="/invocations/${OF_BETA}?app=beta"`);
  expect(await server.text("/?app=beta")).toMatch(/aria-current="true"><bdi>beta<\/bdi>/);
});

test("monitor logs names the other app that has ids which are missing in this one", async () => {
  const file = join(folder, "beta.log");
  const logged = (id: string) => `2026-11-27 07:00:00+00:00 INFO invocation:${id} done\n`;
  writeFileSync(file, `${logged(OF_BETA)}${logged("00000000-0000-4000-8000-000000000000")}${logged(OF_BETA)}`);
  const { code, stderr } = await run("logs", file, "--app", "alpha");
  expect([code, stderr]).toEqual([0, "1 of the ids that are not in this app is in the app beta: --app beta\n"]);
  expect((await run("logs", file, "--app", "beta")).stderr).toBe("");
});

test("a shortened id of the other app is found there too", async () => {
  const found = JSON.parse((await run("find", OF_BETA.slice(0, 8), "--app", "alpha", "--json")).stdout) as FindAnswer;
  expect(found.near.map(({ id, app_id }) => [id, app_id])).toContainEqual([OF_BETA, "beta"]);
  const why = await run("why", OF_BETA.slice(0, 8), "--app", "alpha");
  expect([why.code, why.stderr]).toEqual([3, expect.stringContaining(`monitor invocation ${OF_BETA} --app beta\n`)]);
  const word = await run("why", "nobody", "--app", "alpha");
  expect([word.code, word.stderr.includes("beta")]).toEqual([3, false]);
});
