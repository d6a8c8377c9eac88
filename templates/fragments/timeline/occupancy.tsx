import type { ComponentChildren } from "preact";
import { count, duration } from "../../../src/presentation/text.ts";
import type { OccupancyGeometry } from "../../../src/timeline/occupancy.ts";
import { statusClass } from "../../assets/status-css.ts";
import { OccupancySvg } from "../../svg/occupancy.tsx";

export interface OccupancyProps {
  occupancy: OccupancyGeometry;
  /** Address of the timeline of a part of the window. */
  zoomed: (window: { start_date: string; end_date: string }) => string;
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
          <Legend occupancy={occupancy}>{children}</Legend>
        ) : (
          <p class="muted">all {duration((Date.parse(overview.end) - Date.parse(overview.start)) / 1_000)}</p>
        )}
      </div>
      <OccupancySvg geometry={occupancy} href={zoomed} />
    </section>
  );
}

function Legend({ occupancy, children }: Pick<OccupancyProps, "occupancy" | "children">) {
  const { compact, max, step, categories } = occupancy;
  return (
    <>
      <p>
        {max === 0 || step === null ? (
          "not known"
        ) : (
          <span title="Each column counts the invocations that were in a status at any time within it, once for each status">
            up to <strong>{count(max)}</strong> in {duration(step)}
          </span>
        )}
      </p>
      {compact && <QueueKey occupancy={occupancy} />}
      {children ?? (
        <span class="row">
          {categories.map((category) => (
            <span key={category} class={`status ${statusClass(category)}`}>
              <span class="status-dot" />
              {category}
            </span>
          ))}
        </span>
      )}
    </>
  );
}

/** What the line over the columns is. */
export function QueueKey({ occupancy: { queue, queue_max } }: Pick<OccupancyProps, "occupancy">) {
  if (queue.length === 0) return null;
  return (
    <span class="small" title="Invocations that waited for a runner at the end of each column, as on the overview">
      <svg width="16" height="8" aria-hidden="true">
        <path class="queue-line" d="M0 6H8V2H16" />
      </svg>{" "}
      queue: up to <strong>{count(queue_max)}</strong>
    </span>
  );
}
