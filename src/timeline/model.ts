/**
 * What a timeline consists of: the input of the geometry and, unchanged, the JSON version of the page. Instants are ISO 8601 text with six digits and
 * `+00:00`, so that saved JSON can be drawn again.
 */
import type { TimelineData, TimelineDensity } from "../api/timeline.ts";
import type { EpochSeconds } from "../pynenc/time.ts";

/** The part of it that is drawn. */
export interface DrawnData extends Omit<TimelineData, "counts" | "occupancy" | "density"> {
  density: DrawnDensity | null;
}

/** In a drawing, thousands of runners that share a lane share rows. */
export interface DrawnDensity extends TimelineDensity {
  /** Runners whose rows are those of the first of them. */
  together?: readonly (readonly string[])[];
}

/** A status change. */
export interface HistoryStep {
  at: EpochSeconds;
  status: string;
  runner_id: string | null;
  /** From then on its runner, which had died, did not work on it; absent if that is not so. */
  dead_from?: EpochSeconds;
}

export interface HistoryWindow {
  start: EpochSeconds;
  end: EpochSeconds;
  now: EpochSeconds;
}
