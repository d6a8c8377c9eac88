/** Why a trigger did or did not run. */
import type { TriggerDetail, TriggerWaiting } from "../../api/triggers.ts";
import { counted } from "../../pynenc/numbers.ts";
import type { FoundVerdict } from "../verdicts/verdicts.ts";
import { explanation, link, piece, ranked, type ThingWhy } from "./thing-verdict.ts";

/** @param by verdicts on the app that concern it. */
export function whyTrigger(detail: TriggerDetail, by: readonly FoundVerdict[]): ThingWhy {
  return {
    label: `trigger of ${detail.task_id_key}`,
    phases: null,
    critical_path: null,
    ...ranked(by, ownVerdict(detail)),
    chain: detail.conditions.map(conditionLink),
  };
}

function conditionLink({
  condition_id,
  sentence,
  met,
  last_cron_execution: last,
}: TriggerDetail["conditions"][number]) {
  const about = { kind: "condition", id: condition_id } as const;
  if (last !== null && met !== true) return link(`${sentence}: last met`, { at: last, ...about });
  return link(`${sentence}: ${met === null ? "whether met is not known" : met ? "met" : "not met"}`, about);
}

/** What a trigger still waits for if some of its conditions are met. */
export function waitingVerdict({ state, sentence, since, missing, missing_count }: TriggerWaiting): FoundVerdict {
  if (state === "ready") return explanation({ code: "trigger_is_due", sentence, since });
  return explanation({
    code: "trigger_waits",
    sentence,
    detail: missing_count > 0 ? "It runs when the missing conditions are met too." : "",
    since,
    evidence: missing.map(({ condition_id }) => piece("condition", condition_id, "not met")),
  });
}

function ownVerdict(detail: TriggerDetail): FoundVerdict {
  const { waiting, conditions, conditions_count, logic_value, trigger_runs, no_runs } = detail;
  if (waiting !== null) return waitingVerdict(waiting);
  const [last] = trigger_runs;
  const ran =
    last === undefined
      ? (no_runs ?? "")
      : `Its latest run started ${last.triggered_invocation === null ? "nothing that is recorded" : "an invocation"}.`;
  const needs =
    conditions_count === 1
      ? "its condition"
      : logic_value.toLowerCase() === "or"
        ? "any of its conditions"
        : "all of its conditions";
  return explanation({
    code: "trigger_not_met",
    sentence: `It runs when ${needs} ${conditions_count === 1 || logic_value.toLowerCase() === "or" ? "is" : "are"} met.`,
    detail: `${counted(conditions_count, "condition")} registered. ${ran}`,
    evidence: [
      ...conditions.map(({ condition_id }) => piece("condition", condition_id)),
      ...(last === undefined ? [] : [piece("trigger_run", last.trigger_run_id, "latest run")]),
    ],
  });
}
