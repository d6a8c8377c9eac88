/** `at` in addresses: the timeline, families and traces as of an instant of a run that was recorded, against its whole history. */
import { parse } from "node-html-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FamilyPicture, FamilyTree } from "../../src/api/causes.ts";
import type { Timeline } from "../../src/api/timeline.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";

const ALL = "start_date=2026-11-21T00:34:00&end_date=2026-11-21T00:38:00&limit=5000";
const PATH = `/invocations/timeline?${ALL}`;
const BEGIN = Date.parse("2026-11-21T00:34:00Z");
const LENGTH = 4 * 60_000;

let monitor: Monitor;
let whole: Timeline;
beforeAll(async () => {
  monitor = await monitorOf("kitchen_sink.db", "in process", { alone: "kitchen_sink" });
  whole = await monitor.json<Timeline>(PATH);
});
afterAll(() => monitor.close());

/** So many instants, evenly spread over the run and never a round time. */
const instants = (most: number) =>
  Array.from({ length: most }, (_, n) => new Date(BEGIN + ((n + 0.37) * LENGTH) / most).toISOString());
const soFar = (iso: string, then: string) => Date.parse(iso) <= Date.parse(then);
const timelineAt = (at: string, more = "") => monitor.json<Timeline>(`${PATH}&at=${at}${more}`);
/** Status and body of an answer as JSON. */
const asked = async (path: string): Promise<[number, string]> => {
  const response = await monitor.get(path, { headers: { accept: "application/json" } });
  return [response.status, await response.text()];
};
const byId = <Row extends { invocation_id: string }>(rows: readonly Row[]) =>
  new Map(rows.map((row) => [row.invocation_id, row]));

describe("the timeline as of an instant", () => {
  it("has exactly the status changes until then, at any instant of the run", async () => {
    let drawn = 0;
    for (const at of instants(15).filter((one) => soFar(one, whole.now))) {
      const then = await timelineAt(at);
      const wanted = whole.invocations.flatMap(({ invocation_id, entries }) => {
        const begun = entries.filter(({ timestamp }) => soFar(timestamp, at));
        // Whether the runner of a run had died is only known once the run was recovered.
        const wanted = begun.map(({ dead_from, ...entry }, n) =>
          dead_from === undefined || n === begun.length - 1 ? entry : { ...entry, dead_from },
        );
        return begun.length === 0 ? [] : [{ invocation_id, entries: wanted }];
      });
      expect([at, then.invocations.length]).toEqual([at, wanted.length]);
      const found = byId(then.invocations);
      for (const { invocation_id, entries } of wanted) expect(found.get(invocation_id)?.entries).toEqual(entries);
      expect(then.invocations.every(({ afterwards }) => afterwards === "ongoing")).toBe(true);
      const events = whole.events.filter(({ timestamp }) => soFar(timestamp, at));
      expect(then.events.map(({ event_id }) => event_id)).toEqual(events.map(({ event_id }) => event_id));
      expect(then.trigger_runs).toHaveLength(
        whole.trigger_runs.filter((run) => soFar(run.executed_at ?? run.claimed_at ?? "", at)).length,
      );
      const services = whole.atomic_service_runs.filter((run) => soFar(run.start_time, at));
      expect(then.atomic_service_runs).toHaveLength(services.length);
      const open = services.filter(({ end_time }) => end_time === null || !soFar(end_time, at));
      expect(then.atomic_service_runs.filter(({ end_time }) => end_time === null)).toHaveLength(open.length);
      expect([Date.parse(then.at ?? ""), Date.parse(then.now)]).toEqual([Date.parse(at), Date.parse(at)]);
      drawn += wanted.length;
    }
    expect(drawn).toBeGreaterThan(250);
  });

  it("shows the instant and the count of each status, and links back to the present", async () => {
    const at = instants(3)[1] ?? "";
    const last = (await timelineAt(at)).invocations.map(({ entries }) => entries.at(-1)?.status ?? "");
    const html = parse(await monitor.text(`${PATH}&at=${at}`));
    const note = html.querySelector(".as-of");
    expect(note?.textContent).toContain(`As of ${at.slice(0, 19).replace("T", " ")}`);
    for (const status of new Set(last)) {
      const count = last.filter((one) => one === status).length;
      expect(note?.textContent.replace(/\s+/g, " ")).toContain(`${status} ${count}`);
    }
    const back = new URL(note?.querySelector("a")?.getAttribute("href") ?? "", "http://monitor");
    expect([back.searchParams.has("at"), back.searchParams.get("start_date")]).toEqual([
      false,
      "2026-11-21T00:34:00.000000",
    ]);
    const slider = html.querySelector(".time-slider input[type=range]");
    expect(Number(slider?.getAttribute("value"))).toBeCloseTo(Date.parse(at) / 1000, 2);
    expect([slider?.getAttribute("min"), slider?.getAttribute("max")]).toEqual([
      String(BEGIN / 1000),
      String((BEGIN + LENGTH) / 1000),
    ]);
    // Without scripts the form brings the same window.
    const kept = html.querySelectorAll(".time-slider input[type=hidden]").map((one) => one.getAttribute("name"));
    expect(kept.sort()).toEqual(["end_date", "limit", "start_date"]);
    expect(parse(await monitor.text(PATH)).querySelector(".as-of")).toBeNull();
  });

  it("begins five minutes before the instant when no window is given", async () => {
    const { start, end } = await monitor.json<Timeline>("/invocations/timeline?at=2026-11-21T00:36:00");
    expect([start.slice(11, 19), end.slice(11, 19)]).toEqual(["00:31:15", "00:36:15"]);
  });

  it("refuses filters that need the present, and instants in the future", async () => {
    for (const [query, named] of [
      ["status=failed", "status"],
      ["runner=worker", "runner"],
      ["q=retries>=1", "q"],
    ]) {
      const [status, body] = await asked(`${PATH}&at=2026-11-21T00:36:00&${query}`);
      expect([status, body.includes(`"${named}"`)]).toEqual([400, true]);
    }
    const task = whole.invocations[0]?.task_id_key ?? "";
    const { invocations } = await timelineAt("2026-11-21T00:36:00", `&task_id=${task}`);
    expect(invocations.length).toBeGreaterThan(0);
    expect(invocations.every(({ task_id_key }) => task_id_key === task)).toBe(true);
    expect((await monitor.get(`${PATH}&at=2999-01-01`)).status).toBe(400);
    expect((await monitor.get(`${PATH}&at=soon`)).status).toBe(400);
  });
});

describe("a family and its picture as of an instant", () => {
  it("have the members of that instant, with the statuses they had then", async () => {
    const parents = whole.invocations.flatMap(({ parent_invocation_id: id }) => (id === null ? [] : [id]));
    const id = parents[0] ?? "";
    const entries = byId(whole.invocations).get(id)?.entries ?? [];
    const at = entries.at(-1)?.timestamp ?? "";
    const before = new Date(Date.parse(entries[0]?.timestamp ?? "") - 1).toISOString();
    const query = `?at=${encodeURIComponent(at)}`;
    type Found = FamilyPicture & FamilyTree;
    for (const [path, idsOf] of [
      [`/trace/${id}`, (found: Found) => found.rows.map((row) => row.id)],
      [`/invocations/${id}/family-tree`, (found: Found) => found.nodes.map((node) => node.invocation_id)],
    ] as const) {
      const then = await monitor.json<Found>(path + query);
      expect(Date.parse(then.at ?? "")).toBe(Date.parse(at));
      const members = idsOf(then);
      const all = idsOf(await monitor.json<Found>(path));
      const begun = all.filter((one) => soFar(byId(whole.invocations).get(one)?.entries[0]?.timestamp ?? at, at));
      expect(members).toEqual(begun);
      const html = parse(await (await monitor.get(path + query, { headers: { accept: "text/html" } })).text());
      expect(html.querySelector(".as-of a")?.getAttribute("href")).not.toContain("at=");
      const [status, body] = await asked(`${path}?at=${before}`);
      const later = `was not registered yet at ${before.replace("Z", "000+00:00")}; it was registered at `;
      expect([status, body.includes(later), body.includes("in this store")]).toEqual([404, true, false]);
    }
  });
});

it("lists and action pages refuse an instant of the past", async () => {
  for (const path of ["/invocations/", "/events/", "/tasks/", "/runners/", "/trigger-runs/", "/failures/", "/purge"]) {
    const [status, body] = await asked(`${path}?at=2026-11-21T00:36:00`);
    expect([path, status, body.includes("at")]).toEqual([path, 400, true]);
  }
});
