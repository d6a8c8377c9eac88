import type { TimelineGeometry } from "../../src/timeline/geometry.ts";
import { trimmed } from "./numbers.ts";
import { TimelinePlot } from "./timeline.tsx";
import { LaneLabels } from "./timeline-lanes.tsx";

export interface TimelineFileProps {
  geometry: TimelineGeometry;
  title: string;
  /** Text of the stylesheets that the page has: the file refers to nothing outside itself. */
  styles: string;
}

const LABELS = 240;
const TITLE = 28;

/** A timeline as a file of its own: light, of a fixed size, without links. */
export function TimelineFile({ geometry, title, styles }: TimelineFileProps) {
  const { width, height } = geometry;
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      data-theme="light"
      width={LABELS + width}
      height={trimmed(height + TITLE)}
      viewBox={`0 0 ${LABELS + width} ${trimmed(height + TITLE)}`}
    >
      <title>{title}</title>
      <style>{styles}</style>
      <rect width="100%" height="100%" fill="#ffffff" />
      <text x="10" y="19" font-family="system-ui, sans-serif" font-size="13" font-weight="600" fill="#1a2029">
        {title}
      </text>
      <svg class="timeline-labels" aria-hidden="true" y={TITLE} width={LABELS} height={trimmed(height)}>
        <LaneLabels geometry={geometry} linked={false} />
      </svg>
      <svg y={TITLE} width="100%" height={trimmed(height)} aria-hidden="true">
        <TimelinePlot geometry={geometry} label={title} linked={false} x={LABELS} width={width} />
      </svg>
    </svg>
  );
}
