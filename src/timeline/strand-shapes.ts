/** The shapes drawn for a strand. */
import type { ExceptionLine } from "../api/model/invocation-rows.ts";
import type { Extent } from "./packing.ts";

export interface BarShape {
  status: string;
  outcome: string | null;
  ongoing: boolean;
  /** The runner of the strand had died. */
  dead: boolean;
  /** Actual start and end; null if it continues or ends after the window. */
  began: string;
  ended: string | null;
  /** Actual duration; null if it continues or ends after the window. */
  seconds: number | null;
  x: number;
  width: number;
}

export interface PointShape {
  status: string;
  at: string;
  x: number;
}

/** A continuous stay of one invocation on one runner. */
export interface StrandShape {
  invocation_id: string;
  task_id_key: string | null;
  /** On one line; null if not stored. */
  arguments: string | null;
  exception: ExceptionLine | null;
  workflow_root: boolean;
  lane_key: string;
  runner_id: string | null;
  /** Row within the lane, from 0. */
  row: number;
  /** Vertical middle. */
  y: number;
  bars: BarShape[];
  points: PointShape[];
  /** Where its words go: in its longest run, which may be textured, or beside its last mark. Null if there is no place for its name, or it has no run. */
  label: (Extent & { textured: boolean }) | null;
}
