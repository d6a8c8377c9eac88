/** Why an event did or did not start anything. */
import { counted } from "../../pynenc/numbers.ts";
import type { EventFacts } from "../triggers/event-detail.ts";
import type { FoundVerdict } from "../verdicts/verdicts.ts";
import { explanation, link, piece, ranked, type ThingWhy } from "./thing-verdict.ts";

/** @param by verdicts on the app that concern it. */
export function whyEvent(detail: EventFacts, by: readonly FoundVerdict[]): ThingWhy {
  const waiting = detail.pending.flatMap(({ triggers }) => triggers.filter(({ state }) => state !== "ran"));
  return {
    label: `event ${detail.event_code}`,
    phases: null,
    critical_path: null,
    ...ranked(by, ownVerdict(detail, waiting)),
    chain: [
      ...detail.conditions.map(({ condition_id, sentence, matched }) =>
        link(`${sentence}: ${matched ? "met" : "not recorded as met"}`, { kind: "condition", id: condition_id }),
      ),
      ...detail.trigger_runs.map((run) =>
        link(
          `a trigger of ${run.task_id_key} ran${run.triggered_invocation_id === null ? "" : ` and started ${run.triggered_invocation_id.slice(0, 8)}`}`,
          {
            at: run.executed_at ?? run.claimed_at,
            kind: "trigger_run",
            id: run.trigger_run_id,
          },
        ),
      ),
    ],
  };
}

function ownVerdict(detail: EventFacts, waiting: EventFacts["pending"][number]["triggers"]): FoundVerdict {
  const { triggered, matched, conditions, event_code, trigger_runs } = detail;
  if (triggered) {
    const { triggered_invocations_count: n, triggered_invocations_capped: more, triggered_invocations: rows } = detail;
    return explanation({
      code: "event_started_something",
      sentence: `It led to ${more ? "at least " : ""}${counted(n, "invocation")}.`,
      detail: `${counted(trigger_runs.length, "trigger run")}${detail.trigger_runs_truncated ? " or more" : ""} recorded.`,
      evidence: rows.map((row) => piece("invocation", row.invocation_id, "started")),
      count: n,
    });
  }
  const halves = waiting.filter(({ state }) => state === "waiting");
  const [half] = halves;
  if (half !== undefined) {
    const missing = half.missing.map(({ sentence, condition_id }) => sentence ?? condition_id);
    return explanation({
      code: "trigger_waits",
      sentence: `It met a condition, but the trigger of ${half.task_id_key} also needs: ${missing.join("; ")}.`,
      detail:
        halves.length > 1 ? `${counted(halves.length, "trigger waits", "triggers wait")} for other conditions.` : "",
      evidence: halves.flatMap((one) => [
        piece("trigger", one.trigger_id, "waits"),
        ...one.missing.map(({ condition_id }) => piece("condition", condition_id, "not met")),
      ]),
    });
  }
  const due = waiting.filter(({ state }) => state === "ready");
  if (due.length > 0) {
    return explanation({
      code: "trigger_is_due",
      sentence: `It met a condition, and ${counted(due.length, "trigger is", "triggers are")} due at the next run of the atomic service.`,
      evidence: due.map(({ trigger_id }) => piece("trigger", trigger_id, "due")),
    });
  }
  if (waiting.length > 0) {
    return explanation({
      code: "trigger_waits",
      sentence: `It met a condition; whether ${waiting.length === 1 ? "its trigger needs" : "its triggers need"} others as well is not known yet.`,
      evidence: waiting.map(({ trigger_id }) => piece("trigger", trigger_id)),
    });
  }
  if (matched) {
    const ran = trigger_runs.length > 0;
    return explanation({
      code: "event_met_no_condition",
      sentence: ran
        ? "It met a condition and a trigger ran; no started invocation is recorded."
        : "It met a condition; what followed is not recorded.",
      evidence: trigger_runs.map((run) => piece("trigger_run", run.trigger_run_id, "ran")),
    });
  }
  if (conditions.length > 0) {
    return explanation({
      code: "event_met_no_condition",
      sentence:
        conditions.length === 1
          ? `It did not meet the only condition registered for ${event_code}.`
          : `It met none of the ${conditions.length} conditions registered for ${event_code}.`,
      detail: "Its payload does not match, or the conditions were registered after it.",
      evidence: conditions.map(({ condition_id }) => piece("condition", condition_id, "not met")),
    });
  }
  return explanation({
    code: "event_not_watched",
    sentence: `No registered trigger has a condition for ${event_code}.`,
    detail: "Runners register the triggers of their tasks when they start: check that the app has one for this code.",
  });
}
