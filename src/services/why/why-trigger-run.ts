/** Why a trigger ran: what met its conditions. */
import type { TriggerRunDetail } from "../../api/trigger-runs.ts";
import { causeWords, contextKind, summaryWords } from "../../pynenc/context-summary.ts";
import type { FoundVerdict } from "../verdicts/verdicts.ts";
import { explanation, link, piece, ranked, type ThingWhy } from "./thing-verdict.ts";

/** @param by verdicts on the app that concern it. */
export function whyTriggerRun(detail: TriggerRunDetail, by: readonly FoundVerdict[]): ThingWhy {
  const { task_id_key, participants, triggered_invocation_id: started, executed_at, claimed_at } = detail;
  return {
    label: `trigger run of ${task_id_key}`,
    phases: null,
    critical_path: null,
    ...ranked(by, ownVerdict(detail)),
    chain: [
      ...participants.map((one) => {
        const about =
          one.event_id !== null
            ? ({ kind: "event", id: one.event_id } as const)
            : one.source_invocation_id !== null
              ? ({ kind: "invocation", id: one.source_invocation_id } as const)
              : one.condition_id !== null
                ? ({ kind: "condition", id: one.condition_id } as const)
                : {};
        return link(causeWords({ ...summaryWords(one.context_summary), kind: contextKind(one.context_type) }), {
          at: one.context_timestamp,
          ...about,
        });
      }),
      link(started === null ? "it ran; no started invocation is recorded" : "it ran and started", {
        at: executed_at ?? claimed_at,
        ...(started === null ? {} : { kind: "invocation", id: started }),
      }),
    ],
  };
}

function ownVerdict(detail: TriggerRunDetail) {
  const { trigger_id, logic_value, condition_ids, triggered_invocation_id: started } = detail;
  const what =
    condition_ids.length === 1
      ? "its condition was met"
      : logic_value.toLowerCase() === "or"
        ? "one of its conditions was met"
        : `${condition_ids.length === 2 ? "both" : `all ${condition_ids.length}`} of its conditions were met`;
  return explanation({
    code: "trigger_ran",
    sentence:
      condition_ids.length === 0 ? "It ran; which conditions were met is not recorded." : `It ran because ${what}.`,
    evidence: [
      piece("trigger", trigger_id, "its trigger"),
      ...condition_ids.map((condition) => piece("condition", condition, "met")),
      ...(started === null ? [] : [piece("invocation", started, "started")]),
    ],
  });
}
