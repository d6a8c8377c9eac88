import type { EventCounts } from "../../../src/api/events.ts";
import { counted } from "../../../src/pynenc/numbers.ts";
import { TimeChart } from "../../svg/time-chart.tsx";

export interface EventsOverTimeProps {
  label: string;
  events: EventCounts;
  /** The events of a slice. */
  href: (range: { from: string; to: string }) => string;
}

/** How many events there were, as one chart. */
export function EventsOverTime({ label, events, href }: EventsOverTimeProps) {
  const { counts, from, to, slice_seconds: seconds } = events;
  return (
    <section class="card stats-strip" aria-label="Events over time">
      <TimeChart
        label={label}
        wide
        series={[{ values: counts, shape: "bars", tone: "plain" }]}
        unit="count"
        {...{ from, to }}
        start={from}
        seconds={seconds}
        words={(slice) => counted(counts[slice] ?? 0, "event")}
        href={href}
      />
    </section>
  );
}
