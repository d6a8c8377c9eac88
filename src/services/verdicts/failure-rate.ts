/** Tasks that fail more often than before. */
import { counted } from "../../pynenc/numbers.ts";
import type { EndedFacts } from "./facts.ts";
import type { Finding } from "./finding.ts";
import { withoutExhausted } from "./retries.ts";
import { aboutRises, failingMore, nameOf, type Rise, riseSentence, WHEN } from "./rises.ts";
import type { TaskRise } from "./trend-facts.ts";

/** Number of tasks described individually. */
const SHOWN = 3;

export function failureRateUp(facts: EndedFacts): Finding | null {
  const { trends } = facts;
  if (trends === null) return null;
  const up = withoutExhausted(failingMore(trends), facts);
  if (up.length === 0) return null;
  const shown = up.slice(0, SHOWN).map((one) => `${riseWords(one)}${groupWords(trends.rises.get(one.task_id_key))}`);
  return {
    code: "failure_rate_up",
    severity: "error",
    sentence: riseSentence(up, "fails more often than before", "fail more often than before"),
    detail: `${shown.join(" ")}${up.length > SHOWN ? ` And ${counted(up.length - SHOWN, "more task")}.` : ""} Only invocations that finished in the last hour count.`,
    ...aboutRises(up, trends, "failing_since", "failed"),
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
