/** `at` in addresses: the timeline, families and traces as of an instant of a run that was recorded, against its whole history. */
import { type HTMLElement, parse } from "node-html-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FamilyPicture } from "../../src/api/causes.ts";
import type { QueuePage } from "../../src/api/components.ts";
import type { Timeline } from "../../src/api/timeline.ts";
import { untilThen } from "../../src/http/as-of.ts";
import { isoFromEpoch } from "../../src/pynenc/time.ts";
import { presentOf } from "../support/fixtures.ts";
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
const backOf = (html: HTMLElement) => html.querySelector(".as-of a.primary")?.getAttribute("href");
const pageOf = async (path: string) =>
  parse(await (await monitor.get(path, { headers: { accept: "text/html" } })).text());
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
      expect(html.querySelector(".statuses-then")?.textContent.replace(/\s+/g, " ")).toContain(`${status} ${count}`);
    }
    const back = new URL(backOf(html) ?? "", "http://monitor");
    expect([back.searchParams.has("at"), back.searchParams.get("from")]).toEqual([false, "2026-11-21T00:34:00"]);
    const slider = html.querySelector(".time-slider input[type=range]");
    expect(Number(slider?.getAttribute("value"))).toBeCloseTo(Date.parse(at) / 1000, 2);
    // It ends at the present, which comes before the end of the window.
    expect([slider?.getAttribute("min"), slider?.getAttribute("max")]).toEqual([
      String(BEGIN / 1000),
      String(Math.floor(presentOf("kitchen_sink.db") * 1000) / 1000),
    ]);
    // Without scripts the form brings the same window.
    const kept = html.querySelectorAll(".time-slider input[type=hidden]").map((one) => one.getAttribute("name"));
    expect(kept.sort()).toEqual(["end_date", "limit", "start_date"]);
    expect(parse(await monitor.text(PATH)).querySelector(".as-of")).toBeNull();
  });

  it("begins five minutes before the instant when no window is given", async () => {
    const { start, end } = await monitor.json<Timeline>("/invocations/timeline?at=2026-11-21T00:36:00");
    expect([start.slice(11, 19), end.slice(11, 19)]).toEqual(["00:31:00", "00:36:00"]);
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

describe("a family as of an instant", () => {
  it("has the members of that instant, with the statuses they had then", async () => {
    const parents = whole.invocations.flatMap(({ parent_invocation_id: id }) => (id === null ? [] : [id]));
    const id = parents[0] ?? "";
    const entries = byId(whole.invocations).get(id)?.entries ?? [];
    const at = entries.at(-1)?.timestamp ?? "";
    const before = new Date(Date.parse(entries[0]?.timestamp ?? "") - 1).toISOString();
    const query = `?at=${encodeURIComponent(at)}`;
    const idsOf = ({ rows }: FamilyPicture) => rows.map((row) => row.id);
    for (const path of [`/trace/${id}`, `/invocations/${id}/family-tree`]) {
      const then = await monitor.json<FamilyPicture>(path + query);
      expect(Date.parse(then.at ?? "")).toBe(Date.parse(at));
      const members = idsOf(then);
      const all = idsOf(await monitor.json<FamilyPicture>(path));
      const begun = all.filter((one) => soFar(byId(whole.invocations).get(one)?.entries[0]?.timestamp ?? at, at));
      expect(members).toEqual(begun);
      const html = parse(await (await monitor.get(path + query, { headers: { accept: "text/html" } })).text());
      expect(backOf(html)).not.toContain("at=");
      const [status, body] = await asked(`${path}?at=${before}`);
      const later = `was not registered yet at ${before.slice(0, 23).replace("T", " ")} UTC; it was registered at `;
      expect([status, body.includes(later), body.includes("in this store")]).toEqual([404, true, false]);
    }
  });
});

it("JSON of lists and action pages refuses an instant of the past", async () => {
  for (const path of ["/invocations/", "/events/", "/tasks/", "/runners/", "/trigger-runs/", "/failures/", "/purge"]) {
    const [status, body] = await asked(`${path}?at=2026-11-21T00:36:00`);
    expect([path, status, body.includes("at")]).toEqual([path, 400, true]);
  }
});

describe("the pages in the past", () => {
  const AT = "2026-11-21T00:35:50";
  const WITH_AT = encodeURIComponent(isoFromEpoch(Date.parse(`${AT}Z`) / 1000));
  /** Paths of pages without an id, as the navigation has them. */
  const PAGES = [
    ...["/", "/invocations/", "/failures/", "/tasks/", "/workflows/", "/invocations/timeline", "/stats/", "/compare/"],
    ...[
      "/triggers/",
      "/trigger-runs/",
      "/events/",
      "/runners/",
      "/broker/",
      "/broker/queue",
      "/orchestrator/",
      "/purge",
    ],
    ...[
      "/state-backend/",
      "/client-data-store/",
      "/store/",
      "/search?q=tasks",
      "/log-explorer/",
      "/why",
      "/audit",
      "/diff",
    ],
  ];

  it("say the instant and how long ago it was, and lead back to now", async () => {
    for (const path of PAGES) {
      const html = await pageOf(`${path}${path.includes("?") ? "&" : "?"}at=${AT}`);
      const note = html.querySelector(".as-of")?.textContent.replace(/\s+/g, " ") ?? "";
      expect([path, note]).toEqual([
        path,
        expect.stringMatching(/As of 2026-11-21 00:35:50(\.000)? \(1 min 20 s ago\)\. \w/),
      ]);
      expect([path, backOf(html)]).toEqual([path, expect.stringMatching(/^[^?]+(\?(?!.*\bat=).*)?$/)]);
      expect([path, html.querySelectorAll("main h1").length]).toEqual([path, 1]);
      const there = await pageOf(backOf(html) ?? "");
      expect([path, there.querySelector(".as-of")]).toEqual([path, null]);
    }
  });

  it("show a range that ends at the instant: what is left of the chosen one, or as long a one before", () => {
    const then = (from: string, to?: string) => {
      const query = { from: [`2026-11-21T00:${from}`], ...(to !== undefined && { to: [`2026-11-21T00:${to}`] }) };
      const at = Date.parse("2026-11-21T00:35:50Z") / 1000;
      const { from: begin, to: end } = untilThen(query, at);
      return [begin, end].map((values) => values?.[0]?.slice(14, 19));
    };
    expect(then("35:00", "35:30")).toEqual(["35:00", "35:30"]);
    expect(then("35:00", "36:30")).toEqual(["35:00", "35:50"]);
    expect(then("36:00", "36:30")).toEqual(["35:20", "35:50"]);
    expect(then("35:00")).toEqual(["35:00", "35:50"]);
  });

  it("stay there by the links of the navigation, of rows and of the search form", async () => {
    const html = await pageOf(`/invocations/?at=${AT}`);
    for (const link of html.querySelectorAll("a.nav-link, td a, th a")) {
      const href = link.getAttribute("href") ?? "";
      if (href.startsWith("/")) expect(href).toContain(`at=${WITH_AT}`);
    }
    const kept = html.querySelector('.go-to input[name="at"]')?.getAttribute("value");
    expect(kept).toBe(decodeURIComponent(WITH_AT));
    const step = html.querySelector('.as-of [title="A minute earlier"]')?.getAttribute("href") ?? "";
    expect((await pageOf(step)).querySelector(".as-of")?.textContent).toContain("00:34:50");
    // There is no hour later.
    expect(html.querySelectorAll(".as-of nav a")).toHaveLength(4);
    const present = await pageOf("/invocations/");
    expect(present.querySelectorAll("a").filter((link) => /[?&]at=/.test(link.getAttribute("href") ?? ""))).toEqual([
      // The link that others are given.
      ...present.querySelectorAll(".copy-link").filter((link) => /[?&]at=/.test(link.getAttribute("href") ?? "")),
    ]);
  });

  it("list the invocations that had changed until then, with the status of then", async () => {
    const html = await pageOf(`/invocations/?at=${AT}&limit=1000`);
    const rows = html.querySelectorAll("#main tbody tr").map((row) => row.textContent);
    const then = whole.invocations.flatMap(({ entries }) =>
      entries.filter((one) => soFar(one.timestamp, `${AT}Z`)).slice(-1),
    );
    expect(rows).toHaveLength(then.length);
    const statuses = rows.map((row) => then.find(({ status }) => row.trim().startsWith(status))?.status);
    expect(statuses.sort()).toEqual(then.map(({ status }) => status).sort());
    expect(
      (await monitor.get(`/invocations/?at=${AT}&status=failed`, { headers: { accept: "text/html" } })).status,
    ).toBe(400);
  });

  it("show an invocation with what it had done, or since when it is there", async () => {
    const one = whole.invocations.find(({ entries }) => entries.length > 3 && entries[2]?.status === "running");
    const [first, , running] = one?.entries ?? [];
    const html = await pageOf(`/invocations/${one?.invocation_id}?at=${encodeURIComponent(running?.timestamp ?? "")}`);
    expect(html.querySelector("main .badge")?.textContent).toContain("running");
    expect(html.querySelectorAll("main tbody tr")).toHaveLength(2);
    const before = new Date(Date.parse(first?.timestamp ?? "") - 1).toISOString();
    const unborn = await pageOf(`/invocations/${one?.invocation_id}?at=${before}`);
    expect(unborn.querySelector("main")?.textContent).toContain("was not registered yet");
    expect(unborn.querySelector(".as-of a.primary")).not.toBeNull();
  });

  it("show what waited on both pages of the queue, as many as the JSON and the counts by status have", async () => {
    const { page } = await monitor.json<QueuePage>(`/broker/queue?at=${AT}`);
    for (const path of ["/broker/", "/broker/queue"]) {
      const html = await pageOf(`${path}?at=${AT}`);
      expect(html.querySelector("#card-waited h2")?.textContent).toMatch(
        new RegExp(`^${page.total} invocations? waited$`),
      );
      expect(html.querySelectorAll("#card-waited tbody tr")).toHaveLength(page.total ?? 0);
    }
    const overview = await pageOf(`/?at=${AT}`);
    expect(overview.querySelector(".figure-value")?.textContent).toBe(String(page.total));
  });

  it("say that the bell counts the problems of now, and count none beside the Overview", async () => {
    const [then, now] = await Promise.all([pageOf(`/invocations/?at=${AT}`), pageOf("/invocations/")]);
    expect([then, now].map((html) => html.querySelector("#bell summary")?.getAttribute("title"))).toEqual([
      "Problems now",
      "Problems",
    ]);
    expect([then, now].map((html) => html.querySelectorAll("#navigation .problem-count").length)).toEqual([0, 1]);
  });

  it("ask for an instant first in the menu of time, and then for a range", async () => {
    const fields = (await pageOf("/invocations/")).querySelectorAll("#time-range input[type=text]");
    expect(fields.map((field) => field.getAttribute("name"))).toEqual(["at", "from", "to"]);
  });

  it("offer the list without a filter that is about the present", async () => {
    const html = await pageOf(`/invocations/?status=running&task_id=tasks.root&at=${AT}`);
    expect(html.querySelector("main")?.textContent).toContain(
      "status = running is not accepted: it is about the present;",
    );
    const without = html.querySelectorAll("main a").find((link) => link.textContent === "Open the page without status");
    const query = new URL(without?.getAttribute("href") ?? "", "http://x").searchParams;
    expect([query.get("status"), query.get("task_id"), query.has("at")]).toEqual([null, "tasks.root", true]);
  });

  it("say what they show of the present if they cannot follow", async () => {
    for (const [path, words] of [
      ["/tasks/", "This page shows the present: how many invocations of a task"],
      ["/store/", "This page shows the present"],
      ["/purge", "Actions change what is stored now"],
      ["/events/", "Events until then"],
    ] as const) {
      expect([path, (await pageOf(`${path}?at=${AT}`)).querySelector(".as-of")?.textContent]).toEqual([
        path,
        expect.stringContaining(words),
      ]);
    }
  });

  it("refuse files of the present, and an `at` that is no instant of the past", async () => {
    for (const path of [
      "/invocations/export?at=2026-11-21",
      "/?at=soon",
      "/?at=2999-01-01",
      "/broker/?at=2999-01-01",
    ]) {
      expect([path, (await monitor.get(path, { headers: { accept: "text/html" } })).status]).toEqual([path, 400]);
    }
  });
});
