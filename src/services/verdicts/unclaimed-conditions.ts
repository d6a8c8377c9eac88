/** Conditions that were met and should have started something by now. */
import { counted } from "../../pynenc/numbers.ts";
import { epochFromIso } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { listPending } from "../model/pending-conditions.ts";
import type { ServiceTurns } from "../model/service-turns.ts";
import type { AppFacts, MetCondition } from "./facts.ts";
import { countOf, type Examined, evidence, type Finding, numbered } from "./finding.ts";

/** Maximum valid conditions examined. */
const SCAN_LIMIT = 50;

/** Turns of the atomic service by which something ready should have run. */
const TURNS = 3;

/** Reads nothing if no runner takes turns. Times without a zone are skipped, since their age is not known. */
export async function metConditions(reads: AppReads, turns: ServiceTurns): Promise<Examined<MetCondition>> {
  if (turns.members.length === 0) return { found: [], more: false };
  const { rows, total } = await listPending(reads, SCAN_LIMIT);
  const found = rows.flatMap(({ valid_condition_id, met_at, met_at_is_local, triggers }) => {
    const at = met_at === null || met_at_is_local ? null : epochFromIso(met_at);
    const ready = triggers.filter(({ state }) => state === "ready");
    return at === null || ready.length === 0 ? [] : [{ valid_condition_id, met_at: at, ready }];
  });
  return { found, more: (total ?? 0) > rows.length };
}

export function unclaimedConditions({ met, turns, stuck_runs, now, service_lag }: AppFacts): Finding | null {
  // A run that blocks all others has its own verdict.
  if (stuck_runs.length > 0) return null;
  const joined = Math.min(...turns.members.map((one) => one.creation_timestamp));
  const { interval_seconds } = turns.rules;
  const late = met.found.filter(
    ({ met_at }) => now - service_lag - Math.max(met_at, joined) > TURNS * interval_seconds,
  );
  if (late.length === 0) return null;
  const examined = { found: late, more: met.more };
  const triggers = [...new Set(late.flatMap(({ ready }) => ready.map(({ trigger_id }) => trigger_id)))];
  const since = Math.min(...late.map(({ met_at }) => met_at));
  const tasks = [...new Set(late.flatMap(({ ready }) => ready.map(({ task_id_key }) => task_id_key)))];
  return {
    code: "condition_not_claimed",
    severity: "warning",
    sentence: `${numbered({ found: triggers, more: met.more }, "trigger")} overdue`,
    detail: `${numbered(examined, "condition is", "conditions are")} met, but not yet used to start ${tasks.slice(0, 5).join(", ")}${tasks.length > 5 ? ` and ${met.more ? "at least " : ""}${tasks.length - 5} more` : ""}. ${counted(turns.members.length, "active runner takes", "active runners take")} turns in the atomic service, which runs triggers. Check the service runs.`,
    since,
    evidence: [
      ...evidence(
        "valid_condition",
        late.map(({ valid_condition_id }) => valid_condition_id),
      ),
      ...evidence("trigger", triggers, "has not run"),
    ],
    ...countOf(examined),
  };
}
