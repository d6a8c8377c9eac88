/** Which instant is at a place, both as shares: of the window and of the width. They are the same where no idle time is cut. */
import { alongCorners, type Corner } from "../../../src/timeline/corners.ts";

/**
 * The share of the window that has passed at a position; outside the drawing they are the same.
 *
 * @param breaks `data-breaks` of the drawing: where each begins and ends in the width, and in time.
 */
export function timeShare(x: number, breaks: string | undefined): number {
  if (x <= 0 || x >= 1) return x;
  const corners = (breaks ?? "").split(";").flatMap((one): Corner[] => {
    const [x1 = 0, x2 = 0, t1 = 0, t2 = 0] = one.split(" ").map(Number);
    return one === ""
      ? []
      : [
          [x1, t1],
          [x2, t2],
        ];
  });
  return alongCorners([[0, 0], ...corners, [1, 1]], x);
}
