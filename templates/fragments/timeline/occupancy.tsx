import type { ComponentChildren } from "preact";
import { count } from "../../../src/presentation/text.ts";
import type { OccupancyGeometry } from "../../../src/timeline/occupancy.ts";
import { layerClass, layerName, OccupancySvg } from "../../svg/occupancy.tsx";

export interface OccupancyProps {
  occupancy: OccupancyGeometry;
  /** Address of the timeline of a part of the window. */
  zoomed: (window: { start_date: string; end_date: string }) => string;
  /** Shown below the labels: the choice of statuses to count. */
  children?: ComponentChildren;
}

/** How many invocations were in the chosen statuses in each slice, on the axis of the lanes below. */
export function Occupancy({ occupancy, zoomed, children }: OccupancyProps) {
  return (
    // Within another page it scrolls on narrow screens, so it must be focusable for keyboard users.
    <section
      class={occupancy.compact ? "timeline timeline-compact occupancy" : "timeline occupancy"}
      tabindex={occupancy.compact ? 0 : undefined}
      aria-label="Invocations over time"
    >
      <div class="occupancy-labels small">
        <p>
          {occupancy.max === 0 ? (
            "not known"
          ) : (
            <>
              peak <strong>{count(occupancy.max)}</strong>
            </>
          )}
        </p>
        {children}
      </div>
      <OccupancySvg geometry={occupancy} href={zoomed} />
    </section>
  );
}

/** Legend of the task colours. */
export function OccupancyTasks({ occupancy }: { occupancy: OccupancyGeometry }) {
  return (
    <ul class="occupancy-tasks row" aria-label="Tasks by colour">
      {occupancy.layers.map((layer) => (
        <li key={layer.task_id_key} class={layerClass(layer)} title={layerName(layer)}>
          <span class="swatch" />
          <bdi>{layerName(layer)}</bdi>
        </li>
      ))}
    </ul>
  );
}
