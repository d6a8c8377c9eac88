import type { ComponentChildren } from "preact";
import type { Stats } from "../../../src/api/stats.ts";
import { count, duration } from "../../../src/presentation/text.ts";
import { TimeChart, type TimeChartProps } from "../../svg/time-chart.tsx";

/** In the order in which they are shown. */
const CHARTS = ["registered", "finished", "failed", "wait", "run", "queued", "running"] as const;
export type StripChart = (typeof CHARTS)[number];

/** Charts of outcomes. The number of registrations is only useful next to a queue. */
const USUAL: readonly StripChart[] = CHARTS.filter((chart) => chart !== "registered");

export interface StatsStripProps {
  stats: Pick<Stats, "slices" | "slice_seconds" | "from" | "to">;
  /** The same page about the part of the range that a slice covers. */
  href: (range: { from: string; to: string }) => string;
  charts?: readonly StripChart[];
}

/** Charts over one range. */
export function StatsStrip({ stats, href, charts = USUAL }: StatsStripProps) {
  // For part of the invocations, or before the complete history has been read, the number in a status is not known.
  const ends = stats.slices.some((slice) => slice.queued !== null);
  const shown = charts.filter((chart) => ends || (chart !== "queued" && chart !== "running"));
  return (
    <section class="card stats-strip" aria-label="Figures over time">
      <StripCharts stats={stats} href={href} charts={shown.map((chart) => ({ chart }))} />
    </section>
  );
}

/** What is above a chart instead of its label. Failures are then drawn without retries, because a figure counts them. */
export interface HeadedChart {
  chart: StripChart;
  head?: ComponentChildren;
}

/** The charts alone. In a `.stats-strip` they share the slice that is pointed at. */
export function StripCharts({
  stats,
  href,
  charts,
  tall = false,
}: Pick<StatsStripProps, "stats" | "href"> & { charts: readonly HeadedChart[]; tall?: boolean }) {
  const { slices, from, to, slice_seconds: seconds } = stats;
  const words = (of: (slice: Stats["slices"][number]) => string) => (index: number) => {
    const slice = slices[index];
    return slice === undefined ? "" : of(slice);
  };
  const of = <Name extends keyof Stats["slices"][number]>(name: Name) => slices.map((slice) => slice[name]);
  const length = (value: number | null) => (value === null ? "none" : duration(value));
  const known = (value: number | null) => (value === null ? "not known" : count(value));
  const drawn = (
    chart: StripChart,
    alone: boolean,
  ): Pick<TimeChartProps, "label" | "series" | "unit" | "words" | "ends"> => {
    switch (chart) {
      case "registered":
        return bars("Registered", of("registered"), "plain", (slice) => `${count(slice.registered)} registered`);
      case "finished":
        return bars("Finished", of("finished"), "plain", (slice) => `${count(slice.finished)} finished`);
      case "failed":
        if (alone) return bars("Failed", of("failed"), "bad", (slice) => `${count(slice.failed)} failed`);
        return {
          label: "Failed and retried",
          series: [
            { values: slices.map((slice) => slice.failed + slice.retries), shape: "bars", tone: "warn" },
            { values: of("failed"), shape: "bars", tone: "bad" },
          ],
          unit: "count",
          words: words(({ failed, retries }) =>
            failed + retries === 0 ? "none" : `${count(failed)} failed, ${count(retries)} retried`,
          ),
        };
      case "wait":
        return {
          label: "Wait p95",
          series: [{ values: of("wait_p95_seconds"), shape: "line", tone: "plain" }],
          unit: "seconds",
          words: words((slice) => length(slice.wait_p95_seconds)),
        };
      case "run":
        return {
          label: "Run p95",
          series: [
            { values: of("run_p50_seconds"), shape: "line", tone: "second" },
            { values: of("run_p95_seconds"), shape: "line", tone: "plain" },
          ],
          unit: "seconds",
          words: words((slice) => `${length(slice.run_p95_seconds)}, p50 ${length(slice.run_p50_seconds)}`),
        };
      case "queued":
        return {
          ...bars("Waiting for a runner", of("queued"), "plain", ({ queued }) => `${known(queued)} waiting`),
          ends: true,
        };
      case "running":
        return { ...bars("Running", of("running"), "plain", ({ running }) => `${known(running)} running`), ends: true };
    }
  };
  const bars = (
    label: string,
    values: readonly (number | null)[],
    tone: "plain" | "bad",
    value: (slice: Stats["slices"][number]) => string,
  ) => ({ label, series: [{ values, shape: "bars" as const, tone }], unit: "count" as const, words: words(value) });
  return (
    <>
      {charts.map(({ chart, head }) => (
        <TimeChart
          key={chart}
          {...drawn(chart, head !== undefined)}
          {...{ from, to, seconds, head, href, tall }}
          start={slices[0]?.from ?? from}
        />
      ))}
    </>
  );
}
