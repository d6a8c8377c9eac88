import type { Lately as LatelyModel } from "../../../src/api/stats.ts";
import { count, duration, instant } from "../../../src/presentation/text.ts";
import { figuresRange, useRangeWords } from "../../layout/time-menu.tsx";
import { useLinks } from "../../links.ts";
import { DurationMapSvg } from "../../svg/duration-map.tsx";
import { Card } from "../ui/card.tsx";
import { Notes } from "../ui/notes.tsx";
import { NotRead } from "./nothing-recorded.tsx";
import { type StripChart, StripCharts } from "./stats-strip.tsx";

export interface LatelyProps {
  model: { lately: LatelyModel | null; lately_note: string | null };
  /** The subject of the figures; absent for the whole app. */
  of?: { task_id?: string; runner?: string };
  charts: readonly StripChart[];
}

/** Charts of a range, linked to the statistics. */
export function Lately({ model: { lately, lately_note }, of = {}, charts }: LatelyProps) {
  const links = useLinks();
  const range = useRangeWords(figuresRange(lately));
  if (lately === null) return lately_note === null ? null : <NotRead title={range} note={lately_note} />;
  const { total, durations, slices, entries, from, to, notes } = lately;
  const summary = [
    `${count(total.finished)} finished, ${count(total.failed)} of them failed`,
    `${count(total.retries)} retried`,
    ...p95("wait", total.wait),
    ...p95("run", total.run),
  ];
  return (
    <Card
      title={range}
      actions={
        <a href={links.stats(entries === 0 ? { ...of, range: "7d" } : { ...of, ...links.timeRange })}>
          {entries === 0 ? "Statistics of 7 days" : "Statistics"}
        </a>
      }
    >
      <p class="muted">{entries === 0 ? "Nothing happened." : summary.join(" · ")}</p>
      <Notes notes={notes} />
      {entries > 0 && (
        <div class="stats-strip">
          <StripCharts
            stats={lately}
            href={(slice) => links.stats({ ...of, ...slice })}
            charts={charts.map((chart) => ({ chart }))}
          />
        </div>
      )}
      {durations !== null && durations.bounds_seconds.length > 0 && (
        <>
          <h3 class="time-chart-label">
            Runs by duration, without pauses
            {of.task_id !== undefined && total.run.p50_seconds !== null && (
              <>
                {" · "}
                <a href={links.compare({ q: slowerThan(of.task_id, total.run.p50_seconds), range: "1d" })}>
                  Compare its slower runs of the last 24 h with the others
                </a>
              </>
            )}
          </h3>
          <DurationMapSvg
            map={durations}
            from={from}
            to={to}
            title={(slice) => `${instant(slices[slice]?.from ?? "").slice(11, 16)} UTC`}
          />
        </>
      )}
    </Card>
  );
}

/** A search for runs of a task that took longer than this many seconds. */
function slowerThan(task: string, seconds: number): string {
  return `task:${task} run>${Math.round(seconds * 1_000)}ms`;
}

function p95(name: string, { p95_seconds: p95 }: LatelyModel["total"]["run"]): string[] {
  return p95 === null ? [] : [`${name} p95 ${duration(p95)}`];
}
