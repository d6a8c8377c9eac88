import type { Stats } from "../../../src/api/stats.ts";
import { count, duration, instant } from "../../../src/presentation/text.ts";
import { TimeChart } from "../../svg/time-chart.tsx";
import { Time } from "../ui/time.tsx";

export interface StatsStripProps {
  stats: Pick<Stats, "slices" | "slice_seconds" | "from" | "to">;
  /** The same page about the part of the range that a slice covers. */
  href: (range: { from: string; to: string }) => string;
}

/** Small charts over one range; its beginning and end are written below them. */
export function StatsStrip({ stats, href }: StatsStripProps) {
  const { slices, slice_seconds, from, to } = stats;
  const rangeOf = (slice: number) => ({ from: slices[slice]?.from ?? from, to: slices[slice + 1]?.from ?? to });
  // In two lines: stats-strip.ts of the client shows them in two places.
  const titled = (words: (slice: Stats["slices"][number]) => string) => (at: number) => {
    const slice = slices[at];
    return slice === undefined ? "" : `${instant(slice.from)}, ${duration(slice_seconds)}\n${words(slice)}`;
  };
  const of = <Name extends keyof Stats["slices"][number]>(name: Name) => slices.map((slice) => slice[name]);
  const seconds = (value: number | null) => (value === null ? "none" : duration(value));
  const shared = { href: (slice: number) => href(rangeOf(slice)) };
  const known = (value: number | null) => (value === null ? "not known" : count(value));
  return (
    <section class="stats-strip" aria-label="Figures over time">
      <TimeChart
        {...shared}
        label="Finished"
        series={[{ values: of("finished"), shape: "bars", tone: "plain" }]}
        words={count}
        title={titled((slice) => `${count(slice.finished)} finished`)}
      />
      <TimeChart
        {...shared}
        label="Failed and retried"
        series={[
          { values: slices.map((slice) => slice.failed + slice.retries), shape: "bars", tone: "second" },
          { values: of("failed"), shape: "bars", tone: "bad" },
        ]}
        words={count}
        title={titled((slice) => `${count(slice.failed)} failed, ${count(slice.retries)} retried`)}
      />
      <TimeChart
        {...shared}
        label="Wait, p95"
        series={[{ values: of("wait_p95"), shape: "line", tone: "plain" }]}
        words={duration}
        title={titled((slice) => `wait p95 ${seconds(slice.wait_p95)}`)}
      />
      <TimeChart
        {...shared}
        label="Run, p95"
        series={[
          { values: of("run_p50"), shape: "line", tone: "second" },
          { values: of("run_p95"), shape: "line", tone: "plain" },
        ]}
        words={duration}
        title={titled((slice) => `run p95 ${seconds(slice.run_p95)}, p50 ${seconds(slice.run_p50)}`)}
      />
      {slices.some((slice) => slice.queued !== null) && (
        <>
          <TimeChart
            {...shared}
            label="Waiting for a runner"
            series={[{ values: of("queued"), shape: "bars", tone: "plain" }]}
            words={count}
            title={titled((slice) => `${known(slice.queued)} waited at its end`)}
          />
          <TimeChart
            {...shared}
            label="Running"
            series={[{ values: of("running"), shape: "bars", tone: "plain" }]}
            words={count}
            title={titled((slice) => `${known(slice.running)} ran at its end`)}
          />
        </>
      )}
      <p class="stats-times">
        <Time iso={from} />{" "}
        <span>
          <span class="stats-slices">{`slices of ${duration(slice_seconds)}`}</span>
          <span class="stats-at" />
        </span>{" "}
        <Time iso={to} />
      </p>
    </section>
  );
}
