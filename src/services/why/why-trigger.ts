/** Why a trigger did or did not run. */
import type { TriggerDetail, TriggerWaiting } from "../../api/triggers.ts";
import type { AppVerdictCode } from "../../api/verdicts.ts";
import { counted } from "../../pynenc/numbers.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { triggerDetail } from "../triggers/triggers.ts";
import { type FoundVerdict, findVerdicts } from "../verdicts/verdicts.ts";
import { explanation, link, naming, piece, ranked, type ThingWhy } from "./thing-verdict.ts";

/** Verdicts on problems that keep all triggers from running. */
const OF_ALL_TRIGGERS: ReadonlySet<string> = new Set<AppVerdictCode>([
  "stuck_atomic_service",
  "no_service_runner",
  "invalid_slots",
  "starved_atomic_service",
]);

export function blockingTriggers(verdicts: readonly FoundVerdict[]): FoundVerdict[] {
  return verdicts.filter(({ code }) => OF_ALL_TRIGGERS.has(code));
}

/** @throws NotFoundError */
export async function whyTrigger(app: OpenedApp, id: string): Promise<ThingWhy> {
  const detail = await triggerDetail(app, id);
  const verdicts = await app.store.read((reads) => findVerdicts(app, reads));
  const about = naming(verdicts, "trigger", id);
  const ready = detail.waiting?.state === "ready";
  return {
    label: `trigger of ${detail.task_id_key}`,
    phases: null,
    critical_path: null,
    ...ranked([...about, ...(ready ? blockingTriggers(verdicts) : [])], ownVerdict(detail)),
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
  if (last !== null && met !== true) return link(`${sentence}: met for the last time`, { at: last, ...about });
  return link(`${sentence}: ${met === null ? "not known whether it is met" : met ? "met" : "not met now"}`, about);
}

/** What a trigger waits for, of whose conditions some are met. */
export function waitingVerdict({ state, sentence, since, missing, missing_count }: TriggerWaiting): FoundVerdict {
  if (state === "ready") return explanation({ code: "trigger_is_due", sentence, since });
  return explanation({
    code: "trigger_waits",
    sentence,
    detail: missing_count > 0 ? "It runs when the missing ones are met too." : "",
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
      : `Its latest stored run started ${last.triggered_invocation === null ? "nothing that is known" : "an invocation"}.`;
  const needs =
    conditions_count === 1
      ? "its condition"
      : logic_value.toLowerCase() === "or"
        ? "any of its conditions"
        : "all of its conditions";
  return explanation({
    code: "trigger_not_met",
    sentence: `Nothing waits for it: it runs when ${needs} ${conditions_count === 1 || logic_value.toLowerCase() === "or" ? "is" : "are"} met.`,
    detail: `${counted(conditions_count, "condition")} registered. ${ran}`,
    evidence: [
      ...conditions.map(({ condition_id }) => piece("condition", condition_id)),
      ...(last === undefined ? [] : [piece("trigger_run", last.trigger_run_id, "latest run")]),
    ],
  });
}
