import type { ComponentChildren } from "preact";
import { count, duration, instant } from "../../../src/presentation/text.ts";
import { statusInfo } from "../../../src/pynenc/statuses.ts";
import type { OccupancyGeometry } from "../../../src/timeline/occupancy.ts";
import type { Zoom } from "../../../src/timeline/zoom-groups.ts";
import { statusClass } from "../../assets/status-css.ts";
import { naive } from "../../svg/numbers.ts";
import { loadWords, OccupancySvg } from "../../svg/occupancy.tsx";

export interface OccupancyProps {
  occupancy: OccupancyGeometry;
  /** Address of the timeline of a part of the window. */
  zoomed: Zoom;
  /** Which statuses are counted, with their colours; by default their names. */
  children?: ComponentChildren;
}

/** How many invocations were in the chosen statuses in each slice, on the axis of the lanes below. */
export function Occupancy({ occupancy, zoomed, children }: OccupancyProps) {
  const { compact, overview } = occupancy;
  return (
    // Within another page it scrolls on narrow screens, so it must be focusable for keyboard users.
    <section
      id={overview === null ? undefined : "timeline-overview"}
      class={compact ? "timeline timeline-compact occupancy" : "timeline occupancy"}
      tabindex={compact ? 0 : undefined}
      aria-label={overview === null ? "Invocations over time" : "All that is stored, with the window that is shown"}
    >
      <div class="occupancy-labels small">
        {overview === null ? (
          <Legend occupancy={occupancy} zoomed={zoomed}>
            {children}
          </Legend>
        ) : (
          <p class="muted">all {duration((Date.parse(overview.end) - Date.parse(overview.start)) / 1_000)}</p>
        )}
      </div>
      <OccupancySvg geometry={occupancy} href={zoomed} />
    </section>
  );
}

function Legend({ occupancy, zoomed, children }: OccupancyProps) {
  const { compact, max, peak, peaks, at_once, step, categories } = occupancy;
  const within = step === null ? "" : `within ${duration(step)}`;
  return (
    <>
      <p>
        {max === 0 || step === null ? (
          "not known"
        ) : (
          <span
            title={
              at_once
                ? `Each column: the most at once ${within}, each invocation counted once`
                : `Each column: all that were in a status at any time ${within}, once for each status`
            }
          >
            up to <strong>{loadWords(occupancy, peak, peaks)}</strong>
          </span>
        )}
      </p>
      {compact && <QueueKey occupancy={occupancy} zoomed={zoomed} />}
      {children ?? (
        <span class="row">
          {categories.map((category) => (
            <CategoryName key={category} category={category} />
          ))}
        </span>
      )}
    </>
  );
}

/** A category that is counted, in its colour (behaviour.md 6). */
export function CategoryName({ category }: { category: string }) {
  const meaning = category === "registered" ? "waits in the queue: registered, rerouted or retry" : null;
  return (
    <span class={`status ${statusClass(category)}`} title={meaning ?? statusInfo(category).meaning}>
      <span class="status-dot" />
      {category}
    </span>
  );
}

/** What the line over the columns is; why there is none, where there is room for that. */
export function QueueKey({ occupancy, zoomed }: Pick<OccupancyProps, "occupancy" | "zoomed">) {
  const {
    compact,
    queue,
    queue_max,
    queue_longest: longest,
    queue_last,
    queue_at_ends,
    queue_unknown,
    until_now,
  } = occupancy;
  if (queue.length === 0) {
    return compact || queue_unknown === null ? null : <p class="small">queue: {queue_unknown}</p>;
  }
  const which = queue_at_ends ? "at the end of each column, as on the overview" : "the most at once in each column";
  const peak = (
    <>
      peak <strong>{count(queue_max)}</strong>
    </>
  );
  return (
    <p class="small" title={`Invocations that waited for a runner: ${which}`}>
      <svg width="16" height="8" aria-hidden="true">
        <path class="queue-line" d="M0 6H8V2H16" />
      </svg>{" "}
      queue:{" "}
      {longest === null ? (
        peak
      ) : (
        <a
          href={zoomed({ start_date: naive(longest.start), end_date: naive(longest.end) })}
          title={`${queue_at_ends ? "At" : `Between ${instant(longest.start)} and`} ${instant(longest.end)}. Zoom in`}
        >
          {peak}
        </a>
      )}
      {queue_last !== null && (until_now ? `, now ${count(queue_last)}` : `, ${count(queue_last)} at the end`)}
    </p>
  );
}
