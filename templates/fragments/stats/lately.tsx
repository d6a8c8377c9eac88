import type { Lately as LatelyModel } from "../../../src/api/stats.ts";
import { count, duration, instant } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { DurationMapSvg } from "../../svg/duration-map.tsx";
import { Card } from "../ui/card.tsx";
import { Notes } from "../ui/notes.tsx";
import { StatsStrip, type StripChart } from "./stats-strip.tsx";

export interface LatelyProps {
  lately: LatelyModel | null;
  /** The subject of the figures; absent for the whole app. */
  of?: { task_id?: string; runner?: string };
  charts?: readonly StripChart[];
}

/** Charts of the last hour, linked to the statistics. */
export function Lately({ lately, of = {}, charts }: LatelyProps) {
  const links = useLinks();
  if (lately === null) return null;
  const { total, durations, slices, entries, from, to, notes } = lately;
  const summary = [
    `${count(total.finished)} finished, ${count(total.failed)} failed, ${count(total.retries)} retried`,
    ...spread("wait", total.wait),
    ...spread("run", total.run),
  ];
  return (
    <section aria-label="Last hour">
      <p class="page-summary muted">
        Last hour: {entries === 0 ? "nothing happened" : summary.join("; ")}.{" "}
        <a href={links.stats(entries === 0 ? { ...of, range: "7d" } : { ...of, from, to })}>
          {entries === 0 ? "Statistics of 7 days" : "Statistics"}
        </a>
      </p>
      <Notes notes={notes} />
      {entries > 0 && (
        <StatsStrip stats={lately} href={(slice) => links.stats({ ...of, ...slice })} {...(charts && { charts })} />
      )}
      {durations !== null && durations.bounds.length > 0 && (
        <Card title="Runs by duration">
          <DurationMapSvg map={durations} title={(slice) => instant(slices[slice]?.from ?? "")} />
        </Card>
      )}
    </section>
  );
}

function spread(name: string, { p50, p95, p99 }: LatelyModel["total"]["run"]): string[] {
  if (p50 === null || p95 === null || p99 === null) return [];
  return [`${name} p50 ${duration(p50)}, p95 ${duration(p95)}, p99 ${duration(p99)}`];
}
