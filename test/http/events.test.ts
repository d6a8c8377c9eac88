/** Events: the list, one event, its JSON, its trace and the markers, on real data and on data that means harm. */

import { type HTMLElement, parse } from "node-html-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Trace, TraceTreeNode } from "../../src/api/causes.ts";
import type { EventDetail, EventList, EventMarkers } from "../../src/api/events.ts";
import type { Dashboard } from "../../src/api/health.ts";
import { shortId } from "../../src/presentation/text.ts";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { inImmediateTransaction, openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { insert } from "../browser/store.ts";
import { copyFixture, factsOf, presentOf, temporaryFolder } from "../support/fixtures.ts";
import {
  describeWithMonitor,
  type Monitor,
  monitorAt,
  monitorOf,
  sharedMonitor,
  testMonitor,
} from "../support/monitor.ts";

const APP = "kitchen_sink";
const HTML = { headers: { accept: "text/html" } };
const JSON_WANTED = { headers: { accept: "application/json" } };

const facts = factsOf("kitchen_sink.db", APP);
/** `order.created` with `amount` 500: it met two conditions. */
const BIG_ORDER = "c0baec27-3325-4d0f-8485-a0cb205c8e46";
/** `order.audited`, emitted by an invocation, with a payload in the client data store. */
const AUDITED = "c991e525-bc32-49b9-969e-d9459281cf9b";

describeWithMonitor(
  "events",
  () => monitorOf("kitchen_sink.db", "in process", { alone: APP }),
  (monitor) => {
    const list = (query = "") => monitor().json<EventList>(`/events/${query}`);

    it("links event ids, the last column, and shows the emitter by its id, or external", async () => {
      const { events } = await list();
      const root = parse(await monitor().text("/events/"));
      const heads = root.querySelectorAll("th[scope=col]").map((cell) => cell.text);
      expect(heads).toContain("Emitter invocation");
      const column = heads.indexOf("Emitter invocation");
      const rows = root.querySelectorAll("tbody tr").map((row) => row.querySelectorAll("th, td"));
      expect(rows.map((cells) => cells.at(-1)?.querySelector("a")?.getAttribute("href"))).toEqual(
        events.map((event) => `/events/${event.event_id}`),
      );
      expect(rows.map((cells) => cells[column]?.text)).toEqual(
        events.map(({ emitted_by_invocation_id: id }) => (id === null ? "external" : shortId(id))),
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

    it("the page, the tree and the trace of an event have everything that followed from it", async () => {
      const { caused } = await monitor().json<EventDetail>(`/events/${BIG_ORDER}`);
      const nodes = nodesOf(caused.roots);
      const trace = await monitor().json<Trace>(`/events/${BIG_ORDER}/trace`);
      expect(nodes).toHaveLength(trace.events.length + trace.invocations.length + trace.trigger_runs.length);
      expect(nodes.length).toBeGreaterThan(4);
      const drawn = drawnIn(parse(await monitor().text(`/events/${BIG_ORDER}`)));
      expect(drawn).toEqual(expect.arrayContaining(nodes.map((node) => node.slice(node.indexOf(":") + 1))));
    });

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

    it("the counters of the overview's JSON are the sizes of the lists", async () => {
      const { events } = await monitor().json<Dashboard>("/");
      const sizeOf = async (query: string) => (await monitor().json<EventList>(`/events/${query}`)).page.total;
      expect(events).toMatchObject({
        recorded: await sizeOf(""),
        matched: await sizeOf("?matched=yes"),
        triggered: await sizeOf("?triggered=yes"),
      });
    });
  },
);

/** Kind and id of every node that stands in full; a node that stood twice would show. */
function nodesOf(roots: readonly TraceTreeNode[]): string[] {
  const own = roots.flatMap((node) => (node.repeat ? [] : [`${node.kind}:${node.id}`, ...nodesOf(node.children)]));
  return own.sort();
}

/** Ids in the picture of the family, in its order. */
function drawnIn(page: HTMLElement): string[] {
  return page
    .querySelectorAll('.family-row[data-kind="invocation"], .family-row .marker')
    .map((mark) => mark.getAttribute("data-id") ?? "");
}

describe("an event whose trigger needs another event as well", () => {
  it("links to its valid condition while that is stored, and says so in one table", async () => {
    const monitor = await testMonitor(monitorOf("pending_triggers.db", "in process", { app: "pending_triggers" }));
    const { events } = await monitor.json<EventList>("/events/?event_code=and.left");
    const [event] = events;
    const path = `/events/${event?.event_id}`;
    expect(event).toMatchObject({ matched: true, triggered: false });
    const { conditions } = await monitor.json<EventDetail>(path);
    expect(conditions.map((condition) => condition.valid_condition_retained)).toEqual([true]);
    const page = parse(await monitor.text(path));
    const hrefs = page.querySelectorAll("#card-pending a").map((a) => a.getAttribute("href") ?? "");
    expect(hrefs.filter((href) => href.startsWith("/trigger-runs/valid-condition"))).toHaveLength(1);
    expect(page.querySelectorAll("#card-conditions, #card-trigger-runs")).toEqual([]);
    const rows = page.querySelectorAll("#card-pending tbody tr").map((row) => row.text.replaceAll(/\s+/g, " "));
    expect(rows).toHaveLength(1);
    expect(rows[0]).toContain("tasks.on_bothis waiting forevent and.right");
    expect(rows[0]).not.toContain("at the next run of the atomic service");
    expect(page.querySelector(".page-header")?.text).toContain("a trigger is waiting");
    for (const href of hrefs) expect([href, (await monitor.get(href, HTML)).status]).toEqual([href, 200]);
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
    const monitor = await testMonitor(monitorAt(path, "in process", { alone: APP }, folder.remove));
    const payload = '"payload":{"price":1.0,"id":12345678901234567890,"nested":{"a": [2.50, 1e3]},"odd":"NaN"}';
    for (const document of [`/events/${BIG_ORDER}/api`, `/events/${BIG_ORDER}/trace`]) {
      expect(await (await monitor.get(document, JSON_WANTED)).text()).toContain(payload);
    }
  });
});

describe("a layout that records no events", () => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink_023.db", "in process", { alone: APP }));

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
    const row = (table: string, values: Parameters<typeof insert>[2]) => insert(path, `trg_${table}`, values);
    const at = presentOf("kitchen_sink.db");
    const event = (event_id: string, event_json: string, more: Record<string, string | number | null> = {}) =>
      row("events", {
        event_id,
        event_code: CODE,
        event_timestamp: at - 5,
        event_json,
        matched_condition_count: 0,
        ...more,
      });
    const started = (event_id: string, invocation_id: string, trigger_run_id: string | null) =>
      row("event_triggered_invocations", { event_id, invocation_id, trigger_run_id, linked_at: at });
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
    row("trigger_runs", {
      trigger_run_id: "cycle-run",
      trigger_id: "gone-trigger",
      task_id_key: 'mod."><b>task',
      logic_value: "<b>",
      triggered_invocation_id: "cycle-invocation",
      trigger_run_json: JSON.stringify({ event_ids: ["cycle"] }),
    });
    row("trigger_run_conditions", { trigger_run_id: "cycle-run", event_id: "cycle" });
    started("cycle", "cycle-invocation", "cycle-run");
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
    ).toEqual(["gone-1", "gone-2", "gone-3", "and 2 more"]);
    expect(row?.text).toContain("gone<b>emitter");
    const { events } = await monitor.json<EventList>("/events/?triggered=yes");
    expect(events.find((event) => event.event_id === EVIL)).toMatchObject({
      triggered_invocations_count: 5,
      matched_conditions: 2,
    });
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

  it("has a text field for the code instead of a list", async () => {
    expect((await monitor.json<EventList>("/events/")).codes).toBeNull();
    const root = parse(await monitor.text("/events/?event_code=bulk.7"));
    expect(root.querySelector("input[name=event_code]")?.getAttribute("value")).toBe("bulk.7");
  });
});
