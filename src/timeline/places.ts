/** Where the marks of each invocation are: lines lead from and to them. */
import { rowsBy } from "../pynenc/groups.ts";
import type { MarkerShape } from "./markers.ts";
import type { StrandShape } from "./strand-shapes.ts";

export interface Place {
  x: number;
  y: number;
  lane_key: string;
}

/** A bar, or a point, which begins and ends at one place. */
interface Stretch extends Place {
  right: number;
  status: string;
  /** Null if it ends after the window. */
  ended: string | null;
  began: string;
  strand: StrandShape;
}

/** The bars and points of a strand, by where they begin. */
export function stretchesOf(strand: StrandShape): Stretch[] {
  const { bars, points, y, lane_key } = strand;
  const shared = { y, lane_key, strand };
  return [
    ...bars.map(({ x, width, status, began, ended }) => ({ x, right: x + width, status, began, ended, ...shared })),
    ...points.map(({ x, status, at }) => ({ x, right: x, status, began: at, ended: at, ...shared })),
  ].sort((a, b) => a.x - b.x);
}

/** The last to end; of several, the last of them. */
export function lastOf(stretches: readonly Stretch[]): Stretch | null {
  return stretches.reduce<Stretch | null>((last, one) => (last === null || one.right >= last.right ? one : last), null);
}

export interface Places {
  first(invocationId: string): Place | null;
  last(invocationId: string): Place | null;
  /** The place nearest to a position on the time axis. */
  nearest(invocationId: string, x: number): Stretch | null;
}

export function placesOf(strands: readonly StrandShape[]): Places {
  const strandsOf = rowsBy(strands, (strand) => strand.invocation_id);
  const of = (id: string) => (strandsOf.get(id) ?? []).flatMap(stretchesOf);
  return {
    first: (id) => of(id).sort((a, b) => a.x - b.x)[0] ?? null,
    last(id) {
      const last = lastOf(of(id));
      return last && { ...last, x: last.right };
    },
    nearest(id, x) {
      const places = of(id).map((one) => ({ ...one, x: Math.min(one.right, Math.max(one.x, x)) }));
      return places.reduce<Stretch | null>(
        (best, one) => (best === null || Math.abs(one.x - x) < Math.abs(best.x - x) ? one : best),
        null,
      );
    },
  };
}

/** Markers by their event, or by each of their trigger runs. */
export function markersById(markers: readonly MarkerShape[]): ReadonlyMap<string, MarkerShape> {
  return new Map(
    markers.flatMap((one) =>
      (one.event_id === null ? one.trigger_run_ids : [one.event_id]).map((id) => [id, one] as const),
    ),
  );
}
