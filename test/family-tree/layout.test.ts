/** The layout on generated trees: nothing overlaps, everything is connected, and it is deterministic. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Box, familyLayout, type LayoutNode } from "../../src/family-tree/layout.ts";
import { cases } from "../support/cases.ts";

/** Trees of every shape: each node names one before it. */
const trees: fc.Arbitrary<LayoutNode[]> = fc
  .record({
    /** Deep where it is small, wide where it is large. */
    reach: fc.integer({ min: 1, max: 300 }),
    picks: fc.array(fc.record({ parent: fc.nat(), more: fc.boolean() }), { minLength: 1, maxLength: 300 }),
  })
  .map(({ reach, picks }) =>
    picks.map(({ parent, more }, n) => ({
      id: `n${n}`,
      parent: n === 0 ? null : `n${n - 1 - (parent % Math.min(n, reach))}`,
      more,
    })),
  );

const star = (children: number, more = false): LayoutNode[] => [
  { id: "root", parent: null, more },
  ...Array.from({ length: children }, (_, n) => ({ id: `c${n}`, parent: "root", more: false })),
];

const chain = (length: number): LayoutNode[] =>
  Array.from({ length }, (_, n) => ({ id: `c${n}`, parent: n === 0 ? null : `c${n - 1}`, more: false }));

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function overlaps(boxes: readonly Box[]): [string, string][] {
  return boxes.flatMap((a, i) =>
    boxes.slice(i + 1).flatMap((b): [string, string][] => (overlap(a, b) ? [[a.id, b.id]] : [])),
  );
}

describe("familyLayout", () => {
  it("gives each node a box, and one more for left-out children, without overlaps, inside the picture", () => {
    fc.assert(
      fc.property(trees, (nodes) => {
        const { boxes, width, height } = familyLayout(nodes);
        expect(boxes.filter((box) => !box.more).map((box) => box.id)).toHaveLength(nodes.length);
        expect(new Set(boxes.filter((box) => !box.more).map((box) => box.id))).toEqual(new Set(nodes.map((n) => n.id)));
        expect(
          boxes
            .filter((box) => box.more)
            .map((box) => box.id)
            .sort(),
        ).toEqual(nodes.flatMap((node) => (node.more ? [node.id] : [])).sort());
        expect(overlaps(boxes)).toEqual([]);
        const inside = (box: Box) =>
          Math.min(box.x, box.y) >= 0 && box.x + box.width <= width && box.y + box.height <= height;
        expect(boxes.filter((box) => !inside(box))).toEqual([]);
      }),
      { numRuns: cases(60) },
    );
  });

  it("connects the side of each node with the side of its parent", () => {
    fc.assert(
      fc.property(trees, (nodes) => {
        const { boxes, lines } = familyLayout(nodes);
        const at = new Map(boxes.filter((box) => !box.more).map((box) => [box.id, box]));
        const edges = lines.flatMap((line) => (line.to === null ? [] : [`${line.from}>${line.to}`]));
        expect(edges.sort()).toEqual(
          nodes.flatMap(({ id, parent }) => (parent === null ? [] : [`${parent}>${id}`])).sort(),
        );
        const wrong = lines.filter(({ from, to, x1, y1, x2, y2 }) => {
          const start = at.get(from);
          if (start === undefined || x1 !== start.x + start.width || y1 !== start.y + start.height / 2) return true;
          const end = to === null ? undefined : at.get(to);
          return x2 <= x1 || (end !== undefined && (x2 !== end.x || y2 !== end.y + end.height / 2));
        });
        expect(wrong).toEqual([]);
      }),
      { numRuns: cases(60) },
    );
  });

  it("leads no line through a box that it does not belong to", () => {
    fc.assert(
      fc.property(fc.integer({ min: 9, max: 200 }), (children) => {
        const { boxes, lines } = familyLayout(star(children));
        const around = lines.flatMap(({ to, x2, detour }) =>
          detour === null || to === null ? [] : [{ to, x2, detour }],
        );
        expect(around.length).toBeGreaterThan(0);
        const crossed = around.flatMap(({ to, x2, detour }) =>
          boxes.filter(
            (box) =>
              box.id !== to &&
              box.x < x2 &&
              box.x + box.width > detour.turn &&
              box.y < detour.lane &&
              box.y + box.height > detour.lane,
          ),
        );
        expect(crossed).toEqual([]);
      }),
    );
  });

  it("is deterministic", () => {
    fc.assert(
      fc.property(trees, (nodes) => {
        expect(familyLayout(structuredClone(nodes))).toEqual(familyLayout(nodes));
      }),
      { numRuns: cases(50) },
    );
  });

  it("puts a chain in one row and up to eight childless siblings in one column", () => {
    const row = familyLayout(chain(8)).boxes;
    expect(new Set(row.map((box) => box.y)).size).toBe(1);
    expect(row.map((box) => box.x)).toEqual(row.map((box) => box.x).sort((a, b) => a - b));
    const column = familyLayout(star(8)).boxes.slice(1);
    expect(new Set(column.map((box) => box.x)).size).toBe(1);
  });

  it("puts many siblings into a block of several columns, about a dozen rows high", () => {
    const { boxes, height } = familyLayout(star(50, true));
    const block = boxes.filter((box) => box.id !== "root" || box.more);
    expect(new Set(block.map((box) => box.x)).size).toBe(4);
    expect(height).toBeLessThan(14 * 84);
    const order = block.sort((a, b) => a.x - b.x || a.y - b.y).map((box) => (box.more ? "more" : box.id));
    expect(order).toEqual([...Array.from({ length: 50 }, (_, n) => `c${n}`), "more"]);
  });

  it("is empty without nodes, and one box for one node", () => {
    expect(familyLayout([])).toEqual({ width: 0, height: 0, boxes: [], lines: [] });
    expect(familyLayout(star(0)).boxes).toHaveLength(1);
  });
});
