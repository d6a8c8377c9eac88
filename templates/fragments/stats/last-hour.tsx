import type { Trends } from "../../../src/api/stats.ts";
import { NOTHING } from "../../../src/presentation/text.ts";
import { Sparkline } from "../../svg/time-chart.tsx";

export const LAST_HOUR = { label: "1 hour", hint: "What it finished in the last hour, failed ones in red" };

/** What one task finished in the last hour, as a link to its statistics. @param trends null where there are no figures over time */
export function LastHour({ trends, task, href }: { trends: Trends | null; task: string; href: string }) {
  const row = trends?.rows.find((one) => one.task_id_key === task);
  if (row === undefined) return <span class="muted">{NOTHING}</span>;
  return (
    <a class="last-hour" href={href}>
      <Sparkline values={row.failed} of={row.finished} label="Last hour" />
    </a>
  );
}
