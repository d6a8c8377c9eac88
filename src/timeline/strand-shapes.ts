/** What is drawn of a strand. */
import type { ExceptionLine } from "../api/model/invocation-rows.ts";

export interface BarShape {
  status: string;
  outcome: string | null;
  ongoing: boolean;
  /** When it really began and ended; null if it continues or ends after the window. */
  began: string;
  ended: string | null;
  /** How long it really lasted; null if it continues or ends after the window. */
  seconds: number | null;
  x: number;
  width: number;
  /** It has room for words. */
  named: boolean;
}

export interface PointShape {
  status: string;
  at: string;
  x: number;
}

/** What one invocation did on one runner without leaving it. */
export interface StrandShape {
  invocation_id: string;
  task_id_key: string | null;
  /** On one line; null where not stored. */
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
}
