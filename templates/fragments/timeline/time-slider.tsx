import type { Timeline } from "../../../src/api/timeline.ts";
import { instant } from "../../../src/presentation/text.ts";
import { KeptParameters } from "../../layout/kept-parameters.tsx";
import { useLinks } from "../../links.ts";
import { NO_WINDOW, type PageQuery } from "../../query.ts";
import { naive, percent } from "../../svg/numbers.ts";
import { HiddenField } from "../ui/filter-form.tsx";
import { Time } from "../ui/time.tsx";

export interface TimeSliderProps {
  timeline: Pick<Timeline, "at" | "start" | "end" | "data_span">;
  path: string;
  query: PageQuery;
  /** ISO 8601. */
  now: string;
}

/** Number of positions of the slider. */
const STEPS = 500;

/**
 * Selects an earlier instant to show, on the axis of the lanes below, up to now. Not drawn if nothing was recorded before the end of the window.
 * Its value is the instant, in epoch seconds.
 */
export function TimeSlider({ timeline: { at, start, end, data_span }, path, query, now }: TimeSliderProps) {
  const links = useLinks();
  const [from, to] = [epoch(start), epoch(end)];
  const last = Math.min(to, epoch(now));
  if (data_span === null || data_span.first > end || last <= from) return null;
  const kept = { ...query, ...NO_WINDOW, at: undefined, start_date: [naive(start)], end_date: [naive(end)] };
  const slider = (
    <input
      type="range"
      name="at"
      min={from}
      max={last}
      step={Number(((to - from) / STEPS).toFixed(6))}
      value={at === null ? last : Math.min(last, Math.max(from, epoch(at)))}
      aria-label="Show the timeline as of"
      aria-valuetext={at === null ? "now" : instant(at)}
    />
  );
  return (
    <form
      class="timeline time-slider"
      method="get"
      action={links.formAction(path)}
      // Another clock may have stamped entries later than now.
      data-latest={Math.min(epoch(data_span.last), epoch(now))}
    >
      <p class="time-slider-label small cut">
        As of <output>{at === null ? "now" : <Time iso={at} clock={end} />}</output>
        {at === null && <span class="muted needs-script"> (drag to go back)</span>}
        <button type="submit" class="button without-script">
          Show
        </button>
      </p>
      <KeptParameters time={false} then={false} />
      {Object.entries(kept).map(([name, values]) =>
        values?.map((value) => <HiddenField key={`${name} ${value}`} name={name} value={value} />),
      )}
      {last === to ? (
        slider
      ) : (
        // biome-ignore lint/a11y/noSvgWithoutTitle: it only says how wide the slider is
        <svg width="100%" height="24">
          <foreignObject width={percent(last - from, to - from)} height="24">
            {slider}
          </foreignObject>
        </svg>
      )}
    </form>
  );
}

/** Seconds, exact to the millisecond. */
function epoch(iso: string): number {
  return Date.parse(iso) / 1000;
}
