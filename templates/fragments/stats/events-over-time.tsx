import type { EventCounts } from "../../../src/api/events.ts";
import { count, duration, instant } from "../../../src/presentation/text.ts";
import { TimeChart } from "../../svg/time-chart.tsx";
import { StripTimes } from "./stats-strip.tsx";

export interface EventsOverTimeProps {
  label: string;
  events: EventCounts;
  /** The events of a slice. */
  href: (range: { from: string; to: string }) => string;
}

/** How many events there were, as one chart. */
export function EventsOverTime({ label, events, href }: EventsOverTimeProps) {
  const { counts, from, slice_seconds } = events;
  const at = (slice: number) => new Date(Date.parse(from) + slice * slice_seconds * 1_000).toISOString();
  return (
    <section class="stats-strip" aria-label="Events over time">
      <TimeChart
        label={label}
        series={[{ values: counts, shape: "bars", tone: "plain" }]}
        words={count}
        title={(slice) => `${instant(at(slice))}, ${duration(slice_seconds)}\n${count(counts[slice] ?? 0)} events`}
        href={(slice) => href({ from: at(slice), to: at(slice + 1) })}
      />
      <StripTimes {...events} />
    </section>
  );
}
