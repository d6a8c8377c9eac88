/** What the fixtures do not hold: runs in progress, one runner alone, slots in every state. */
import { describe, expect, test } from "vitest";
import type {
  AtomicScheduling,
  AtomicTimeline,
  CycleView,
  ExecutionRow,
  SlotRow,
  TurnRow,
} from "../../../src/api/runners.ts";
import { ServiceTurns } from "../../../templates/fragments/runners/service-turns.tsx";
import { AtomicServiceContent } from "../../../templates/pages/atomic-service.tsx";
import type { View } from "../../../templates/pages/view.ts";
import { dom, text } from "../render.tsx";

const AT = "2026-11-21T00:35:00.000000+00:00";
const END = "2026-11-21T00:40:00.000000+00:00";
const NAME = {
  runner_id: "r1",
  context_missing: false,
  runner_cls: "ThreadRunner",
  hostname: "vm",
  pid: 1,
  thread_id: 1,
  parent: null,
};

function view<Model>(model: Model): View<Model> {
  return { model, path: "/runners/atomic-service/timeline", query: {}, now: AT, readOnly: false };
}

const running: ExecutionRow = {
  atomic_service_run_id: "run-1",
  runner_id: "r1",
  runner: NAME,
  runner_active: true,
  start_time: AT,
  end_time: null,
  duration_seconds: null,
  status: "running",
  reason: "",
  prior_run: null,
  stuck: null,
};

const slot: SlotRow = {
  slot_start: AT,
  slot_end: END,
  window_start: AT,
  window_end: END,
  owns_slot: true,
  in_grace: false,
  may_start: true,
  reason: "assigned",
  explanation: "Its turn: it may start at its next check.",
};

const turn: TurnRow = {
  position: 1,
  runner_id: "r1",
  runner: NAME,
  created_at: AT,
  last_heartbeat: AT,
  slot,
  recorded_runs: 0,
  last_service_start: null,
  last_service_end: null,
  last_atomic_service_run_id: null,
};

const cycle: CycleView = {
  cycle_start: AT,
  cycle_end: END,
  interval_seconds: 300,
  spread_seconds: 60,
  slot_seconds: 300,
  most_runners: 4,
  every_window_invalid: false,
  owner: NAME,
};

const scheduling: AtomicScheduling = {
  recorded: true,
  now: AT,
  cycle,
  fit: {
    verdict: "untested",
    assumed: true,
    since: AT,
    compared: 0,
    outside: 0,
    check_interval_seconds: 30,
    shortest_repeat_seconds: null,
    too_often: false,
    contradictions: [],
  },
  eligible: 1,
  active: 1,
  incomplete: false,
  runners: [turn],
  running: [],
  stuck: [],
  blocked: [],
  settings: [],
};

const timeline: AtomicTimeline = {
  recorded: true,
  executions: [running],
  page: { number: 1, size: 100, total: 1, total_capped: false, has_next: false, first_row: 1, last_row: 1 },
  filter: { runner_id: null, atomic_service_run_id: null, status: null, min_duration_seconds: null },
  statuses: { running: 1 },
  window: { start: AT, end: AT, duration_seconds: 0 },
  durations: { runs: 0, average_seconds: null, longest_seconds: null },
  running: [running],
  selected: null,
  notes: [],
  settings: [],
};

describe("AtomicTimelineContent", () => {
  test("shows a run in progress as information, and a stuck one as an error", () => {
    const fine = dom(<ServiceTurns model={{ ...scheduling, running: [running] }} />);
    expect(fine.querySelector(".notice-info")?.text).toContain("A run is in progress");
    expect(fine.querySelector(".notice-error")).toBeNull();
    const stuck = { ...running, stuck: "too_long" as const };
    const bad = dom(<ServiceTurns model={{ ...scheduling, running: [stuck], stuck: [stuck] }} />);
    expect(bad.querySelector(".notice-error")?.text).toContain("more than 5 min");
  });

  test("links to the schedule when no run is recorded", () => {
    const page = { ...timeline.page, total: 0, first_row: 0, last_row: 0 };
    const setting = (field: string) => ({
      field,
      value: "1",
      unit: null,
      meaning: "",
      origin: "default",
      warning: null,
    });
    const runs = { ...timeline, executions: [], running: [], statuses: {}, window: null, page };
    const both = {
      runs: { ...runs, settings: [setting("interval"), setting("retention")] },
      turns: { ...scheduling, settings: [setting("interval"), setting("margin")] },
    };
    const shown = dom(<AtomicServiceContent {...view({ ...both, lanes: null })} />);
    expect(shown.text).toContain("No run is recorded");
    const fields = shown.querySelectorAll("#card-settings tbody th").map((cell) => cell.text);
    expect(fields.map((text) => text.trim())).toEqual(["interval", "margin", "retention"]);
  });
});

describe("AtomicSchedulingContent", () => {
  test("says that the margin does not apply to a single runner", () => {
    const shown = text(<ServiceTurns model={scheduling} />);
    expect(shown).toContain("only applies to two or more runners");
    expect(shown).toContain("may start");
    expect(shown).toContain("none recently");
  });

  test("has words for each decision about a runner", () => {
    const reasons = ["assigned", "late_start", "scheduled_runner_in_grace", "slot_window_invalid"] as const;
    const marks = reasons.map((reason) => {
      const row = { ...turn, slot: { ...slot, reason, owns_slot: false } };
      return dom(<ServiceTurns model={{ ...scheduling, runners: [row] }} />).querySelector("tbody .mark")?.text;
    });
    expect(marks).toEqual(["may start", "too late", "in grace", "no window"]);
  });

  test("says on which settings the schedule is based", () => {
    const toldBy = (fit: Partial<AtomicScheduling["fit"]>) =>
      text(<ServiceTurns model={{ ...scheduling, fit: { ...scheduling.fit, ...fit } }} />);
    expect(toldBy({})).toContain(
      "the default settings: no others were found; there is no run to compare since these runners",
    );
    expect(toldBy({ assumed: false, verdict: "fits", compared: 12 })).toContain(
      "the settings below; compared with 12 recorded runs: 12 match",
    );
    expect(toldBy({ verdict: "fits", compared: 12, outside: 1 })).toContain(": 11 match");
  });

  test("warns of a margin that leaves no slot, and calls it a guess with default settings", () => {
    const tight = { ...scheduling, cycle: { ...cycle, every_window_invalid: true, slot_seconds: 60 }, eligible: 5 };
    const notice = dom(<ServiceTurns model={tight} />).querySelector(".notice-warn");
    expect(notice?.text).toContain("No runner may start if the app uses the default settings.");
    expect(notice?.text).toContain("These settings allow 4 runners.");
    expect(notice?.text).toContain("No run is recorded since");
  });

  test("shows runs and no slots when there is no cycle", () => {
    const fit = { ...scheduling.fit, verdict: "contradicted" as const, contradictions: ["Because of this."] };
    const known = { ...turn, slot: null, recorded_runs: 1234 };
    const shown = dom(<ServiceTurns model={{ ...scheduling, cycle: null, fit, runners: [known] }} />);
    expect(shown.querySelector(".notice-warn")?.text).toContain("Because of this.");
    expect(shown.querySelector("tbody")?.text).toContain("1,234");
    expect(shown.text).not.toMatch(/Decision|Slot owner|Cycle/);
  });

  test("says which runners are missing when none takes turns", () => {
    const none = { ...scheduling, runners: [], eligible: 0, cycle: { ...cycle, owner: null, slot_seconds: null } };
    expect(text(<ServiceTurns model={{ ...none, active: 0 }} />)).toContain("No runner is active");
    expect(text(<ServiceTurns model={{ ...none, active: 3 }} />)).toContain("All active runners");
  });
});
