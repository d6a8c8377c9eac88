/** Where the marks of each invocation are: lines lead from and to them. */
import { rowsBy } from "../pynenc/groups.ts";
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
  strand: StrandShape;
}

/** The bars and points of a strand, by where they begin. */
export function stretchesOf(strand: StrandShape): Stretch[] {
  const { bars, points, y, lane_key } = strand;
  return [
    ...bars.map(({ status, x, width }) => ({ x, right: x + width, y, lane_key, status, strand })),
    ...points.map(({ status, x }) => ({ x, right: x, y, lane_key, status, strand })),
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
