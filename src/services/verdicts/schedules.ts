/** Schedules that are overdue although runners take turns in the atomic service, which starts what is due. */

import { describeCondition, describeCron, nextCronDue } from "../../pynenc/conditions.ts";
import { addTo } from "../../pynenc/groups.ts";
import { counted, lasting } from "../../pynenc/numbers.ts";
import { utcText } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { ServiceTurns } from "../model/service-turns.ts";
import type { AppFacts, Schedule } from "./facts.ts";
import { countOf, type Examined, evidence, type Finding, numbered } from "./finding.ts";

/** Maximum triggers whose schedules are checked. */
const MAX_TRIGGERS = 200;

/** Number of turns of the atomic service after which a schedule is late. */
const TURNS = 3;

const NAMED_SCHEDULES = 3;

const NO_SCHEDULES: Examined<Schedule> = { found: [], more: false };

/** Reads nothing if no runner takes turns: then nothing is expected to happen. */
export async function schedules(reads: AppReads, turns: ServiceTurns): Promise<Examined<Schedule>> {
  if (turns.members.length === 0) return NO_SCHEDULES;
  const triggers = await reads.trigger.triggers({}, { limit: MAX_TRIGGERS, offset: 0 });
  // A trigger that also needs another condition may be waiting for that.
  const alone = triggers.filter(({ condition_ids, logic_value }) => condition_ids.length === 1 || logic_value === "or");
  const tasksOf = new Map<string, string[]>();
  for (const { condition_ids, task_id_key } of alone) {
    for (const id of condition_ids) addTo(tasksOf, id, task_id_key);
  }
  if (tasksOf.size === 0) return NO_SCHEDULES;
  const records = await reads.trigger.conditionsByIds([...tasksOf.keys()]);
  const found = records.flatMap(({ condition_id, condition_json, last_cron_execution: last }) => {
    const { cron_expression } = describeCondition(condition_json);
    const due = last === null ? null : nextCronDue(condition_json, last);
    if (cron_expression === null || last === null || due === null) return [];
    return [{ condition_id, cron_expression, task_id_keys: tasksOf.get(condition_id) ?? [], last, due }];
  });
  return { found, more: triggers.length >= MAX_TRIGGERS };
}

export function overdueSchedules({
  schedules: { found: all, more: unread },
  turns,
  stuck_runs,
  now,
  service_lag,
}: AppFacts): Finding | null {
  const { interval_seconds } = turns.rules;
  const joined = Math.min(...turns.members.map((one) => one.creation_timestamp));
  const late = all.flatMap((schedule) => {
    // It could not be met while no runner took turns.
    return now - service_lag - Math.max(schedule.due, joined) <= TURNS * interval_seconds ? [] : [schedule];
  });
  // A run that blocks all others has its own verdict.
  if (late.length === 0 || stuck_runs.length > 0) return null;
  const since = Math.min(...late.map(({ due }) => due));
  const words = late.slice(0, NAMED_SCHEDULES).map(({ cron_expression, due, last, task_id_keys }) => {
    const tasks = task_id_keys.slice(0, NAMED_SCHEDULES).join(", ");
    return `${describeCron(cron_expression)} (${tasks}): due ${utcText(due)}, last met ${utcText(last)}.`;
  });
  const examined = { found: late, more: unread };
  const more =
    late.length > NAMED_SCHEDULES
      ? ` And ${unread ? "at least " : ""}${counted(late.length - NAMED_SCHEDULES, "more schedule")}.`
      : "";
  return {
    code: "schedule_overdue",
    severity: "warning",
    sentence: `${numbered(examined, "schedule")} overdue`,
    detail: `${words.join(" ")}${more} By the settings found here, the atomic service checks them every ${lasting(interval_seconds)}, and ${counted(turns.members.length, "active runner takes", "active runners take")} turns in it. Check the service runs.`,
    since,
    evidence: [
      ...evidence(
        "condition",
        late.map(({ condition_id }) => condition_id),
      ),
      ...evidence("task", [...new Set(late.flatMap(({ task_id_keys }) => task_id_keys))], "not started"),
    ],
    ...countOf(examined),
  };
}
