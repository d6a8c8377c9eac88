import type { ComponentChildren } from "preact";
import type { Stats } from "../../../src/api/stats.ts";
import { spansDays } from "../../../src/presentation/chart-scale.ts";
import { count, duration, instant } from "../../../src/presentation/text.ts";
import { inAddress } from "../../../src/pynenc/time.ts";
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
  const { slices, from, to } = stats;
  // All charts have the same slices, and each slice has a link in each chart.
  const hrefs = slices.map((slice, at) =>
    href({ from: inAddress(slice.from), to: inAddress(slices[at + 1]?.from ?? to) }),
  );
  const at = sliceTimes(stats);
  const titled = (words: (slice: Stats["slices"][number]) => string) => (index: number) => {
    const slice = slices[index];
    return slice === undefined ? "" : `${at(slice.from)}\n${words(slice)}`;
  };
  const of = <Name extends keyof Stats["slices"][number]>(name: Name) => slices.map((slice) => slice[name]);
  const seconds = (value: number | null) => (value === null ? "none" : duration(value));
  const known = (value: number | null) => (value === null ? "not known" : count(value));
  const drawn = (chart: StripChart, alone: boolean): Pick<TimeChartProps, "label" | "series" | "unit" | "title"> => {
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
            { values: slices.map((slice) => slice.failed + slice.retries), shape: "bars", tone: "second" },
            { values: of("failed"), shape: "bars", tone: "bad" },
          ],
          unit: "count",
          title: titled((slice) => `${count(slice.failed)} failed, ${count(slice.retries)} retried`),
        };
      case "wait":
        return {
          label: "Wait p95",
          series: [{ values: of("wait_p95"), shape: "line", tone: "plain" }],
          unit: "seconds",
          title: titled((slice) => seconds(slice.wait_p95)),
        };
      case "run":
        return {
          label: "Run p95",
          series: [
            { values: of("run_p50"), shape: "line", tone: "second" },
            { values: of("run_p95"), shape: "line", tone: "plain" },
          ],
          unit: "seconds",
          title: titled((slice) => `${seconds(slice.run_p95)}, p50 ${seconds(slice.run_p50)}`),
        };
      case "queued":
        return bars("Waiting for a runner", of("queued"), "plain", (slice) => `${known(slice.queued)} waited`);
      case "running":
        return bars("Running", of("running"), "plain", (slice) => `${known(slice.running)} ran`);
    }
  };
  const bars = (
    label: string,
    values: readonly (number | null)[],
    tone: "plain" | "bad",
    words: (slice: Stats["slices"][number]) => string,
  ) => ({ label, series: [{ values, shape: "bars" as const, tone }], unit: "count" as const, title: titled(words) });
  return (
    <>
      {charts.map(({ chart, head }) => (
        <TimeChart
          key={chart}
          {...drawn(chart, head !== undefined)}
          {...{ from, to, head }}
          tall={tall}
          href={(slice) => hrefs[slice] ?? ""}
        />
      ))}
    </>
  );
}

/** How the start of a slice reads: `06:25 UTC`, with the date in a range of more than a day. */
export function sliceTimes(range: Pick<Stats, "from" | "to">): (iso: string) => string {
  const start = spansDays(range) ? 0 : 11;
  return (iso) => `${instant(iso).slice(start, 16)} UTC`;
}
