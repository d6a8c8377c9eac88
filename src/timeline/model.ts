/**
 * What a timeline is made of: the input of the geometry and, as it stands, the JSON twin of the page. Instants are ISO 8601 text with six
 * digits and `+00:00`, so that a twin that was saved can be drawn again.
 */
import type { TimelineData } from "../api/timeline.ts";

/** What of it has a place in the drawing. */
export type DrawnData = Omit<TimelineData, "counts" | "occupancy">;
