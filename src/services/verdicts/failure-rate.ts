/** Tasks that fail more often than before. */
import { taskKeyOf } from "../../pynenc/keys.ts";
import { counted } from "../../pynenc/numbers.ts";
import type { EndedFacts } from "./facts.ts";
import { evidence, type Finding } from "./finding.ts";
import { exhausted } from "./retries.ts";
import { byRise, examplesOf, failingMore, nameOf, type Rise, riseSentence, sinceRise, WHEN } from "./rises.ts";
import type { TaskRise } from "./trend-facts.ts";

/** Number of tasks described individually. */
const SHOWN = 3;

export function failureRateUp(facts: EndedFacts): Finding | null {
  const { trends } = facts;
  if (trends === null) return null;
  const used = new Set(exhausted(facts).map(taskKeyOf));
  const up = failingMore(trends)
    .filter(({ task_id_key }) => !used.has(task_id_key))
    .sort(byRise);
  if (up.length === 0) return null;
  const shown = up.slice(0, SHOWN).map((one) => `${riseWords(one)}${groupWords(trends.rises.get(one.task_id_key))}`);
  return {
    code: "failure_rate_up",
    severity: "error",
    sentence: riseSentence(up, "fails more often than before", "fail more often than before"),
    detail: `${shown.join(" ")}${up.length > SHOWN ? ` And ${counted(up.length - SHOWN, "more task")}.` : ""} Only invocations that finished in the last hour count.`,
    since: sinceRise(up, trends, "failing_since"),
    evidence: [
      ...evidence("task", up.map(taskKeyOf)),
      ...evidence(
        "invocation",
        up.flatMap((one) => examplesOf(trends.rises.get(one.task_id_key))),
        "failed",
      ),
    ],
    count: up.length,
  };
}

function riseWords({ task_id_key, now, before, than }: Rise): string {
  return `${task_id_key}: ${now.hits} of ${now.of} failed, ${before.hits} of ${before.of} ${WHEN[than]}.`;
}

/** The group that grew most. */
function groupWords(rise: TaskRise | undefined): string {
  const largest = rise?.groups.find(({ failed }) => failed > 0);
  if (rise === undefined || largest === undefined) return "";
  return ` ${nameOf(largest)} rose most: ${largest.failed} in the last hour, ${largest.failed_before} ${WHEN[rise.than]}.`;
}
