import type { ComponentChildren } from "preact";
/**
 * A timeline as SVG, from its geometry: for the page of the timeline, for smaller ones inside other pages (`compact`) and for a file of its own
 * (`linked` false).
 *
 * What scripts and tests may rely on. Times are ISO 8601 in UTC without an offset, six digits.
 *
 * | element | attributes |
 * |---|---|
 * | `div.timeline` | holds the two drawings, which have the same height and lanes at the same `y` |
 * | `svg.timeline-labels` | the names of the lanes, of a fixed width |
 * | `svg.timeline-plot` | `data-start`, `data-end`: the window; `data-plot-x`, `data-plot-width`: where it lies in the coordinates of the drawing (0 and the nominal width, stretched to the whole element); `data-axis-height` |
 * | `rect.lane`, `g.lane-label` | `data-lane-key`; `data-runner-id` of a lane of one runner |
 * | `a.strand` | one invocation on one runner: `data-invocation-id`, `data-task-id`, `data-runner-id`, `data-workflow-root` |
 * | `rect.bar` in it | `data-status`, `data-outcome` (the status that ended a run), `data-began`, `data-ended` (absent while it lasts) |
 * | `.point` in it, a circle or a rectangle | `data-status`, `data-at` |
 * | `path.transition` | `data-invocation-id`, `data-from-status`, `data-to-status` |
 * | `a.service` | a run of the atomic service: `data-atomic-service-run-id`, `data-runner-id`, `data-start`, `data-end`; or several: `data-count` instead of the id |
 * | `a.marker` | `data-event-id`, `data-event-code`, `data-emitter` (an invocation), `data-state` (triggered, matched, unmatched), `data-at`; of schedules `data-trigger-run-id` (ids, parted by spaces) instead of the event |
 * | `path.relation` | `data-relation-kind`, `data-from`, `data-to` (ids of invocations and events), `data-trigger-run-id` |
 * | `g.lane-cells` | changes that are counted and not drawn: `data-lane-key`, `data-count`, `data-failed` |
 * | `[data-part]` | a part whose children a refresh renews one by one (client/drawing-parts.ts): no other child of the same element has that name; the marks of a lane lie in one that has the lane's key, moved down to it |
 * | `[data-move]` above it | links to other windows: `earlier`, `zoom-in`, `zoom-out`, `later`, `fit`, `all` |
 * | `a.slice` | zooms into a part of a window that is counted: `data-start`, `data-end`, `data-count`, `data-failed` |
 *
 * What is selected carries the class `selected`. Scripts add `related` to what is lit and `tracing` to the `div.timeline` around it, which dims the
 * rest (timeline-interaction.css); and they make each drawing one stop of the Tab key. Positions along the time are percentages from the left edge of
 * the drawing, so nothing has to be computed when the page changes its width; paths lie in `svg.stretched`, whose coordinates are the
 * nominal ones.
 */
import type { TimelineGeometry } from "../../src/timeline/geometry.ts";
import type { Zoom } from "../../src/timeline/zoom-groups.ts";
import { naive, percent, trimmed } from "./numbers.ts";
import { Stretched } from "./stretched.tsx";
import { TimeAxis } from "./time-axis.tsx";
import { Markers, Relations, Services } from "./timeline-causes.tsx";
import { Cells, Slices } from "./timeline-cells.tsx";
import { LaneGrounds, LaneLabels, type Opening } from "./timeline-lanes.tsx";
import { Path, Strands, Textures, Transitions } from "./timeline-strands.tsx";

export interface TimelineSvgProps {
  geometry: TimelineGeometry;
  /** Words for those who do not see it: `Timeline from … to …`. */
  label: string;
  /** Ids of the selection and the focus. */
  selected?: readonly (string | null)[] | undefined;
  /** Address of the timeline of a slice; without it slices are not drawn. From `links.timeline`. */
  sliceHref?: Zoom | undefined;
  /** A `StuckAxis` above replaces its own axis. */
  axisAbove?: boolean | undefined;
  /** Lanes can be opened and closed. */
  opening?: Opening | undefined;
}

/** Labels beside the plot, which takes all the width there is. */
export function TimelineSvg(props: TimelineSvgProps) {
  const { geometry, axisAbove = false, opening } = props;
  const full = axisAbove ? " under-axis" : "";
  const variant = geometry.compact ? " timeline-compact" : full;
  return (
    <div class={`timeline${variant}`}>
      <svg class="timeline-labels" width="100%" height={trimmed(geometry.height)} aria-label="Lanes">
        <LaneLabels geometry={geometry} linked opening={opening} />
      </svg>
      <TimelinePlot {...props} linked />
    </div>
  );
}

/** The times above the lanes on their own, for the part of the page that stays in view while the lanes scroll. */
export function StuckAxis({ geometry, children }: { geometry: TimelineGeometry; children?: ComponentChildren }) {
  const { axis } = geometry;
  return (
    <div class="timeline stuck-axis">
      <span class="occupancy-labels">{children}</span>
      <svg class="axis-plot" width="100%" height={axis} aria-hidden="true">
        <TimeAxis geometry={{ ...geometry, height: axis }} />
      </svg>
    </div>
  );
}

export interface TimelinePlotProps extends TimelineSvgProps {
  /** Marks are links. False for a drawing that leaves the monitor. */
  linked: boolean;
  /** Place and width inside another drawing; by default the plot takes all the width. */
  x?: number | undefined;
  width?: number | undefined;
}

export function TimelinePlot({ geometry, label, selected = [], sliceHref, linked, x, width }: TimelinePlotProps) {
  const { height } = geometry;
  const chosen = new Set(selected.filter((id) => id !== null));
  return (
    <svg
      class="timeline-plot"
      x={x}
      width={width ?? "100%"}
      height={trimmed(height)}
      aria-label={label}
      data-start={naive(geometry.start)}
      data-end={naive(geometry.end)}
      data-plot-x="0"
      data-plot-width={geometry.width}
      data-axis-height={geometry.axis}
    >
      <Textures />
      <LaneGrounds geometry={geometry} />
      <TimeAxis geometry={geometry} />
      {geometry.uncounted.map(({ x, width: wide }) => (
        <rect
          key={x}
          class="scale-break-ground"
          x={percent(x, geometry.width)}
          width={percent(wide, geometry.width)}
          y={geometry.axis}
          height={trimmed(height - geometry.axis)}
        >
          <title>Status changes of this time are not counted: too many</title>
        </rect>
      ))}
      <Stretched width={geometry.width}>
        <Cells geometry={geometry} />
        <Transitions geometry={geometry} />
        <Relations geometry={geometry} />
      </Stretched>
      {sliceHref !== undefined && <Slices geometry={geometry} href={sliceHref} />}
      <Services geometry={geometry} linked={linked} selected={chosen} href={sliceHref} />
      <Strands geometry={geometry} linked={linked} selected={chosen} />
      <Path geometry={geometry} />
      <Markers geometry={geometry} linked={linked} selected={chosen} />
      {geometry.now !== null && (
        <line
          class="now"
          x1={percent(geometry.now, geometry.width)}
          x2={percent(geometry.now, geometry.width)}
          y1={geometry.axis}
          y2={trimmed(height)}
        />
      )}
    </svg>
  );
}
