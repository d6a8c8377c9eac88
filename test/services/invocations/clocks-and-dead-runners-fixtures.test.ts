/** Stores with a host whose clock is behind, and with runners that died: what is said of invocations wherever they are shown. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolveConfiguration } from "../../../src/config/options.ts";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import { Workspace } from "../../../src/services/app/workspace.ts";
import { type ExportReport, exportFile } from "../../../src/services/exports/export.ts";
import { invocationDetail, invocationHistory } from "../../../src/services/invocations/invocation-detail.ts";
import { listInvocations, readInvocationInput } from "../../../src/services/invocations/invocations.ts";
import { NO_FILTER } from "../../../src/services/model/invocation-filter.ts";
import { readTimelineInput, timeline } from "../../../src/services/timeline/timeline.ts";
import { why } from "../../../src/services/why/why.ts";
import { fixturePath, temporaryFolder } from "../../support/fixtures.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

const NOW = "2026-11-22T01:08:54Z";

const folder = temporaryFolder();
afterAll(() => folder.remove());

async function opened(name: string): Promise<{ workspace: Workspace; app: OpenedApp }> {
  const path = join(folder.path, name);
  copyFileSync(fixturePath(`cases/${name}`), path);
  const given = { env: {}, cwd: folder.path };
  const configuration = resolveConfiguration({ flags: { db: path, now: NOW }, ...given });
  const workspace = await Workspace.connect({ configuration, ...given, threads: 0, clock: () => 0 });
  return { workspace, app: await workspace.openOnly() };
}

const id = (short: string) => `${short}-0000-4000-8000-000000000000`;

/** The short ids of what a search finds. */
async function found(app: OpenedApp, q: string): Promise<string[]> {
  const { invocations: rows } = await listInvocations(app, await readInvocationInput(app, { q: [q], limit: ["200"] }));
  return rows.map((row) => row.invocation_id.slice(0, 8)).sort();
}

describe("invocations that ran on a host whose clock is 90 s behind", () => {
  let store: Awaited<ReturnType<typeof opened>>;
  beforeAll(async () => {
    store = await opened("skewed_host.db");
  });
  afterAll(() => store.workspace.close());

  it("have their entries in the right order, and the durations that one clock measured", async () => {
    const detail = await invocationDetail(store.app, id("dddd0000"));
    expect(detail.history.map(({ status }) => status)).toEqual(["registered", "pending", "running", "success"]);
    expect(detail.history.every(({ possible }) => possible)).toBe(true);
    expect(detail.history.map((entry) => entry.across_clocks ?? false)).toEqual([false, true, false, false]);
    expect(detail.phases).toEqual([
      { phase: "queued", duration_seconds: 0, stretches: 1, ongoing: false, across_clocks: true },
      { phase: "pending", duration_seconds: 0.1, stretches: 1, ongoing: false },
      { phase: "running", duration_seconds: 1, stretches: 1, ongoing: false },
    ]);
    expect(detail.registered_at).toBe("2026-11-22T01:07:54.000000+00:00");
    expect([detail.duration_seconds, detail.duration_meaning]).toEqual([1.1, "took_at_least"]);
    expect(detail.notes).toEqual([
      expect.stringMatching(/^The clocks of shop-host and slow-box disagree by at least 1 min 30 s\b/),
    ]);
  });

  it("are listed with their registration and a minimum duration", async () => {
    const input = await readInvocationInput(store.app, { q: [`id:${id("dddd0000")}`] });
    const { invocations: rows } = await listInvocations(store.app, input);
    expect(rows[0]).toMatchObject({
      registered_at: "2026-11-22T01:07:54.000000+00:00",
      duration_seconds: 1.1,
      duration_at_least: true,
    });
  });

  it("are described in why with a minimum duration", async () => {
    const { verdict } = await why(store.app, { id: [id("dddd0000")] });
    expect(verdict?.sentence).toBe("It succeeded at least 1.1 s after its registration.");
  });

  it("are not found by waits and runs that two clocks measured", async () => {
    const short = (ids: string[]) => ids.filter((one) => one.startsWith("dddd"));
    expect(short(await found(store.app, "wait>1m"))).toEqual([]);
    expect(short(await found(store.app, "run>5s"))).toEqual([]);
    expect(short(await found(store.app, "run>0.9s"))).toHaveLength(6);
  });

  it("are all exported as spans, from the registration on", async () => {
    const report: ExportReport = { invocations: 0, notes: [] };
    let text = "";
    for await (const piece of exportFile(
      store.app,
      NO_FILTER,
      "otlp",
      { limit: null, noValues: true, version: "1" },
      report,
    ))
      text += piece;
    expect(report.notes).toEqual([expect.stringContaining("invocations left out")]);
    expect(text.split('"pynenc.clocks_disagree"').length - 1).toBe(6);
  });
});

describe("invocations whose runner died", () => {
  let store: Awaited<ReturnType<typeof opened>>;
  beforeAll(async () => {
    store = await opened("dead_runner_retry.db");
  });
  afterAll(() => store.workspace.close());

  const LAST_HEARTBEAT = "2026-11-21T22:06:50.000000+00:00";

  it("are shown on a runner that counts as silent, running only until its last heartbeat", async () => {
    const detail = await invocationDetail(store.app, id("abcd0003"));
    expect(detail.answer?.sentence).toBe("It is running, but its runner is silent: the last heartbeat was 3 h ago.");
    expect(detail.phases?.slice(2)).toEqual([
      { phase: "running", duration_seconds: 8, stretches: 1, ongoing: false },
      { phase: "dead_runner", duration_seconds: 10_924, stretches: 1, ongoing: true },
    ]);
    expect(detail.critical_path?.segments.at(-1)).toMatchObject({ phase: "dead_runner", from: LAST_HEARTBEAT });
    expect(detail.history.map(({ dead_from }) => dead_from)).toEqual([undefined, undefined, LAST_HEARTBEAT]);
    expect(await found(store.app, "run>1h")).toEqual([]);
    const { verdict } = await why(store.app, { id: [id("abcd0003")] });
    expect(verdict?.code).toBe("running_on_dead_runner");
  });

  it("have an unknown phase at the end if no heartbeat of the runner is stored", async () => {
    const detail = await invocationDetail(store.app, id("abcd0002"));
    expect(detail.answer?.sentence).toContain("no heartbeat of it is stored");
    expect(detail.phases?.at(-1)).toMatchObject({ phase: "not_known", ongoing: true });
  });

  it("are drawn with the death of the runner, which is busy only until then", async () => {
    const raw = { from: ["2026-11-21T22:06:30"], to: ["2026-11-21T22:16:30"] };
    const { invocations, runners } = await timeline(store.app, await readTimelineInput(store.app, raw));
    const running = invocations.find((one) => one.invocation_id === id("abcd0003"))?.entries.at(-1);
    expect(running).toMatchObject({ status: "running", dead_from: LAST_HEARTBEAT });
    expect(runners.find(({ runner_id }) => runner_id.endsWith("0001"))?.busy_seconds).toBe(8);
  });
});

describe("invocations that ran on a host whose heartbeats are in the future", () => {
  const app = (last: number) =>
    memoryApp({ now: at(600) })
      .runner("fast", { created: at(0), last: at(last) })
      .context("fast", { hostname: "fast-box" })
      .context("client", { hostname: "right-box" })
      .invocation("a", {
        history: [
          [at(500), "registered", "client"],
          [at(620), "pending", "fast"],
          [at(621), "running", "fast"],
          [at(622), "success", "fast"],
        ],
      }).opened;

  it("are found by their waits only if no clock is known to be ahead", async () => {
    expect(await found(app(720), "wait>1m")).toEqual([]);
    expect(await found(app(720), "run>0.5s")).toEqual(["a"]);
    expect(await found(app(610), "wait>1m")).toEqual(["a"]);
  });

  it("have waits marked as across clocks in phases and history, with a note", async () => {
    const detail = await invocationDetail(app(720), "a");
    expect(detail.phases?.map(({ phase, across_clocks = false }) => [phase, across_clocks])).toEqual([
      ["queued", true],
      ["pending", false],
      ["running", false],
    ]);
    expect(detail.history.map((entry) => entry.across_clocks ?? false)).toEqual([false, true, false, false]);
    expect(await invocationHistory(app(720), "a")).toEqual(detail.history);
    expect(detail.notes).toEqual([expect.stringMatching(/^The clocks of right-box and fast-box disagree\. /)]);
    const before = await invocationDetail(app(610), "a");
    expect(before.notes).toEqual([]);
    expect(before.history.map((entry) => entry.across_clocks ?? false)).toEqual([false, false, false, false]);
  });
});
