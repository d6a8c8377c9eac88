/** Events: the list, one event, its JSON, its trace and the markers, on real data and on data that means harm. */

import { type HTMLElement, parse } from "node-html-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Trace, TraceTreeNode } from "../../src/api/causes.ts";
import type { EventDetail, EventList, EventMarkers } from "../../src/api/events.ts";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { isoFromEpoch } from "../../src/pynenc/time.ts";
import { inImmediateTransaction, openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { copyFixture, FACTS, FIXTURE_NAMES, factsOf, presentOf, temporaryFolder } from "../support/fixtures.ts";
import { describeWithMonitor, type Monitor, monitorAt, monitorOf } from "../support/monitor.ts";

const APP = "kitchen_sink";
const HTML = { headers: { accept: "text/html" } };
const JSON_WANTED = { headers: { accept: "application/json" } };

interface TraceFacts {
  code: string;
  invocations: string[];
  events: string[];
  trigger_runs: string[];
}

const facts = factsOf("kitchen_sink.db", APP);
const TRACES = (facts as unknown as { traces: Record<string, TraceFacts> }).traces;
/** `order.created` with `amount` 500: it met two conditions. */
const BIG_ORDER = "c0baec27-3325-4d0f-8485-a0cb205c8e46";
/** `order.audited`, emitted by an invocation, with a payload in the client data store. */
const AUDITED = "c991e525-bc32-49b9-969e-d9459281cf9b";

describeWithMonitor(
  "events",
  () => monitorOf("kitchen_sink.db", "in process", { alone: APP }),
  (monitor) => {
    const list = (query = "") => monitor().json<EventList>(`/events/${query}`);

    it("lists all events, newest first, with the codes to choose from", async () => {
      const { events, page, codes, unrecorded } = await list();
      expect([page.total, page.size, unrecorded]).toEqual([facts.events, 25, null]);
      expect(events.map((event) => event.timestamp)).toEqual(
        events
          .map((event) => event.timestamp)
          .sort()
          .reverse(),
      );
      expect(events.map((event) => event.event_id).sort()).toEqual(Object.keys(TRACES).sort());
      expect(codes).toEqual(Object.keys(facts.event_codes ?? {}).sort());
    });

    it("counts by code, match and outcome as the facts do", async () => {
      for (const [code, n] of Object.entries(facts.event_codes ?? {})) {
        const { events, page } = await list(`?event_code=${encodeURIComponent(code)}`);
        expect([code, page.total, [...new Set(events.map((event) => event.event_code))]]).toEqual([code, n, [code]]);
      }
      const total = async (query: string) => (await list(query)).page.total;
      expect(await total("?matched=yes")).toBe(facts.events_matched);
      expect(await total("?matched=no")).toBe((facts.events ?? 0) - (facts.events_matched ?? 0));
      expect(await total("?triggered=YES")).toBe(facts.events_triggered);
      expect(await total("?triggered=no&matched=all")).toBe((facts.events ?? 0) - (facts.events_triggered ?? 0));
      expect(await total("?matched=no&triggered=yes")).toBe(0);
      expect(await total("?event_code=no.such")).toBe(0);
    });

    it("restricts to a time range, both ends included", async () => {
      const { events } = await list();
      const [newest, , third] = events;
      const query = `?start=${encodeURIComponent(third?.timestamp ?? "")}&end=${encodeURIComponent(newest?.timestamp ?? "")}`;
      const found = await list(query);
      expect(found.events.map((event) => event.event_id)).toEqual(events.slice(0, 3).map((event) => event.event_id));
      expect(found.filter).toMatchObject({ from: third?.timestamp, to: newest?.timestamp });
    });

    it("pages through every event once, and a page beyond the end is empty", async () => {
      const seen: string[] = [];
      for (const page of [1, 2, 3]) {
        const { events } = await list(`?page=${page}&page_size=6`);
        seen.push(...events.map((event) => event.event_id));
      }
      expect(seen).toEqual((await list()).events.map((event) => event.event_id));
      const beyond = await list("?page=99");
      expect(beyond.events).toEqual([]);
      expect(beyond.page).toMatchObject({ number: 99, has_next: false, first_row: 0, total: facts.events });
      const page = await monitor().get("/events/?page=99", HTML);
      expect([page.status, (await page.text()).includes("past the end of the list")]).toEqual([200, true]);
    });

    it("links event ids and shows the emitter by its full id, or external", async () => {
      const { events } = await list();
      const root = parse(await monitor().text("/events/"));
      const heads = root.querySelectorAll("th[scope=col]").map((cell) => cell.text);
      expect(heads).toContain("Emitter invocation");
      const column = heads.indexOf("Emitter invocation");
      const rows = root.querySelectorAll("tbody tr").map((row) => row.querySelectorAll("th, td"));
      expect(rows.map((cells) => cells[0]?.querySelector("a")?.getAttribute("href"))).toEqual(
        events.map((event) => `/events/${event.event_id}`),
      );
      expect(rows.map((cells) => cells[column]?.text)).toEqual(
        events.map((event) => event.emitted_by_invocation_id ?? "external"),
      );
      const emitted = events.find((event) => event.event_id === AUDITED);
      expect(root.querySelector(`a[href="/invocations/${emitted?.emitted_by_invocation_id}"]`)).not.toBeNull();
    });

    it("offers the codes, keeps the chosen values in the form, and shows each filter with a link that removes it", async () => {
      const root = parse(await monitor().text("/events/?event_code=or.left&triggered=yes&start=2026-11-21"));
      const codes = root.querySelectorAll("select[name=event_code] option");
      expect(codes.map((option) => option.getAttribute("value"))).toEqual([
        "",
        ...Object.keys(facts.event_codes ?? {}).sort(),
      ]);
      expect(root.querySelector("select[name=event_code] option[selected]")?.text).toBe("or.left");
      expect(root.querySelector("select[name=triggered] option[selected]")?.text).toBe("Yes");
      expect(root.querySelector("#time-from")?.getAttribute("value")).toBe("2026-11-21 00:00:00");
      const ways = root.querySelectorAll(".chip a").map((a) => a.getAttribute("href")?.replaceAll("&amp;", "&"));
      expect(ways).toEqual([
        "/events/?triggered=yes&from=2026-11-21",
        "/events/?event_code=or.left&from=2026-11-21",
        "/events/?event_code=or.left&triggered=yes",
      ]);
    });

    it("exports the filtered list as CSV and as JSON lines", async () => {
      const { events } = await list("?matched=yes");
      const csv = await monitor().get("/events/export?matched=yes");
      expect(csv.headers.get("content-disposition")).toBe('attachment; filename="events.csv"');
      const [head, ...lines] = (await csv.text()).trimEnd().split("\r\n");
      expect(head).toMatch(/^event_id,event_code,timestamp,/);
      expect(lines.map((line) => line.split(",")[0])).toEqual(events.map((event) => event.event_id));
      const jsonl = await (await monitor().get("/events/export?matched=yes&format=jsonl")).text();
      expect(
        jsonl
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line) as unknown),
      ).toEqual(events);
    });

    it.each([
      ["/events/?matched=maybe", "matched", "all, yes, no"],
      ["/events/?triggered=1", "triggered", "all, yes, no"],
      ["/events/?start=someday", "start", "ISO 8601"],
      ["/events/?end=2026-02-31", "end", "ISO 8601"],
      ["/events/?start=2026-11-22&end=2026-11-21", "start", "before the end"],
      ["/events/?page=0", "page", "whole number from 1"],
      ["/events/?page_size=201", "page_size", "from 1 to 200"],
      ["/events/?page_size=0", "page_size", "from 1 to 200"],
      ["/events/?code=x", "code", "event_code"],
      ["/events/export?format=xml", "format", "csv"],
      ["/events/export?matched=maybe", "matched", "all, yes, no"],
      ["/events/api/markers", "from", "required"],
      ["/events/api/markers?start=2026-11-21", "to", "required"],
      ["/events/api/markers?start=&end=2026-11-21", "start", "required"],
      ["/events/api/markers?start=x&end=2026-11-21", "start", "ISO 8601"],
      ["/events/api/markers?start=2026-11-22&end=2026-11-21", "start", "before the end"],
      ["/events/api/markers?start=2026-11-21&end=2026-11-22&state=odd", "state", "unmatched"],
      ["/events/api/markers?start=2026-11-21&end=2026-11-22&limit=5001", "limit", "1 to 5000"],
      ["/events/api/markers?start=2026-11-21&end=2026-11-22&offset=-1", "offset", "from 0"],
      [`/events/${BIG_ORDER}/trace?direction=sideways`, "direction", "down, up, both"],
      [`/events/${BIG_ORDER}/trace?limit=0`, "limit", "1 to 20000"],
    ])("%s is 400 and names the parameter and what is accepted", async (path, parameter, accepted) => {
      const response = await monitor().get(path, JSON_WANTED);
      expect(response.status).toBe(400);
      const { errors } = (await response.json()) as { errors: { parameter: string; accepted: string }[] };
      expect(errors[0]?.parameter).toBe(parameter);
      expect(errors[0]?.accepted).toContain(accepted);
    });

    it.each(["/events/nope", "/events/nope/api", "/events/nope/trigger-runs", "/events/nope/trace"])(
      "%s is 404 for an unknown event",
      async (path) => {
        const response = await monitor().get(path, JSON_WANTED);
        expect([response.status, response.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
        expect(await response.json()).toMatchObject({ detail: 'No event "nope" in this store.' });
        const page = await monitor().get(path, HTML);
        const type = path === "/events/nope" ? "text/html; charset=utf-8" : "application/problem+json";
        expect([page.status, page.headers.get("content-type")]).toEqual([404, type]);
      },
    );

    it.each(Object.entries(TRACES))(
      "event %s: page, tree and JSON show everything that followed from it",
      async (id, expected) => {
        const wanted = [
          ...expected.events.map((event) => `event:${event}`),
          ...expected.invocations.map((invocation) => `invocation:${invocation}`),
          ...expected.trigger_runs.map((run) => `trigger_run:${run}`),
        ].sort();
        const detail = await monitor().json<EventDetail>(`/events/${id}`);
        expect(nodesOf(detail.caused.roots)).toEqual(wanted);
        expect([detail.event_code, detail.caused.truncated]).toEqual([expected.code, false]);

        const trace = await monitor().json<Trace>(`/events/${id}/trace`);
        expect(
          [
            ...trace.events.map((event) => `event:${event.event_id}`),
            ...trace.invocations.map((row) => `invocation:${row.invocation_id}`),
            ...trace.trigger_runs.map((run) => `trigger_run:${run.trigger_run_id}`),
          ].sort(),
        ).toEqual(wanted);

        const page = parse(await monitor().text(`/events/${id}`));
        const ids = wanted.length === 1 ? [] : wanted.map((key) => key.slice(key.indexOf(":") + 1));
        expect(drawnIn(page)).toEqual(expect.arrayContaining(ids));
        const nothing = page
          .querySelector("#card-family")
          ?.textContent.includes("No trigger run or invocation is recorded");
        expect(nothing).toBe(wanted.length === 1);
      },
    );

    it("the page of an event shows its conditions, and those of other triggers on its code, as sentences", async () => {
      const { conditions, triggered_invocations, trigger_runs, payload } = await monitor().json<EventDetail>(
        `/events/${BIG_ORDER}`,
      );
      expect(conditions.map((condition) => [condition.sentence, condition.matched])).toEqual([
        ["event order.created", true],
        ["event order.created accepted by tasks._is_big", true],
        ["event order.created with vip = true", false],
      ]);
      expect(conditions.map((condition) => condition.valid_condition_id?.endsWith(BIG_ORDER) ?? null)).toEqual([
        true,
        true,
        null,
      ]);
      expect(trigger_runs.map((run) => run.task_id_key)).toEqual(["tasks.on_order", "tasks.on_big_order"]);
      expect(triggered_invocations.map((row) => row.task_id_key)).toEqual(["tasks.on_order", "tasks.on_big_order"]);
      expect(payload.map(({ name, value }) => [name, value.stored.text])).toEqual([
        ["id", "2"],
        ["amount", "500"],
        ["note", '"<b>big</b>"'],
      ]);
      const page = await monitor().text(`/events/${BIG_ORDER}`);
      expect(page).not.toContain("<b>big");
      expect(parse(page).text).toContain("event order.created accepted by tasks._is_big");
    });

    it("the page of an event resolves references in its payload, and shows the emitter and what led to it", async () => {
      const detail = await monitor().json<EventDetail>(`/events/${AUDITED}`);
      const blob = detail.payload.find((value) => value.name === "blob")?.value;
      expect([blob?.stored.form, blob?.resolved?.text.slice(0, 3)]).toEqual(["reference", '"PP']);
      expect(detail.emitter).toMatchObject({ task_id_key: "tasks.on_order", status: "success" });
      expect(detail.emitter_runner?.runner_cls).toBe("ThreadRunner");
      expect(detail.conditions).toEqual([]);
      const up = await monitor().json<Trace>(`/events/${AUDITED}/trace?direction=up`);
      expect(nodesOf(detail.led_to_it?.roots ?? [])).toHaveLength(
        up.events.length + up.invocations.length + up.trigger_runs.length,
      );
      expect(up.events.map((event) => event.event_code).sort()).toEqual(["order.audited", "order.created"]);
    });

    it("the JSON of an event keeps the keys of the existing monitor", async () => {
      const api = await monitor().json<Record<string, Record<string, unknown>>>(`/events/${BIG_ORDER}/api`);
      expect(Object.keys(api)).toEqual(expect.arrayContaining(["event", "trigger_runs", "invocation_summaries"]));
      expect(Object.keys(api.event ?? {})).toEqual([
        "event_id",
        "event_code",
        "timestamp",
        "matched",
        "triggered",
        "matched_condition_ids",
        "valid_condition_ids",
        "triggered_invocation_ids",
        "emitted_by_invocation_id",
        "emitted_by_task_id",
        "emitted_by_runner_context_id",
        "payload",
        "payload_too_large",
      ]);
      expect(api.event).toMatchObject({
        matched: true,
        triggered: true,
        payload: { id: 2, amount: 500, note: "<b>big</b>" },
      });
      const started = (api.event?.triggered_invocation_ids ?? []) as string[];
      expect(started).toHaveLength(2);
      for (const id of started)
        expect(api.invocation_summaries?.[id]).toMatchObject({ invocation_id: id, status: "success" });
      const { trigger_runs } = await monitor().json<{ trigger_runs: { event_ids: string[] }[] }>(
        `/events/${BIG_ORDER}/trigger-runs`,
      );
      expect(trigger_runs).toEqual(api.trigger_runs);
      expect(trigger_runs.map((run) => run.event_ids)).toEqual([[BIG_ORDER], [BIG_ORDER]]);
      expect(await monitor().json(`/events/${BIG_ORDER}/trace?direction=both&limit=3`)).toMatchObject({
        focus_kind: "event",
        focus_id: BIG_ORDER,
        direction: "both",
        limit: 3,
        truncated: true,
      });
    });

    it("the markers of a window are listed oldest first, in slices", async () => {
      const [from, to] = facts.window.map((at) => encodeURIComponent(isoFromEpoch(at)));
      const markers = (query = "") =>
        monitor().json<EventMarkers>(`/events/api/markers?start=${from}&end=${to}${query}`);
      const all = await markers();
      expect([all.total, all.truncated, all.markers.length]).toEqual([facts.events, false, facts.events]);
      expect(all.markers.map((marker) => marker.timestamp)).toEqual(
        all.markers.map((marker) => marker.timestamp).sort(),
      );
      const count = async (state: string) => (await markers(`&state=${state}`)).markers.length;
      expect([await count("all"), await count("matched"), await count("triggered")]).toEqual([
        facts.events,
        facts.events_matched,
        facts.events_triggered,
      ]);
      expect((await count("matched")) + (await count("unmatched"))).toBe(facts.events);
      expect((await count("triggered")) + (await count("untriggered"))).toBe(facts.events);
      expect((await markers("&event_code=or.left")).markers).toHaveLength(1);
      const slice = await markers("&limit=4&offset=2");
      expect([slice.markers, slice.total, slice.truncated]).toEqual([all.markers.slice(2, 6), facts.events, true]);
      const outside = await monitor().json("/events/api/markers?start=2020-01-01&end=2020-01-02");
      expect(outside).toMatchObject({ markers: [], total: 0, truncated: false });
    });

    it("the counters on the dashboard link to lists of that size", async () => {
      const root = parse(await monitor().text("/"));
      const figures = root.querySelectorAll("a.figure").flatMap((link) => {
        const href = link.getAttribute("href") ?? "";
        return href.startsWith("/events/") ? [[href, Number(link.querySelector(".figure-value")?.text)] as const] : [];
      });
      expect(figures.map(([href]) => href)).toEqual([
        "/events/",
        "/events/?matched=yes",
        "/events/?triggered=yes",
        "/events/",
      ]);
      for (const [href, shown] of figures.slice(0, 3)) {
        expect([href, (await monitor().json<EventList>(href)).page.total]).toEqual([href, shown]);
      }
    });
  },
);

/** Kind and id of every node that stands in full; a node that stood twice would show. */
function nodesOf(roots: readonly TraceTreeNode[]): string[] {
  const own = roots.flatMap((node) => (node.repeat ? [] : [`${node.kind}:${node.id}`, ...nodesOf(node.children)]));
  return own.sort();
}

describe.each(FIXTURE_NAMES)("%s", (fixture) => {
  it.each(Object.entries(FACTS[fixture]))("events of %s have totals or a reason", async (appId, of) => {
    const monitor = await monitorOf(fixture, "in process", { app: appId });
    try {
      const list = await monitor.json<EventList>("/events/");
      expect(list.page.total).toBe(of.events ?? null);
      expect(list.unrecorded === null).toBe(of.events !== undefined);
    } finally {
      await monitor.close();
    }
  });
});

/** Ids in the picture of the family, in its order. */
function drawnIn(page: HTMLElement): string[] {
  return page
    .querySelectorAll('.family-row[data-kind="invocation"], .family-row .marker')
    .map((mark) => mark.getAttribute("data-id") ?? "");
}

describe("an event whose trigger needs another event as well", () => {
  it("links to its valid condition while that is stored", async () => {
    const monitor = await monitorOf("pending_triggers.db", "in process", { app: "pending_triggers" });
    try {
      const { events } = await monitor.json<EventList>("/events/?event_code=and.left");
      const [event] = events;
      const path = `/events/${event?.event_id}`;
      expect(event).toMatchObject({ matched: true, triggered: false });
      const { conditions } = await monitor.json<EventDetail>(path);
      expect(conditions.map((condition) => condition.valid_condition_retained)).toEqual([true]);
      const hrefs = parse(await monitor.text(path))
        .querySelectorAll("#card-conditions a")
        .map((a) => a.getAttribute("href") ?? "");
      expect(hrefs).toHaveLength(2);
      for (const href of hrefs) expect([href, (await monitor.get(href, HTML)).status]).toEqual([href, 200]);
    } finally {
      await monitor.close();
    }
  });
});

describe("numbers in a payload", () => {
  it("appear in the JSON exactly as stored", async () => {
    const folder = temporaryFolder();
    const path = copyFixture("kitchen_sink.db", folder.path);
    const stored = { price: "1.0", id: "12345678901234567890", nested: '{"a": [2.50, 1e3]}', odd: "NaN" };
    const db = openDatabase(path, { mode: "write" });
    db.prepare(
      `UPDATE ${tablePrefix(APP)}__trg_events SET event_json = json_set(event_json, '$.payload', json(?)) WHERE event_id = ?`,
    ).run(JSON.stringify(stored), BIG_ORDER);
    db.close();
    const monitor = await monitorAt(path, "in process", { alone: APP }, folder.remove);
    try {
      const payload = '"payload":{"price":1.0,"id":12345678901234567890,"nested":{"a": [2.50, 1e3]},"odd":"NaN"}';
      for (const document of [`/events/${BIG_ORDER}/api`, `/events/${BIG_ORDER}/trace`]) {
        expect(await (await monitor.get(document, JSON_WANTED)).text()).toContain(payload);
      }
    } finally {
      await monitor.close();
    }
  });
});

describe("a layout that records no events", () => {
  let monitor: Monitor;
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink_023.db", "in process", { alone: APP });
  });
  afterAll(() => monitor.close());

  it("is described as such on the page and in the JSON, without zeros", async () => {
    const main = parse(await monitor.text("/events/")).querySelector("main");
    const text = main?.text ?? "";
    expect(text).toContain("This store records no events");
    expect(text).toContain("since 0.2.4");
    expect(main?.querySelectorAll("table, form, .number, .pager")).toEqual([]);
    const markers = await monitor.json<EventMarkers>("/events/api/markers?start=2026-11-21&end=2026-11-22");
    expect(markers).toMatchObject({ markers: [], total: null, truncated: false });
    expect(markers.unrecorded).toContain("since 0.2.4");
  });

  it("answers 404 with that reason for any event, and exports only the header", async () => {
    const response = await monitor.get("/events/x", JSON_WANTED);
    expect(response.status).toBe(404);
    expect(((await response.json()) as { hint: string }).hint).toContain("since 0.2.4");
    expect((await (await monitor.get("/events/export")).text()).split("\r\n")).toHaveLength(2);
  });
});

describe("events with every kind of wrong data", () => {
  const EVIL = `evil/</td><script>alert("1")</script>`;
  const CODE = `=code"><b>\u202e`;
  let monitor: Monitor;
  let remove: () => void;

  beforeAll(async () => {
    const folder = temporaryFolder();
    remove = folder.remove;
    const path = copyFixture("kitchen_sink.db", folder.path);
    plant(path);
    monitor = await monitorAt(path, "in process", { alone: APP, now: presentOf("kitchen_sink.db") });
  });
  afterAll(async () => {
    await monitor.close();
    remove();
  });

  function plant(path: string): void {
    const db = openDatabase(path, { mode: "write" });
    const insert = (table: string, row: Record<string, string | number | null>) => {
      const names = Object.keys(row);
      db.prepare(
        `INSERT INTO ${tablePrefix(APP)}__trg_${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
      ).run(...Object.values(row));
    };
    const at = presentOf("kitchen_sink.db");
    const event = (event_id: string, event_json: string, more: Record<string, string | number | null> = {}) =>
      insert("events", {
        event_id,
        event_code: CODE,
        event_timestamp: at - 5,
        event_json,
        matched_condition_count: 0,
        ...more,
      });
    const started = (event_id: string, invocation_id: string, trigger_run_id: string | null) =>
      insert("event_triggered_invocations", { event_id, invocation_id, trigger_run_id, linked_at: at });
    // Malformed record whose column counts matches; the stored counter of triggered invocations says none, the index knows five.
    event(EVIL, "{not json <b>", {
      matched_condition_count: 2,
      emitted_by_invocation_id: "gone<b>emitter",
      emitted_by_task_id: 'mod."><b>task',
      emitted_by_runner_context_id: "gone-runner",
    });
    for (const n of [1, 2, 3, 4, 5]) started(EVIL, `gone-${n}`, "gone-run");
    const payload = {
      "</dt><b>name": '"</script><script>alert(1)</script>"',
      big: `"${"<b>".repeat(350_000)}"`,
      reference: `__pynenc__client_data__:${"0".repeat(64)}`,
      broken: "{",
    };
    const matched_condition_ids = ["event#gone<b>#filter"];
    event("big", JSON.stringify({ payload, matched_condition_ids, valid_condition_ids: "no list" }), {
      matched_condition_count: 1,
    });
    // A cycle: a run of the event that started the invocation that emitted the event.
    event("cycle", "{}", { emitted_by_invocation_id: "cycle-invocation" });
    insert("trigger_runs", {
      trigger_run_id: "cycle-run",
      trigger_id: "gone-trigger",
      task_id_key: 'mod."><b>task',
      logic_value: "<b>",
      triggered_invocation_id: "cycle-invocation",
      trigger_run_json: JSON.stringify({ event_ids: ["cycle"] }),
    });
    insert("trigger_run_conditions", { trigger_run_id: "cycle-run", event_id: "cycle" });
    started("cycle", "cycle-invocation", "cycle-run");
    db.close();
  }

  const pathOf = (id: string) => `/events/${encodeURIComponent(id)}`;

  it.each([EVIL, "big", "cycle"])("have a page without foreign markup and JSON on every route: %s", async (id) => {
    const response = await monitor.get(pathOf(id), HTML);
    const html = await response.text();
    expect([response.status, html.includes("<b>"), html.length < 200_000]).toEqual([200, false, true]);
    expect(parse(html).querySelectorAll("script:not([src])")).toEqual([]);
    expect(parse(html).querySelector("main")?.text).not.toContain("\u202e");
    for (const path of ["", "/api", "/trigger-runs", "/trace", "/trace?direction=both"]) {
      const json = await monitor.get(pathOf(id) + path, JSON_WANTED);
      expect([path, json.status]).toEqual([path, 200]);
    }
  });

  it("are listed with three of the triggered invocations and the number of the others", async () => {
    const html = await monitor.text("/events/");
    expect(html).not.toContain("<b>");
    const link = `a[href="${pathOf(EVIL)}"]`;
    const row = parse(html)
      .querySelectorAll("tbody tr")
      .find((candidate) => candidate.querySelector(link) !== null);
    expect(
      row
        ?.querySelectorAll("td")[3]
        ?.querySelectorAll("a")
        .map((a) => a.text),
    ).toEqual(["gone-1", "gone-2", "gone-3", "+2"]);
    expect(row?.text).toContain("gone<b>emitter");
    const { events } = await monitor.json<EventList>("/events/?triggered=yes");
    expect(events.find((event) => event.event_id === EVIL)).toMatchObject({
      triggered_invocations_count: 5,
      matched_conditions: 2,
    });
  });

  it("come with notes that the record names fewer conditions than were met, and that the emitter is gone", async () => {
    const detail = await monitor.json<EventDetail>(pathOf(EVIL));
    expect(detail.matched).toBe(true);
    expect(detail.notes).toEqual([
      expect.stringContaining("met 2 conditions, but its stored record names none"),
      expect.stringContaining("emitted the event is not in this store"),
    ]);
    expect(detail.triggered_invocations.map((row) => row.status_source)).toEqual(Array(5).fill("none"));
    expect(detail.emitter_runner?.context_missing).toBe(true);
  });

  it("show a payload of 1 MB cut, a dangling reference marked, and a missing condition by its id", async () => {
    const detail = await monitor.json<EventDetail>(pathOf("big"));
    const value = (name: string) => detail.payload.find((argument) => argument.name === name)?.value;
    expect(value("big")?.stored).toMatchObject({ truncated: true, size: 1_050_002 });
    expect(value("big")?.stored.text.length).toBeLessThan(20_000);
    expect(value("reference")?.dangling).toBe(true);
    expect(value("broken")?.stored.text).toBe("{");
    expect(detail.conditions).toEqual([
      {
        condition_id: "event#gone<b>#filter",
        matched: true,
        valid_condition_id: null,
        valid_condition_retained: false,
        known: false,
        sentence: "event#gone<b>#filter",
      },
    ]);
  });

  it("show a cycle of causes once, also for a trigger run without participants", async () => {
    const detail = await monitor.json<EventDetail>(pathOf("cycle"));
    const [event] = detail.caused.roots;
    const run = event?.children[0];
    const invocation = run?.children[0];
    const again = invocation?.children[0];
    expect([event?.id, run?.id, invocation?.id, again?.id]).toEqual([
      "cycle",
      "cycle-run",
      "cycle-invocation",
      "cycle",
    ]);
    expect([event?.repeat, again?.repeat, again?.children]).toEqual([false, true, []]);
    // The run has no time, so it has no place.
    expect(drawnIn(parse(await monitor.text(pathOf("cycle")))).sort()).toEqual(["cycle", "cycle-invocation"]);
  });

  it("are exported to CSV without cells that a spreadsheet would compute", async () => {
    const csv = await (await monitor.get(`/events/export?event_code=${encodeURIComponent(CODE)}`)).text();
    expect(csv).toContain(`,"'=code""><b>`);
    expect(csv.trimEnd().split("\r\n")).toHaveLength(4);
  });
});

describe("a store with thousands of events and codes", () => {
  let monitor: Monitor;
  let remove: () => void;
  const ROWS = 1_203;

  beforeAll(async () => {
    const folder = temporaryFolder();
    remove = folder.remove;
    const path = copyFixture("kitchen_sink.db", folder.path);
    const db = openDatabase(path, { mode: "write" });
    const insert = db.prepare(
      `INSERT INTO ${tablePrefix(APP)}__trg_events (event_id, event_code, event_timestamp, event_json) VALUES (?, ?, ?, '{}')`,
    );
    // Many share one instant: the walk must go on by id.
    inImmediateTransaction(db, () => {
      for (let n = 0; n < ROWS; n++) insert.run(`bulk-${n}`, `bulk.${n % 400}`, 1_000 + Math.floor(n / 700));
    });
    db.close();
    monitor = await monitorAt(path, "in process", { alone: APP, now: presentOf("kitchen_sink.db") });
  });
  afterAll(async () => {
    await monitor.close();
    remove();
  });

  it("exports each event once", async () => {
    const lines = (await (await monitor.get("/events/export?format=jsonl&end=2000-01-01")).text())
      .trimEnd()
      .split("\n");
    const ids = lines.map((line) => (JSON.parse(line) as { event_id: string }).event_id);
    expect([ids.length, new Set(ids).size]).toEqual([ROWS, ROWS]);
  });

  it("has a text field for the code instead of a list", async () => {
    expect((await monitor.json<EventList>("/events/")).codes).toBeNull();
    const root = parse(await monitor.text("/events/?event_code=bulk.7"));
    expect(root.querySelector("input[name=event_code]")?.getAttribute("value")).toBe("bulk.7");
  });
});
