import type { Stats } from "../../../src/api/stats.ts";
import { count, duration, instant } from "../../../src/presentation/text.ts";
import { inAddress } from "../../../src/pynenc/time.ts";
import { TimeChart, type TimeChartProps } from "../../svg/time-chart.tsx";
import { Time } from "../ui/time.tsx";

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

/** Small charts over one range, with its start and end below. */
export function StatsStrip({ stats, href, charts = USUAL }: StatsStripProps) {
  const { slices, slice_seconds, from, to } = stats;
  // All charts have the same slices, and each slice has a link in each chart.
  const hrefs = slices.map((slice, at) =>
    href({ from: inAddress(slice.from), to: inAddress(slices[at + 1]?.from ?? to) }),
  );
  // Two lines, which stats-strip.ts of the client shows in two places.
  const titled = (words: (slice: Stats["slices"][number]) => string) => (at: number) => {
    const slice = slices[at];
    return slice === undefined ? "" : `${instant(slice.from)}, ${duration(slice_seconds)}\n${words(slice)}`;
  };
  const of = <Name extends keyof Stats["slices"][number]>(name: Name) => slices.map((slice) => slice[name]);
  const seconds = (value: number | null) => (value === null ? "none" : duration(value));
  const known = (value: number | null) => (value === null ? "not known" : count(value));
  const drawn: Record<StripChart, Omit<TimeChartProps, "href">> = {
    registered: {
      label: "Registered",
      series: [{ values: of("registered"), shape: "bars", tone: "plain" }],
      words: count,
      title: titled((slice) => `${count(slice.registered)} registered`),
    },
    finished: {
      label: "Finished",
      series: [{ values: of("finished"), shape: "bars", tone: "plain" }],
      words: count,
      title: titled((slice) => `${count(slice.finished)} finished`),
    },
    failed: {
      label: "Failed and retried",
      series: [
        { values: slices.map((slice) => slice.failed + slice.retries), shape: "bars", tone: "second" },
        { values: of("failed"), shape: "bars", tone: "bad" },
      ],
      words: count,
      title: titled((slice) => `${count(slice.failed)} failed, ${count(slice.retries)} retried`),
    },
    wait: {
      label: "Wait, p95",
      series: [{ values: of("wait_p95"), shape: "line", tone: "plain" }],
      words: duration,
      title: titled((slice) => `wait p95 ${seconds(slice.wait_p95)}`),
    },
    run: {
      label: "Run, p95",
      series: [
        { values: of("run_p50"), shape: "line", tone: "second" },
        { values: of("run_p95"), shape: "line", tone: "plain" },
      ],
      words: duration,
      title: titled((slice) => `run p95 ${seconds(slice.run_p95)}, p50 ${seconds(slice.run_p50)}`),
    },
    queued: {
      label: "Waiting for a runner",
      series: [{ values: of("queued"), shape: "bars", tone: "plain" }],
      words: count,
      title: titled((slice) => `${known(slice.queued)} waited at its end`),
    },
    running: {
      label: "Running",
      series: [{ values: of("running"), shape: "bars", tone: "plain" }],
      words: count,
      title: titled((slice) => `${known(slice.running)} ran at its end`),
    },
  };
  // For part of the invocations, or before the complete history has been read, the number in a status is not known.
  const ends = slices.some((slice) => slice.queued !== null);
  const shown = charts.filter((chart) => ends || (chart !== "queued" && chart !== "running"));
  return (
    <section class="stats-strip" aria-label="Figures over time">
      {shown.map((chart) => (
        <TimeChart key={chart} {...drawn[chart]} href={(slice) => hrefs[slice] ?? ""} />
      ))}
      <StripTimes from={from} to={to} slice_seconds={slice_seconds} />
    </section>
  );
}

/** Times below the charts of a strip. */
export function StripTimes({ from, to, slice_seconds }: Pick<Stats, "from" | "to" | "slice_seconds">) {
  return (
    <p class="stats-times">
      <Time iso={from} />{" "}
      <span>
        <span class="stats-slices">{`slices of ${duration(slice_seconds)}`}</span>
        <span class="stats-at" />
      </span>{" "}
      <Time iso={to} />
    </p>
  );
}
