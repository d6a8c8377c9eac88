/**
 * Pages of the same app from SQLite and from a server: what both stores know, they show alike. Only what cannot be the same is left out of the
 * comparison, by name.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Dashboard } from "../../src/api/health.ts";
import type { InvocationList } from "../../src/api/invocations.ts";
import type { OptionFlags } from "../../src/config/options.ts";
import { FACTS, type FixtureName, presentOf } from "./fixtures.ts";
import { type Monitor, monitorOf, monitorOn } from "./monitor.ts";

/** Members that tell where data lie or what only one of the stores keeps. */
const DIFFERENT = new Set([
  ...["location", "layout", "figures", "loads", "unrecorded", "older"],
  ...["queued_at", "queued_seconds", "oldest_queued_at", "oldest_seconds", "stored_at"],
]);

interface Path {
  path: string;
  /** Further members that are left out. */
  without?: readonly string[];
  /** The stores order lists by different times: of start or of registration, of storing or not at all. */
  anyOrder?: boolean;
}

/** One of so many invocations is looked at: each has five pages. */
const EVERY = 16;

/** A fixture on a server. */
export interface Twin {
  place: Pick<OptionFlags, "url">;
  env?: Record<string, string>;
  /** The server keeps whole milliseconds: times are compared as far, and durations and ranges around times left out. */
  wholeMilliseconds?: true;
  /** Settings name its classes, so the origin of settings differs. */
  named?: true;
  close(): Promise<void>;
}

/** Compares each app of the fixtures. */
export function describeTwins(fixtures: readonly FixtureName[], load: (fixture: FixtureName) => Promise<Twin>): void {
  const apps = fixtures.flatMap((fixture) =>
    Object.entries(FACTS[fixture]).map(([app, facts]) => [fixture, app, facts] as const),
  );
  describe.each(apps)("%s: %s", (fixture, app, facts) => {
    let twin: Twin;
    let monitors: [sqlite: Monitor, server: Monitor];
    beforeAll(async () => {
      twin = await load(fixture);
      monitors = [
        await monitorOf(fixture, "in process", { app }),
        await monitorOn(twin.place, "in process", { app, now: presentOf(fixture), ...(twin.env && { env: twin.env }) }),
      ];
      // Until its history is read, an app has no figures of a range.
      for (const monitor of monitors) {
        const unread = async () => (await monitor.json<Dashboard>("/")).recent === null;
        await vi.waitUntil(async () => !(await unread()), { timeout: 60_000, interval: 100 });
      }
    });
    afterAll(async () => {
      await Promise.all(monitors.map((monitor) => monitor.close()));
      await twin.close();
    });

    async function expectAlike(paths: readonly Path[]): Promise<void> {
      for (const { path, without = [], anyOrder = false } of paths) {
        const shown = await Promise.all(
          monitors.map(async (monitor) => {
            const response = await monitor.get(path, { headers: { accept: "application/json" } });
            return {
              status: response.status,
              body: inMilliseconds(
                comparable(await response.json(), twin.named ? [...without, "origin"] : without, anyOrder),
              ),
            };
          }),
        );
        expect([path, shown[1]]).toEqual([path, shown[0]]);
        expect([path, shown[0]?.status]).toEqual([path, 200]);
      }
    }

    const inMilliseconds = (body: unknown) => (twin.wholeMilliseconds ? cutToMilliseconds(body) : body);

    /** All ids of a kind on a page, encoded. */
    const idsOn = async (path: string, name: string): Promise<string[]> => {
      const response = await monitors[0].get(path, { headers: { accept: "application/json" } });
      expect([path, response.status]).toEqual([path, 200]);
      return [...new Set(membersCalled(name, await response.json()))].map(encodeURIComponent);
    };

    it("are equal for the app as a whole", async () => {
      await expectAlike([
        ...["/", "/broker/", "/broker/queue", "/orchestrator/", "/runners/", "/tasks/"].map((path) => ({ path })),
        ...["/events/", "/trigger-runs/", "/state-backend/"].map((path) => ({ path })),
        // What waits for its triggers is in the order of writing, or by id.
        { path: "/triggers/", anyOrder: true },
        ...["/runners/atomic-service/timeline", "/runners/atomic-service/scheduling"].map((path) => ({ path })),
        ...["/invocations/", "/invocations/?limit=1000", "/invocations/?id_prefix=a"].map((path) => ({ path })),
        ...["/invocations/timeline", "/invocations/timeline?time_range=15m&show_system=0"].map((path) => ({ path })),
        // Present is the end of the recording.
        ...["10s", "1m", "3m"].map((at) => ({ path: `/invocations/timeline?time_range=15m&limit=5000&at=${at}` })),
        { path: "/invocations/?time_range=5m&limit=1000", without: ["timeline"], anyOrder: true },
        ...Object.keys(facts.statuses).map((status) => ({ path: `/invocations/?status=${status}&limit=1000` })),
        ...Object.keys(facts.tasks).map((task) => ({ path: `/tasks/${encodeURIComponent(task)}` })),
        { path: "/runners/?show=all&limit=500", anyOrder: true },
        { path: "/client-data-store/", without: ["oldest", "newest"], anyOrder: true },
      ]);
    });

    it("are equal for each workflow", async () => {
      const runs = await idsOn("/workflows/runs?limit=500", "workflow_id");
      await expectAlike([
        { path: "/workflows/", without: ["latest"] },
        { path: "/workflows/runs?limit=500", anyOrder: true },
        ...runs
          .filter((_, i) => i % EVERY === 0)
          .map((id) => ({ path: `/workflows/runs/${id}`, without: ["timeline"], anyOrder: true })),
      ]);
    });

    it("are equal for each runner", async () => {
      const ids = await idsOn("/runners/?show=all&limit=500", "runner_id");
      // Its latest invocations, cut: by the rows of a table, or by time.
      const without = ["invocations", "timeline"];
      await expectAlike(ids.map((id) => ({ path: `/runners/${id}`, without, anyOrder: true })));
    });

    it("are equal for each invocation and its call", async () => {
      const { invocations } = await monitors[0].json<InvocationList>("/invocations/?limit=1000");
      const some = invocations.filter((_, i) => i % EVERY === 0);
      const parts = ["", "/api", "/history", "/family-tree", "/trigger-context"];
      await expectAlike([
        ...some.flatMap(({ invocation_id }) => parts.map((part) => ({ path: `/invocations/${invocation_id}${part}` }))),
        ...some.map(({ call_id_key }) => ({ path: `/calls/${encodeURIComponent(call_id_key ?? "")}` })),
      ]);
    });

    it("are equal for events, trigger runs and triggers", async () => {
      const events = await idsOn("/events/?page_size=100", "event_id");
      const runs = await idsOn("/trigger-runs/?page_size=100", "trigger_run_id");
      expect([events.length, runs.length]).toEqual([facts.events ?? 0, facts.trigger_runs ?? 0]);
      const triggers = await idsOn("/triggers/", "trigger_id");
      await expectAlike([
        ...events.flatMap((id) =>
          ["", "/api", "/trigger-runs", "/trace?direction=both"].map((part) => ({ path: `/events/${id}${part}` })),
        ),
        ...runs.flatMap((id) => ["", "/api"].map((part) => ({ path: `/trigger-runs/${id}${part}` }))),
        ...triggers.map((id) => ({ path: `/triggers/${id}` })),
      ]);
    });
  });
}

function membersCalled(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => membersCalled(name, item));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === name && typeof member === "string" ? [member] : membersCalled(name, member),
  );
}

function cutToMilliseconds(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (name, value) => {
    if (/_seconds$|^(start_date|end_date|timeline_url)$/.test(name)) return undefined;
    return typeof value === "string" ? value.replaceAll(/(T[\d:]{8}\.\d{3})\d{3}/g, "$1") : value;
  });
}

/** Figures over time: how much of the past a page has read in the time that it waits depends on the store, and on what else runs. */
const READ_IN_TIME: ReadonlySet<string> = new Set([
  "not_looked_at",
  "lately",
  "lately_note",
  "trends",
  "busy",
  "recent",
  "recent_note",
]);

/** Without the store in names of classes (`RedisBroker`). @param anyOrder sorts every list. */
function comparable(value: unknown, without: readonly string[], anyOrder: boolean): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => comparable(item, without, anyOrder));
    return anyOrder ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
  }
  if (typeof value === "string") return value.replace(/^(SQLite|Redis|Mongo)(?=[A-Z]\w+$)/, "");
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !DIFFERENT.has(name) && !READ_IN_TIME.has(name) && !without.includes(name))
      .map(([name, member]) => [name, comparable(member, without, anyOrder)]),
  );
}
