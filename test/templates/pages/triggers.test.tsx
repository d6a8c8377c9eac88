/** Triggers, their runs, and what triggers did around an invocation, in the cases that the fixtures lack. */
import { expect, test } from "vitest";
import type { ConditionDetail } from "../../../src/api/conditions.ts";
import type { TriggerContext } from "../../../src/api/trigger-context.ts";
import type { TriggerRunRow } from "../../../src/api/trigger-runs.ts";
import type { TriggerList } from "../../../src/api/triggers.ts";
import { contextFacts } from "../../../src/presentation/facts/condition.ts";
import { triggerParts } from "../../../src/presentation/facts/invocation-triggers.ts";
import { TRIGGER_RUN_COLUMNS } from "../../../src/presentation/facts/trigger-run.ts";
import { ColumnTable } from "../../../templates/fragments/facts/column-table.tsx";
import { PartCard } from "../../../templates/fragments/facts/part-card.tsx";
import { ThingFacts } from "../../../templates/fragments/facts/thing-facts.tsx";
import { ConditionContent } from "../../../templates/pages/condition.tsx";
import { TriggersContent } from "../../../templates/pages/triggers.tsx";
import { dom } from "../render.tsx";

const AT = "2026-11-21T00:34:52.558000+00:00";
const view = <Model,>(model: Model) => ({ model, path: "/x", query: {}, now: AT, readOnly: false });

const nothing: TriggerContext = {
  events_recorded: true,
  triggered_by: null,
  emitted_events: [],
  emitted_events_truncated: false,
  triggered_runs_caused: [],
  triggered_runs_truncated: false,
  parent_event: null,
  source_inv_summaries: {},
  source_event_summaries: {},
};

const run = {
  trigger_run_id: "r1",
  trigger_id: "t1",
  task_id_key: "shop.ship",
  logic_value: "and",
  valid_condition_ids: [],
  condition_ids: [],
  event_ids: ["e1"],
  source_invocation_ids: ["i1"],
  triggered_invocation_id: "i2",
  claimed_at: AT,
  executed_at: AT,
  atomic_service_run_id: null,
  atomic_service_runner_id: null,
  participants: [],
  timeline: null,
};

function triggersOf(context: TriggerContext) {
  return dom(
    <main>
      {triggerParts(context).map((part) => (
        <PartCard key={part.title} part={part} />
      ))}
    </main>,
  );
}

test("a run without participants shows the events and invocations that it names, linked if they are stored", () => {
  const card = triggersOf({
    ...nothing,
    triggered_by: run,
    source_event_summaries: { e1: { event_id: "e1" } },
    source_inv_summaries: {
      i1: {
        invocation_id: "i1",
        task_id_key: "shop.pay",
        func_name: "pay",
        status: "failed",
        status_source: "orchestrator",
        duration_seconds: null,
      },
    },
  });
  expect(card.querySelectorAll("tbody tr")).toHaveLength(2);
  const hrefs = card.querySelectorAll("a").map((a) => a.getAttribute("href"));
  expect(hrefs).toContain("/invocations/i1");
  expect(hrefs).toContain("/trigger-runs/r1");
  expect(hrefs).not.toContain("/events/e1");
});

test("cut lists of events and runs say how many are left out", () => {
  const event = {
    event_id: "e1",
    event_code: "c",
    timestamp: AT,
    matched: true,
    triggered: true,
    triggered_invocation_ids: ["a", "b", "c", "d", "e"],
  };
  const cards = triggersOf({
    ...nothing,
    emitted_events: [event],
    emitted_events_truncated: true,
    triggered_runs_caused: [run],
    triggered_runs_truncated: true,
  });
  expect(cards.querySelectorAll("h2").map((h) => h.text)).toEqual(["Events emitted (1+)", "Trigger runs caused (1+)"]);
  expect(cards.querySelectorAll(".card-foot")).toHaveLength(2);
  expect(cards.text).toContain("and 2 more");
});

test("a run that was only claimed is marked, and a deleted trigger is not linked", () => {
  const row: TriggerRunRow = {
    trigger_run_id: "r1",
    trigger_id: "t1",
    trigger_registered: false,
    task_id_key: "shop.ship",
    logic_value: "or",
    claimed_at: AT,
    executed_at: null,
    causes: [],
    causes_count: 0,
    triggered_invocation: null,
  };
  const table = dom(
    <ColumnTable columns={TRIGGER_RUN_COLUMNS} records={[row]} keyOf={() => "r1"} caption="Runs" empty={null} />,
  );
  expect(table.querySelector(".mark-warn")?.text).toBe("only claimed");
  expect(table.querySelectorAll("a").map((a) => a.getAttribute("href"))).not.toContain("/triggers/t1");
});

test("the list of triggers says that they are in another store, instead of showing 0 triggers", () => {
  const page = { number: 1, size: 50, total: null, total_capped: false, has_next: false, first_row: 0, last_row: 0 };
  const model: TriggerList = { stored: false, tasks: [], page, pending: { rows: [], total: 0, capped: false } };
  const html = dom(<TriggersContent {...view(model)} />);
  expect(html.querySelector(".notice")?.text).toContain("The trigger component is not in this store");
  expect(html.text).not.toMatch(/0 triggers|No trigger is registered/);
});

test("a condition shows statuses as badges, links its task, and says that no trigger has it", () => {
  const model: ConditionDetail = {
    condition: {
      condition_id: "condition#a",
      registered: true,
      type: "StatusCondition",
      sentence: "shop.pay failed",
      items: [
        { key: "statuses", label: "Statuses", render: "status_badges", statuses: ["failed", "retry"] },
        { key: "task_id", label: "Task Id", render: "value", value: "<b>shop.pay", multiline: false },
      ],
    },
    condition_json: "{}",
    last_cron_execution: null,
    next_times: [],
    never_due: false,
    triggers: [],
    triggers_truncated: false,
    pending: { rows: [], total: 0, capped: false },
  };
  const html = dom(<ConditionContent {...view(model)} />);
  expect(html.querySelectorAll(".status").map((badge) => badge.text.trim())).toEqual(["failed", "retry"]);
  expect(html.querySelectorAll("b")).toHaveLength(0);
  expect(html.querySelector("dl a, .facts a")?.getAttribute("href")).toBe("/tasks/%3Cb%3Eshop.pay");
  expect(html.text).toContain("Task id");
  expect(html.text).toContain("No trigger has this condition, so it starts nothing.");
  // Only schedules have times.
  expect(html.text).not.toContain("Next times");
});

test("the context of an event marks a local time of the writer and a missing event", () => {
  const facts = dom(
    <ThingFacts
      facts={contextFacts(
        {
          type: "EventContext",
          source: "live",
          timestamp: AT,
          timestamp_is_local: true,
          event_id: "e1",
          event_code: "c",
          emitted_by_invocation_id: null,
          invocation_id: null,
          task_id_key: null,
          call_id_key: null,
          status: null,
          exception_type: null,
          exception_message: null,
          last_execution: null,
          payload: [],
          arguments: null,
          result: null,
        },
        null,
        false,
      )}
    />,
  );
  expect(facts.querySelectorAll(".mark-warn").map((mark) => mark.text)).toEqual([
    "not stored",
    "local time of the writer",
  ]);
  expect(facts.text).toContain("Without payload.");
});
