/** Durations and times of invocations are the same everywhere: for all recorded ones, and for malformed entries. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tablePrefix } from "../../../src/pynenc/identifiers.ts";
import { epochFromIso, isoFromEpoch } from "../../../src/pynenc/time.ts";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import { familyPicture, parseFamilyInput } from "../../../src/services/causes/family-picture.ts";
import { exportText } from "../../../src/services/invocations/exports.ts";
import { invocationDetail, invocationHistory } from "../../../src/services/invocations/invocation-detail.ts";
import { NO_FILTER } from "../../../src/services/model/invocation-filter.ts";
import { invocationRows } from "../../../src/services/model/invocation-rows.ts";
import { readTimelineInput, timeline } from "../../../src/services/timeline/timeline.ts";
import { openDatabase } from "../../../src/stores/sqlite/file/driver.ts";
import { type FixtureApp, openFixture } from "../../pynenc/fixture-rows.ts";
import { copyFixture, FACTS, FIXTURE_NAMES, factsOf, presentOf, temporaryFolder } from "../../support/fixtures.ts";
import { type Monitor, monitorAt, monitorOf } from "../../support/monitor.ts";

interface Statuses {
  status: string;
  micros: number;
}

/** Statuses with their times as they are stored, whole microseconds. */
function storedLives({ history }: FixtureApp): Map<string, Statuses[]> {
  const lives = new Map<string, Statuses[]>();
  for (const { invocation_id, history_json } of history) {
    const { status, timestamp } = JSON.parse(history_json).status_record;
    lives.set(invocation_id, [...(lives.get(invocation_id) ?? []), { status, micros: micros(timestamp) }]);
  }
  return lives;
}

const micros = (iso: string | null | undefined) => Math.round((epochFromIso(iso ?? "") ?? Number.NaN) * 1e6);
const toMicros = (seconds: number | null | undefined) => (seconds == null ? null : Math.round(seconds * 1e6));
const HELD = ["running", "resumed", "paused"];
const HELD_PHASES = ["running", "paused", "dead_runner", "not_known"];
const OWNED = ["pending", "running", "resumed", "paused"];
const FINAL = ["success", "failed", "concurrency_controlled_final"];

describe.each(FIXTURE_NAMES)("%s", (fixture) => {
  const apps = openFixture(fixture);

  describe.each(Object.keys(FACTS[fixture]))("%s", (appId) => {
    const lives = storedLives(apps.find((one) => one.app_id === appId) as FixtureApp);
    const ids = [...lives.keys()];
    /** From registration to the final status; null for what goes on. */
    const durations = new Map(
      ids.map((id) => {
        const life = lives.get(id) ?? [];
        const end = life.at(-1) as Statuses;
        return [id, FINAL.includes(end.status) ? end.micros - (life[0]?.micros ?? 0) : null];
      }),
    );
    let monitor: Monitor;
    let app: OpenedApp;
    beforeAll(async () => {
      monitor = await monitorOf(fixture, "in process", { app: appId });
      app = await monitor.workspace.open();
    });
    afterAll(() => monitor.close());

    it("all invocations have the same durations in lists and exports", async () => {
      const rows = await app.store.read((reads) => invocationRows(reads, ids));
      expect(rows.map((row) => [row.invocation_id, toMicros(row.duration_seconds)])).toEqual([...durations]);
      expect(rows.map((row) => [micros(row.registered_at), micros(row.status_at)])).toEqual(
        ids.map((id) => [lives.get(id)?.[0]?.micros, lives.get(id)?.at(-1)?.micros]),
      );
      const exported: string[] = [];
      for await (const text of exportText(app, NO_FILTER, "jsonl")) exported.push(text);
      const lines = exported.join("").trim().split("\n");
      const told = lines.map((line) => JSON.parse(line));
      expect(new Map(told.map((row) => [row.invocation_id, toMicros(row.duration_seconds)]))).toEqual(durations);
    });

    it("all invocations have the same times on their pages, whose phases add up to the whole life", async () => {
      for (const id of ids) {
        const life = lives.get(id) ?? [];
        const detail = await invocationDetail(app, id);
        expect(detail.history.map(({ status, timestamp }) => ({ status, micros: micros(timestamp) }))).toEqual(life);
        expect(detail.history.every((one) => one.written_at > one.timestamp)).toBe(true);
        // The stored record of a registration names who registered, which is no owner.
        expect(detail.history.map((one) => one.owner_runner_id !== null)).toEqual(
          life.map((one) => OWNED.includes(one.status)),
        );
        expect(detail.history[0]?.status_runner_id).toEqual(expect.any(String));
        expect([micros(detail.registered_at), micros(detail.status_at)]).toEqual([
          life[0]?.micros,
          life.at(-1)?.micros,
        ]);
        const end = durations.get(id) ?? Math.round(presentOf(fixture) * 1e6) - (life[0]?.micros ?? 0);
        expect(toMicros(detail.duration_seconds)).toBeCloseTo(end, -1);
        const phases = (detail.phases ?? []).reduce((sum, phase) => sum + phase.duration_seconds, 0);
        expect(phases).toBeCloseTo(detail.duration_seconds ?? Number.NaN, 5);
        const running = life.reduce((sum, one, i) => {
          const until = life[i + 1]?.micros ?? Math.round(presentOf(fixture) * 1e6);
          return HELD.includes(one.status) ? sum + until - one.micros : sum;
        }, 0);
        // Or on a runner that has died since.
        const held = (detail.phases ?? []).filter(({ phase }) => HELD_PHASES.includes(phase));
        expect(toMicros(held.reduce((sum, phase) => sum + phase.duration_seconds, 0))).toBeCloseTo(running, -1);
      }
    });

    it("all invocations have the same durations in families and status times on the timeline", async () => {
      const final = ids.filter((id) => durations.get(id) !== null);
      for (const id of final.slice(0, 6)) {
        const { rows } = await familyPicture(app, "invocation", id, parseFamilyInput({}));
        const row = rows.find((one) => one.id === id);
        expect(toMicros(row?.invocation?.duration_seconds)).toBe(durations.get(id));
      }
      const [from, to] = factsOf(fixture, appId).window;
      const raw = { from: [isoFromEpoch(from - 1)], to: [isoFromEpoch(to + 1)], limit: ["5000"] };
      const { invocations } = await timeline(app, await readTimelineInput(app, raw));
      const drawn = invocations.map(({ invocation_id, entries }) => [
        invocation_id,
        entries.map(({ status, timestamp }) => ({ status, micros: micros(timestamp) })),
      ]);
      expect(new Map(drawn as [string, Statuses[]][])).toEqual(lives);
    });
  });
});

describe("entries that were written at one instant, late, or unreadably", () => {
  const APP = "kitchen_sink";
  const HISTORY = `${tablePrefix(APP)}__state_backend_history`;
  const folder = temporaryFolder();
  let monitor: Monitor;
  let app: OpenedApp;
  /** Invocations that failed: `failed` comes before `running` in the alphabet. */
  let failed: string[];
  beforeAll(async () => {
    const path = copyFixture("kitchen_sink.db", folder.path);
    const db = openDatabase(path, { mode: "write" });
    failed = db
      .prepare(`SELECT invocation_id FROM ${HISTORY} WHERE history_status = 'failed' ORDER BY history_timestamp`)
      .column() as string[];
    const [tied, late, unreadable] = failed;
    db.prepare(
      `UPDATE ${HISTORY} SET history_timestamp = (SELECT max(history_timestamp) FROM ${HISTORY} r WHERE r.invocation_id = ? AND r.history_status = 'running')
       WHERE invocation_id = ? AND history_status = 'failed'`,
    ).run(tied as string, tied as string);
    // Written by a thread that came late: after everything else.
    db.prepare(
      `UPDATE ${HISTORY} SET history_timestamp = history_timestamp + 5 WHERE invocation_id = ? AND history_status = 'pending'`,
    ).run(late as string);
    db.prepare(
      `UPDATE ${HISTORY} SET history_json = '{"status_record": ' WHERE invocation_id = ? AND history_status = 'failed'`,
    ).run(unreadable as string);
    db.close();
    monitor = await monitorAt(path, "in process", { app: APP, now: presentOf("kitchen_sink.db") }, folder.remove);
    app = await monitor.workspace.open();
  });
  afterAll(() => monitor.close());

  it("leave list and page with the same duration, which ends at the orchestrator's status time", async () => {
    const concerned = failed.slice(0, 3);
    const rows = await app.store.read((reads) => invocationRows(reads, concerned));
    expect(concerned).toHaveLength(3);
    expect(rows.map((row) => row.status)).toEqual(["failed", "failed", "failed"]);
    for (const row of rows) {
      const detail = await invocationDetail(app, row.invocation_id);
      expect(row.duration_seconds).toBeGreaterThan(0);
      expect(detail.duration_seconds).toBe(row.duration_seconds);
      expect(row.duration_seconds).toBeCloseTo(
        (epochFromIso(row.status_at ?? "") ?? 0) - (epochFromIso(row.registered_at ?? "") ?? 0),
        5,
      );
    }
  });

  it("are shown in the order of their statuses, without an impossible transition", async () => {
    const [tied, late] = failed as [string, string];
    for (const id of [tied, late]) {
      const history = await invocationHistory(app, id);
      expect(history.at(-1)?.status).toBe("failed");
      expect(history.filter((one) => !one.possible)).toEqual([]);
      expect(history.filter((one) => (one.since_previous_seconds ?? 0) < 0)).toEqual([]);
    }
  });

  it("are shown with the time of writing if their own time is unreadable", async () => {
    const history = await invocationHistory(app, failed[2] as string);
    expect(history.at(-1)).toMatchObject({ status: "failed", timestamp: history.at(-1)?.written_at });
    expect(history[0]?.timestamp).not.toBe(history[0]?.written_at);
  });
});
