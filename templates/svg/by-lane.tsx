import type { ComponentChild } from "preact";
import type { TimelineGeometry } from "../../src/timeline/geometry.ts";
import { trimmed } from "./numbers.ts";

export interface ByLaneProps<Shape> {
  geometry: TimelineGeometry;
  shapes: readonly Shape[];
  /** @param y where the lane begins; the mark is drawn as if that were 0. */
  children: (shape: Shape, y: number) => ComponentChild;
}

/** Marks, and lines by where they begin, in a group for each lane that has some, so that they are the same again when a lane above becomes higher. */
export function ByLane<Shape extends { lane_key: string }>({ geometry, shapes, children }: ByLaneProps<Shape>) {
  const marks = new Map<string, Shape[]>(geometry.lanes.map(({ key }) => [key, []]));
  for (const shape of shapes) marks.get(shape.lane_key)?.push(shape);
  return (
    <>
      {geometry.lanes.map(({ key, y }) => {
        const own = marks.get(key) ?? [];
        return own.length === 0 ? null : (
          <g key={key} transform={`translate(0 ${trimmed(y)})`} data-part={key}>
            {own.map((shape) => children(shape, y))}
          </g>
        );
      })}
    </>
  );
}
