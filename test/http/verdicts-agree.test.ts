/** What is said of the app about a thing is said wherever that thing is: on its page, by /why, in lists of verdicts, in metrics; at each look. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { TaskList } from "../../src/api/tasks.ts";
import type { VerdictList } from "../../src/api/verdicts.ts";
import type { WhyAnswer } from "../../src/api/why.ts";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { copyFixture, presentOf, temporaryFolder } from "../support/fixtures.ts";
import { figuresRead, type Monitor, monitorAt, monitorOf } from "../support/monitor.ts";

const codesOf = ({ verdict, others }: WhyAnswer) => [verdict, ...others].flatMap((one) => one?.code ?? []);

describe("an app with slow runs and failures", () => {
  const folder = temporaryFolder();
  const NAP = "9da399b7-8e29-40f9-bb3d-2d12f8b16781";
  let monitor: Monitor;
  beforeAll(async () => {
    const path = copyFixture("cases/slow_023.db", folder.path);
    const now = Date.parse("2026-11-27T07:06:30Z") / 1_000;
    monitor = await figuresRead(await monitorAt(path, "in process", { now }, folder.remove));
  });
  afterAll(() => monitor.close());

  it.each([
    [NAP, `/invocations/${NAP}`, ["slow_run"]],
    ["shop.nap", "/tasks/shop.nap", ["slow_run", "task_slower"]],
    ["shop.charge", "/tasks/shop.charge", ["failure_rate_up"]],
    ["shop.flaky", "/tasks/shop.flaky", ["retries_exhausted"]],
    ["shop.every_minute", "/tasks/shop.every_minute", []],
  ])("has the verdicts about %s on its page and in /why as in the list", async (id, path, codes) => {
    const { verdicts } = await monitor.json<VerdictList>("/verdicts");
    const answer = await monitor.json<WhyAnswer>(`/why?id=${id}`);
    // What else there is to say about a task or an invocation is no verdict on the app.
    const also = ["in_progress", "task_failed", "task_ended_well"];
    expect(codesOf(answer).filter((code) => !also.includes(code))).toEqual(codes);
    const page = await monitor.text(path);
    for (const { code, sentence } of verdicts)
      expect([code, page.includes(sentence)]).toEqual([code, codes.includes(code)]);
  });

  it("shows on a failed invocation the verdict that names it", async () => {
    const { verdicts } = await monitor.json<VerdictList>("/verdicts");
    const { sentence, evidence } = verdicts.find(({ code }) => code === "failure_rate_up") ?? {
      sentence: "",
      evidence: [],
    };
    const failed = evidence.find(({ kind }) => kind === "invocation")?.id ?? "";
    expect(await monitor.text(`/invocations/${failed}`)).toContain(sentence);
    expect(codesOf(await monitor.json<WhyAnswer>(`/why?id=${failed}`))).toEqual(["failed", "failure_rate_up"]);
  });

  it("has all verdicts in its metrics and on its dashboard, which also lists what was not checked", async () => {
    const { verdicts, not_looked_at } = await monitor.json<VerdictList>("/verdicts");
    const [metrics, page] = [await monitor.text("/metrics"), await monitor.text("/")];
    for (const { code, sentence } of verdicts) {
      expect(metrics).toMatch(new RegExp(`^pynenc_verdicts\\{.*"${code}".*\\} [1-9]`, "m"));
      expect(page).toContain(sentence);
    }
    expect(not_looked_at).toContain("comparison with the day before: nothing recorded");
    for (const words of not_looked_at) expect(page).toContain(words);
  });
});

describe("statistics that are not read in time", () => {
  it("are listed as not checked on the dashboard, on the page of a task, and by /why", async () => {
    const monitor = await monitorOf("kitchen_sink.db", "in process", { alone: "kitchen_sink" });
    onTestFinished(() => monitor.close());
    const never = new Proxy({}, { get: () => () => new Promise(() => undefined) });
    Object.assign(await monitor.workspace.openFirst(), { rollups: never });
    const { tasks } = await monitor.json<TaskList>("/tasks/");
    const task = tasks.find(({ invocations_count }) => (invocations_count ?? 0) > 0)?.task_id_key ?? "";
    const words = "failures, retries, long runs and the queue in the last hour: the history is still being read";
    for (const path of ["/", `/tasks/${task}`]) expect(await monitor.text(path)).toContain(words);
    expect((await monitor.json<WhyAnswer>(`/why?id=${task}`)).not_looked_at.join()).toContain(words);
  });
});

describe("time that passes without a write", () => {
  it("makes a runner silent on the next request of every page", async () => {
    const began = presentOf("kitchen_sink.db") * 1_000;
    vi.useFakeTimers({ toFake: ["Date"], now: began });
    onTestFinished(() => void vi.useRealTimers());
    const folder = temporaryFolder();
    const path = copyFixture("kitchen_sink.db", folder.path);
    const invocation = running(path, began / 1_000);
    const monitor = await monitorAt(path, "in process", { alone: "kitchen_sink" }, folder.remove);
    onTestFinished(() => monitor.close());
    const refreshed = ["/", `/invocations/${invocation}`, "/runners/", "/runners/living-runner"];
    const etags = new Map<string, string>();
    const refresh = async (place: string) => {
      const headers = { "hx-request": "true", "if-none-match": etags.get(place) ?? "" };
      const response = await monitor.get(place, { headers });
      etags.set(place, response.headers.get("etag") ?? "");
      return { status: response.status, text: await response.text() };
    };
    const said = async () => (await monitor.json<VerdictList>("/verdicts")).verdicts.map(({ code }) => code);
    expect(await said()).not.toContain("running_on_dead_runner");
    for (const place of refreshed) expect((await refresh(place)).text).not.toContain("silent runner");
    vi.setSystemTime(began + 3_600_000);
    expect(await said()).toContain("running_on_dead_runner");
    for (const place of refreshed) {
      const { status, text } = await refresh(place);
      expect([place, status]).toEqual([place, 200]);
      expect([place, text]).toEqual([place, expect.stringContaining("silent runner")]);
    }
  });
});

/** Lets a runner that is alive have a running invocation. @returns its id */
function running(path: string, now: number): string {
  const tables = `${tablePrefix("kitchen_sink")}__orchestrator_`;
  const db = openDatabase(path, { mode: "write" });
  try {
    const [row] = db.prepare(`SELECT invocation_id AS id FROM ${tables}invocations WHERE status = 'success'`).all();
    const id = String(row?.id);
    db.prepare(
      `UPDATE ${tables}invocations SET status = 'running', status_runner_id = 'living-runner', status_timestamp = ? WHERE invocation_id = ?`,
    ).run(now - 5, id);
    db.prepare(`INSERT INTO ${tables}runner_heartbeats VALUES ('living-runner', ?, 0, ?)`).run(now - 60, now - 1);
    return id;
  } finally {
    db.close();
  }
}
