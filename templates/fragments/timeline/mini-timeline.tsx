import type { TimelineQuery } from "../../../src/api/model/common.ts";
import { instant } from "../../../src/presentation/text.ts";
import type { TimelineGeometry } from "../../../src/timeline/geometry.ts";
import type { OccupancyGeometry } from "../../../src/timeline/occupancy.ts";
import { useLinks } from "../../links.ts";
import { NO_WINDOW, type PageQuery } from "../../query.ts";
import { TimelineSvg } from "../../svg/timeline.tsx";
import { Card } from "../ui/card.tsx";
import { Notes } from "../ui/notes.tsx";
import { Occupancy } from "./occupancy.tsx";

export interface MiniTimelineProps {
  /** What is drawn, and where "Open in the timeline" leads; null when none of it has a time. */
  query: (TimelineQuery & { task_id?: string; group?: string }) | null;
  title?: string | undefined;
}

/** A small timeline within a page, loaded after the page so that the page does not wait for it (client/lazy-parts.ts). */
export function MiniTimeline({ query, title = "On the timeline" }: MiniTimelineProps) {
  const links = useLinks();
  if (query === null) return null;
  return (
    <Card title={title} flush actions={<a href={links.timeline({ ...query })}>Open in the timeline</a>}>
      <div id="mini-timeline" class="mini-timeline needs-script" data-lazy={links.compactTimeline({ ...query })} />
      <noscript>
        <p class="card-note muted">Drawing it here needs JavaScript. The link above works without.</p>
      </noscript>
    </Card>
  );
}

export interface CompactTimelineProps {
  geometry: TimelineGeometry;
  occupancy: OccupancyGeometry | null;
  /** Parameters of this timeline. */
  query: PageQuery;
  /** What is left out, as text. */
  notes: readonly string[];
  selected: readonly (string | null)[];
}

/** The content that is loaded. */
export function CompactTimeline({ geometry, occupancy, query, notes, selected }: CompactTimelineProps) {
  const links = useLinks();
  const { start, end, strands, markers, services, cells } = geometry;
  if (strands.length + markers.length + services.length + cells.length === 0) {
    return <p class="card-note muted">No history entry of it is stored.</p>;
  }
  return (
    <>
      <Notes notes={notes} />
      {/* A single invocation at a time is visible in the lanes already. */}
      {occupancy !== null && !occupancy.single && (
        <Occupancy occupancy={occupancy} zoomed={(window) => links.timeline({ ...query, ...NO_WINDOW, ...window })} />
      )}
      <TimelineSvg
        geometry={geometry}
        label={`Timeline from ${instant(start)} to ${instant(end)} UTC`}
        selected={selected}
      />
    </>
  );
}
