import type { EventCounts } from "../../../src/api/events.ts";
import { count } from "../../../src/presentation/text.ts";
import { TimeChart } from "../../svg/time-chart.tsx";
import { sliceTimes } from "./stats-strip.tsx";

export interface EventsOverTimeProps {
  label: string;
  events: EventCounts;
  /** The events of a slice. */
  href: (range: { from: string; to: string }) => string;
}

/** How many events there were, as one chart. */
export function EventsOverTime({ label, events, href }: EventsOverTimeProps) {
  const { counts, from, to, slice_seconds } = events;
  const at = (slice: number) => new Date(Date.parse(from) + slice * slice_seconds * 1_000).toISOString();
  const time = sliceTimes(events);
  return (
    <section class="card stats-strip" aria-label="Events over time">
      <TimeChart
        label={label}
        series={[{ values: counts, shape: "bars", tone: "plain" }]}
        unit="count"
        {...{ from, to }}
        title={(slice) => `${time(at(slice))}\n${count(counts[slice] ?? 0)} events`}
        href={(slice) => href({ from: at(slice), to: at(slice + 1) })}
      />
    </section>
  );
}
