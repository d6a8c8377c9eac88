/**
 * What a timeline consists of: the input of the geometry and, unchanged, the JSON version of the page. Instants are ISO 8601 text with six digits and
 * `+00:00`, so that saved JSON can be drawn again.
 */
import type { TimelineData } from "../api/timeline.ts";

/** The part of it that is drawn. */
export type DrawnData = Omit<TimelineData, "counts" | "occupancy">;
