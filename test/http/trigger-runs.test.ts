/** Trigger runs, triggers and what triggers did around an invocation (behaviour.md 3.8). */

import { parse } from "node-html-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConditionDetail, ValidConditionDetail } from "../../src/api/conditions.ts";
import type { TriggerContext } from "../../src/api/trigger-context.ts";
import type { TriggerRunDetail, TriggerRunList } from "../../src/api/trigger-runs.ts";
import type { TriggerDetail, TriggerList } from "../../src/api/triggers.ts";
import { insert } from "../browser/store.ts";
import { copyFixture, factsOf, presentOf, temporaryFolder } from "../support/fixtures.ts";
import { describeWithMonitor, type Monitor, monitorAt, monitorOf, sharedMonitor } from "../support/monitor.ts";

const APP = "kitchen_sink";
const FACTS = factsOf("kitchen_sink.db", APP);

const HTML = { headers: { accept: "text/html" } };
const JSON_WANTED = { headers: { accept: "application/json" } };

/** tasks.on_both: `and` over two events. */
const BOTH = "56782980f24c1fc0982b078cd8dc9b104c8043cdc81d74cc20861ef869333eb3";
const BOTH_TRIGGER = "c5bb887f87d3834375b2997853254e7ffbbcce82c31ae3ada4dba0f6461ff161";
const LEFT_EVENT = "75a45931-ddc9-40b5-9790-b834e39b35f1";
/** tasks.on_declined: because of an exception. */
const DECLINED = "d77c11dd6740981c4acf5ee8af1691bfe6cc2c84440ca9fef6673918b4b9ac3e";
const DECLINED_SOURCE = "ec45a5bd-3222-44db-8c54-fe1f168174bf";
const DECLINED_STARTED = "67e4cdea-c0b9-4fae-b102-13e4fafd0db2";
const CRON_TRIGGER = "f436cc4bfb0036fc5b0023ba531358eb15967f9901588b6a7a9df7e72701adce";
const CRON_CONDITION = "cron_* * * * *";
/** Started by an event, emits another. */
const ON_ORDER = "b35e6c3f-390b-495d-a583-a7488235d751";

const condition = (id: string) => `/trigger-runs/condition?condition_id=${encodeURIComponent(id)}`;
const validCondition = (id: string) => `/trigger-runs/valid-condition?valid_condition_id=${encodeURIComponent(id)}`;

// biome-ignore lint/suspicious/noExplicitAny: documents with the keys of the existing monitor, looked at member by member
type Any = any;

describeWithMonitor(
  "trigger runs and triggers",
  () => monitorOf("kitchen_sink.db", "in process", { alone: APP }),
  (monitor) => {
    it("the list can be filtered by task, trigger and time, also combined", async () => {
      const ids = async (query: string) =>
        (await monitor().json<TriggerRunList>(`/trigger-runs/?${query}`)).trigger_runs.map((run) => run.trigger_run_id);
      expect(await ids("task=tasks.on_both")).toEqual([BOTH]);
      expect(await ids(`trigger=${BOTH_TRIGGER}`)).toEqual([BOTH]);
      expect(await ids("task=tasks.on_both&kind=cron")).toEqual([]);
      const at = "2026-11-21T00:34:56.690562";
      expect(await ids(`start=${at}&end=${at}`)).toEqual([BOTH]);
      expect(await ids("task=no.such")).toEqual([]);
    });

    it("a run shows its contexts, rebuilt from what is still stored", async () => {
      const run = await monitor().json<TriggerRunDetail>(`/trigger-runs/${BOTH}`);
      expect(run).toMatchObject({
        task_id_key: "tasks.on_both",
        logic_value: "and",
        trigger_registered: true,
        truncated: false,
        notes: [],
        triggered_invocation: { task_id_key: "tasks.on_both", status: "success" },
      });
      expect(run.participant_views.map((view) => view.condition?.sentence)).toEqual([
        "event and.left",
        "event and.right",
      ]);
      expect(run.participant_views[0]).toMatchObject({
        valid_condition_retained: false,
        event_stored: true,
        context: { source: "snapshot", event_id: LEFT_EVENT, event_code: "and.left" },
      });
      const payload = run.participant_views[0]?.context.payload ?? [];
      expect(payload.map(({ name, value }) => [name, value.stored.text])).toEqual([["side", '"l"']]);
      expect(run.events.map((event) => event.event_id)).toEqual([...run.event_ids]);
      const html = parse(await monitor().text(`/trigger-runs/${BOTH}`));
      expect(html.querySelector(".page-summary")?.text).toContain(BOTH);
      // An event that met a condition is described there.
      expect(html.querySelectorAll("#card-related-events")).toEqual([]);
      expect(html.querySelectorAll(`[id^="participant-"] a[href="/events/${LEFT_EVENT}"]`)).toHaveLength(1);
      // A link to a valid condition appears only while it is retained.
      expect(html.querySelectorAll("a[href*='valid-condition']")).toHaveLength(0);
    });

    it("a run caused by an exception notes that only the latest exception is kept", async () => {
      const run = await monitor().json<TriggerRunDetail>(`/trigger-runs/${DECLINED}`);
      expect(run.notes.join()).toContain("only the latest is kept");
      expect(run.participant_views[0]).toMatchObject({
        condition: { sentence: "tasks.fail_custom failed with CardDeclined" },
        context: { status: "failed", exception_type: "CardDeclined", task_id_key: "tasks.fail_custom" },
        source: { invocation_id: DECLINED_SOURCE, status: "failed" },
      });
    });

    it("the JSON at /api has the keys of the existing monitor", async () => {
      const run = await monitor().json<Any>(`/trigger-runs/${DECLINED}/api`);
      expect(Object.keys(run)).toEqual(
        expect.arrayContaining([
          "trigger_run_id",
          "trigger_id",
          "task_id_key",
          "logic_value",
          "valid_condition_ids",
          "condition_ids",
          "event_ids",
          "source_invocation_ids",
          "triggered_invocation_id",
          "claimed_at",
          "executed_at",
          "atomic_service_run_id",
          "atomic_service_runner_id",
          "participants",
          "show_participant_event_column",
          "show_participant_source_column",
          "condition_details",
          "invocation_summaries",
          "events",
          "timeline_url",
        ]),
      );
      expect(run).toMatchObject({
        trigger_run_id: DECLINED,
        source_invocation_ids: [DECLINED_SOURCE],
        triggered_invocation_id: DECLINED_STARTED,
        show_participant_event_column: false,
        show_participant_source_column: false,
        events: [],
      });
      expect(run.invocation_summaries[DECLINED_SOURCE]).toMatchObject({ func_name: "fail_custom", status: "failed" });
      const [participant] = run.participants;
      expect(participant).toMatchObject({
        context_type: "ExceptionContext",
        event_id: null,
        context_summary: "status:FAILED exception:CardDeclined task:tasks.fail_custom",
        condition_view: { available: true, kind: "TriggerCondition", type: "ExceptionCondition" },
        context_view: { available: true, kind: "ConditionContext", type: "ExceptionContext" },
        valid_condition_view: { available: false, source: "snapshot", detail_url: null },
      });
      expect(participant.condition_view.items).toContainEqual({
        key: "statuses",
        label: "Statuses",
        render: "status_badges",
        statuses: ["failed"],
      });
      expect(participant.context_view.items).toContainEqual({
        key: "exception_type",
        label: "Exception Type",
        render: "value",
        value: "CardDeclined",
        multiline: false,
      });
      // The address with `#` in it leads to the condition.
      expect((await monitor().get(participant.condition_view.detail_url, HTML)).status).toBe(200);
    });

    it("every registered condition is found by its id", async () => {
      const { tasks } = await monitor().json<TriggerList>("/triggers/");
      const ids = tasks.flatMap((task) => task.triggers.flatMap((t) => t.conditions.map((c) => c.condition_id)));
      expect(new Set(ids).size).toBe(FACTS.conditions);
      for (const id of new Set(ids)) {
        expect((await monitor().json<ConditionDetail>(condition(id))).condition.condition_id).toBe(id);
      }
    });

    it("the page of a trigger has its conditions as sentences, the next times of its schedule, and its runs", async () => {
      const cron = await monitor().json<TriggerDetail>(`/triggers/${CRON_TRIGGER}`);
      expect(cron.conditions).toMatchObject([{ condition_id: CRON_CONDITION, sentence: "every minute (* * * * *)" }]);
      const times = cron.conditions[0]?.next_times.map((time) => Date.parse(time) / 1000) ?? [];
      const first = Math.ceil(presentOf("kitchen_sink.db") / 60) * 60;
      expect(times).toEqual([0, 60, 120, 180, 240].map((seconds) => first + seconds));
      expect(cron.argument_provider.sentence).toBe("none");
      expect(cron.trigger_runs_count).toBe(10);
      expect(new Set(cron.trigger_runs.map((run) => run.task_id_key))).toEqual(new Set(["tasks.every_minute"]));

      const both = await monitor().json<TriggerDetail>(`/triggers/${BOTH_TRIGGER}`);
      expect(both).toMatchObject({ logic_value: "and", trigger_runs_count: 1, conditions_count: 2 });
      expect(both.argument_provider).toMatchObject({
        type: "StaticArgumentProvider",
        arguments: [{ name: "x", value: { stored: { text: "2" } } }],
      });
      expect(parse(await monitor().text(`/triggers/${BOTH_TRIGGER}`)).text).toContain(
        "When event and.leftandevent and.right",
      );
    });

    it("the page, /api and /trigger-context of an invocation have what started it and what it emitted", async () => {
      const context = await monitor().json<TriggerContext & { parent_event_id: string }>(
        `/invocations/${ON_ORDER}/trigger-context`,
      );
      expect(context).toMatchObject({
        events_recorded: true,
        triggered_by: { task_id_key: "tasks.on_order", triggered_invocation_id: ON_ORDER },
        emitted_events: [{ event_code: "order.audited", matched: false, triggered: false }],
        emitted_events_truncated: false,
        triggered_runs_caused: [],
        parent_event: { event_code: "order.created", state: "triggered" },
      });
      expect(context.parent_event?.event_id).toBe(context.parent_event_id);
      expect(context.source_event_summaries[context.parent_event_id]).toMatchObject({ event_code: "order.created" });
      const api = await monitor().json<Any>(`/invocations/${ON_ORDER}/api`);
      for (const key of Object.keys(context)) {
        expect([key, api[key]]).toEqual([key, (context as unknown as Record<string, unknown>)[key]]);
      }
      const html = parse(await monitor().text(`/invocations/${ON_ORDER}`));
      const hrefs = html.querySelectorAll("a").map((a) => a.getAttribute("href"));
      expect(hrefs).toContain(`/trigger-runs/${context.triggered_by?.trigger_run_id}`);
      expect(hrefs).toContain(`/events/${context.emitted_events[0]?.event_id}`);
    });

    it("the JSON of an invocation has the runs that it caused", async () => {
      const api = await monitor().json<Any>(`/invocations/${DECLINED_SOURCE}/api`);
      expect(api.triggered_runs_caused).toMatchObject([
        { trigger_run_id: DECLINED, triggered_invocation_id: DECLINED_STARTED },
      ]);
      expect(api.triggered_by).toBeNull();
      expect(api.source_inv_summaries[DECLINED_STARTED]).toMatchObject({ func_name: "on_declined", status: "success" });
      const html = parse(await monitor().text(`/invocations/${DECLINED_SOURCE}`));
      expect(html.querySelectorAll(`a[href='/trigger-runs/${DECLINED}']`).length).toBeGreaterThan(0);
    });
  },
);

describe("valid conditions that are still stored", () => {
  const LEFT =
    "valid_condition_event#and.left#static_no_args_context_event_and.left_5fff5280-fd36-4e16-8c16-bfa912993cb2";
  const monitor = sharedMonitor(() => monitorOf("pending_triggers.db"));

  it("have a page with condition, context and the waiting triggers", async () => {
    const detail = await monitor.json<ValidConditionDetail>(validCondition(LEFT));
    expect(detail).toMatchObject({
      condition: { condition_id: "event#and.left#static_no_args", registered: true, sentence: "event and.left" },
      context: { source: "live", event_code: "and.left", timestamp_is_local: false },
      event_stored: true,
      trigger_run_ids: [],
    });
    expect(detail.context?.payload?.map(({ name, value }) => [name, value.stored.text])).toEqual([["side", '"l"']]);
    expect(detail.triggers.map((trigger) => trigger.task_id_key)).toEqual(["tasks.on_both"]);
    const page = await monitor.get(validCondition(LEFT), HTML);
    expect(page.status).toBe(200);
    expect(parse(await page.text()).querySelectorAll(`a[href='/triggers/${BOTH_TRIGGER}']`)).toHaveLength(1);
  });
});

describe("layouts before 0.2.4", () => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink_023.db", "in process", { alone: APP }));

  it("say that trigger runs are not recorded instead of showing zeros", async () => {
    const list = await monitor.json<TriggerRunList>("/trigger-runs/");
    expect([list.events_recorded, list.page.total, list.trigger_runs]).toEqual([false, null, []]);
    const html = parse(await monitor.text("/trigger-runs/"));
    expect(html.querySelector(".empty-title")?.text).toBe("Trigger runs are not recorded here");
    expect(html.querySelectorAll("main form.filter-form")).toHaveLength(0);
    const unknown = await monitor.get(`/trigger-runs/${BOTH}`, JSON_WANTED);
    expect([unknown.status, ((await unknown.json()) as { hint: string }).hint]).toEqual([
      404,
      expect.stringContaining("records trigger runs since 0.2.4; this store is older"),
    ]);
  });

  it("show triggers, with the number of their runs unknown", async () => {
    const { page } = await monitor.json<TriggerList>("/triggers/");
    expect(page.total).toBe(13);
    const trigger = await monitor.json<TriggerDetail>(`/triggers/${CRON_TRIGGER}`);
    expect([trigger.events_recorded, trigger.trigger_runs_count]).toEqual([false, null]);
    expect((await monitor.get(`/triggers/${CRON_TRIGGER}`, HTML)).status).toBe(200);
  });

  it("say on the page of an invocation, in one line, that causes are not recorded", async () => {
    const { invocations } = await monitor.json<{ invocations: { invocation_id: string }[] }>("/invocations/?limit=1");
    const id = invocations[0]?.invocation_id ?? "";
    const api = await monitor.json<Any>(`/invocations/${id}/api`);
    expect([api.events_recorded, api.triggered_by, api.emitted_events]).toEqual([false, null, []]);
    const page = parse(await monitor.text(`/invocations/${id}`));
    expect(page.querySelectorAll("p.muted").map((p) => p.text)).toContain(
      "pynenc records events and trigger runs since 0.2.4; this store is older.",
    );
  });
});

describe("corrupt records of trigger runs", () => {
  const EVIL = `evil/#%"><script>alert(1)</script>`;
  const PLAIN = "run-without-participants";
  const TORN = "run-with-torn-json";
  const CLAIMED = "run-only-claimed";
  const CROWD = "run-with-a-crowd";
  const BIG = "run-with-a-big-payload";
  const SHARED = "run-of-a-shared-exception";
  const SHARED_CONDITION = "valid_condition_evil_context_exception_E";
  const at = presentOf("kitchen_sink.db");
  let monitor: Monitor;
  let remove: () => void;

  beforeAll(async () => {
    const folder = temporaryFolder();
    remove = folder.remove;
    const path = copyFixture("kitchen_sink.db", folder.path);
    plant(path);
    monitor = await monitorAt(path, "in process", { alone: APP, now: at });
  });
  afterAll(async () => {
    await monitor.close();
    remove();
  });

  function plant(path: string): void {
    const row = (table: string, values: Parameters<typeof insert>[2]) => insert(path, `trg_${table}`, values);
    const run = (id: string, json: unknown, more: Parameters<typeof insert>[2] = {}) =>
      row("trigger_runs", {
        trigger_run_id: id,
        trigger_id: "gone-trigger",
        task_id_key: EVIL,
        logic_value: "and",
        claimed_at: at - 1,
        executed_at: at,
        triggered_invocation_id: "gone-invocation",
        trigger_run_json: typeof json === "string" ? json : JSON.stringify(json),
        ...more,
      });
    run(EVIL, {
      participants: [
        {
          context_type: EVIL,
          condition_id: EVIL,
          valid_condition_id: EVIL,
          event_id: "gone-event",
          source_invocation_id: null,
          context_timestamp: "no time",
          context_summary: `code:${EVIL}`,
        },
      ],
      condition_ids: [EVIL],
      event_ids: ["gone-event"],
      valid_condition_ids: [EVIL],
      source_invocation_ids: ["gone-source"],
    });
    run(PLAIN, {
      event_ids: [LEFT_EVENT, "gone-event"],
      source_invocation_ids: [DECLINED_SOURCE],
      condition_ids: [EVIL],
    });
    run(TORN, "{torn");
    run(CLAIMED, {}, { executed_at: null, triggered_invocation_id: null });
    run(CROWD, {
      participants: Array.from({ length: 5_000 }, (_, i) => ({
        context_type: "EventContext",
        condition_id: `c${i}`,
        event_id: `e${i}`,
        context_summary: `code:x${i}`,
      })),
    });
    row("events", {
      event_id: "big",
      event_code: EVIL,
      event_timestamp: at,
      event_json: JSON.stringify({ event_id: "big", payload: { [EVIL]: `"${"<b>x</b>".repeat(130_000)}"` } }),
    });
    run(BIG, { participants: [{ context_type: "EventContext", event_id: "big", context_summary: "code:lie" }] });
    row("valid_conditions", {
      valid_condition_id: SHARED_CONDITION,
      valid_condition_json: JSON.stringify({
        condition: "{torn",
        context: JSON.stringify({
          context_type: "ExceptionContext",
          data: { invocation_id: "later", exception_type: "E" },
        }),
      }),
    });
    run(SHARED, {
      participants: [
        {
          context_type: "ExceptionContext",
          valid_condition_id: SHARED_CONDITION,
          source_invocation_id: "earlier",
          context_summary: "status:FAILED exception:E task:tasks.t",
        },
      ],
    });
    row("valid_conditions", { valid_condition_id: EVIL, valid_condition_json: "{torn" });
    row("conditions", { condition_id: `${EVIL} `, condition_json: "[]" });
    row("triggers", {
      trigger_id: EVIL,
      task_id_key: EVIL,
      logic_value: EVIL,
      argument_provider_json: "{torn",
    });
    row("condition_triggers", { condition_id: "gone-condition", trigger_id: EVIL });
  }

  const runs = [EVIL, PLAIN, TORN, CLAIMED, CROWD, BIG, SHARED].map((id) => `/trigger-runs/${encodeURIComponent(id)}`);
  const paths = [
    "/trigger-runs/",
    ...runs,
    ...runs.map((path) => `${path}/api`),
    "/triggers/",
    `/triggers/${encodeURIComponent(EVIL)}`,
    condition(`${EVIL} `),
    validCondition(EVIL),
    validCondition(SHARED_CONDITION),
  ];

  it.each(paths)("leave %s below its size limit and without their markup", async (path) => {
    const response = await monitor.get(path, HTML);
    const body = await response.text();
    expect([path, response.status]).toEqual([path, 200]);
    // Only the document for programs carries whole payloads of events.
    const most = path.endsWith(`${BIG}/api`) ? 1_100_000 : 700_000;
    expect(body.length).toBeLessThan(most);
    if (!path.endsWith("/api")) {
      expect(parse(body).querySelectorAll("script:not([src])")).toEqual([]);
      expect(body).not.toContain("<b>x");
    }
    const json = await monitor.get(path, JSON_WANTED);
    expect(json.status).toBe(200);
    expect((await json.text()).length).toBeLessThan(most);
  });

  const detailOf = (id: string) => monitor.json<TriggerRunDetail>(`/trigger-runs/${encodeURIComponent(id)}`);

  it("take the event code from the event, not from the summary, and cut its payload", async () => {
    const { context } = (await detailOf(BIG)).participant_views[0] ?? {};
    expect(context?.event_code).toBe(EVIL);
    expect(context?.payload?.[0]?.value.stored).toMatchObject({ truncated: true });
  });

  it("keep a space at the end of a condition's id", async () => {
    const detail = await monitor.json<ConditionDetail>(condition(`${EVIL} `));
    expect(detail.condition).toMatchObject({ condition_id: `${EVIL} `, type: "unreadable" });
    // Without it the id is the beginning of this one.
    const shortened = await monitor.get(condition(EVIL), JSON_WANTED);
    expect([shortened.status, shortened.headers.get("location")]).toEqual([303, condition(`${EVIL} `)]);
  });
});
