/**
 * Lays out the boxes and lines of a family tree: generations from left to right, as a tidy tree (d3-hierarchy) of rows. Many childless siblings share
 * rows: fifty of them become a block of four columns instead of one long column.
 */

import { hierarchy, tree } from "d3-hierarchy";
import { rowsBy } from "../pynenc/groups.ts";

export interface LayoutNode {
  id: string;
  /** Parents come before their children. Null for the root, which is first. */
  parent: string | null;
  /** Has a box for omitted children below its children. */
  more: boolean;
}

export interface Box {
  /** The node; for a box of omitted children, their parent. */
  id: string;
  more: boolean;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** From the right side of one box to the left side of another. */
export interface Line {
  from: string;
  /** Null for the line to the box of omitted children. */
  to: string | null;
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  /** In a block, where boxes are in the way: the line goes down at `turn`, then along `lane`, between the rows. */
  detour: { turn: number; lane: number } | null;
}

export interface FamilyLayout {
  width: number;
  height: number;
  boxes: Box[];
  lines: Line[];
}

export const BOX_WIDTH = 240;
export const BOX_HEIGHT = 70;
const COLUMN_GAP = 48;
const ROW_GAP = 14;
const PADDING = 12;
const COLUMN = BOX_WIDTH + COLUMN_GAP;
const ROW = BOX_HEIGHT + ROW_GAP;

/** From this number on, childless siblings form a block. */
const BLOCK_FROM = 9;
/** Ratio of rows to columns at which a block is about square. */
const BLOCK_SHAPE = 4;
/** Distance between the rows of two families, in rows. */
const COUSINS = 1.25;

/** A drawn position: a node, or the box for its omitted children. */
interface Cell {
  id: string;
  more: boolean;
  /** The node where the line to this cell starts. */
  from: string | null;
  /** Column within a block; 0 is next to the parent. Null outside blocks. */
  column: number | null;
  /** The cells to its right. */
  next: Cell[];
}

/** Deterministic: the same nodes in the same order get the same positions. */
export function familyLayout(nodes: readonly LayoutNode[]): FamilyLayout {
  const [root] = nodes;
  if (root === undefined) return { width: 0, height: 0, boxes: [], lines: [] };
  const places = tree<Cell>()
    .nodeSize([ROW, COLUMN])
    .separation((a, b) => (a.data.from === b.data.from ? 1 : COUSINS))(
      hierarchy(cells(nodes, root), (cell) => cell.next),
    )
    .descendants();
  // d3 lays out from top to bottom: its x is our y.
  const top = places.reduce((least, place) => Math.min(least, place.x), 0) - PADDING;
  const boxes: Box[] = [];
  const lines: Line[] = [];
  const byId = new Map<string, Box>();
  for (const { data, x, y } of places) {
    const box = {
      id: data.id,
      more: data.more,
      x: PADDING + y,
      y: Math.round(x - top),
      width: BOX_WIDTH,
      height: BOX_HEIGHT,
    };
    boxes.push(box);
    if (!data.more) byId.set(data.id, box);
    const from = byId.get(data.from ?? "");
    if (from !== undefined) lines.push(line(from, box, data.column));
  }
  const right = boxes.reduce((most, box) => Math.max(most, box.x + box.width), 0);
  const bottom = boxes.reduce((most, box) => Math.max(most, box.y + box.height), 0);
  return { width: right + PADDING, height: bottom + PADDING, boxes, lines };
}

function line(from: Box, to: Box, column: number | null): Line {
  const y2 = to.y + to.height / 2;
  const x1 = from.x + from.width;
  return {
    from: from.id,
    to: to.more ? null : to.id,
    x1,
    y1: from.y + from.height / 2,
    x2: to.x,
    y2,
    detour: column === null ? null : { turn: x1 + COLUMN_GAP / 2, lane: column === 0 ? y2 : to.y - ROW_GAP / 2 },
  };
}

function cells(nodes: readonly LayoutNode[], root: LayoutNode): Cell {
  const children = rowsBy(nodes, (node) => node.parent ?? undefined);
  const top: Cell = { id: root.id, more: false, from: null, column: null, next: [] };
  const open: [Cell, LayoutNode][] = [[top, root]];
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const [cell, { id, more }] = entry;
    const below = (children.get(id) ?? []).map((node): [Cell, LayoutNode] => [
      { id: node.id, more: false, from: id, column: null, next: [] },
      node,
    ]);
    const families = below.filter(([, node]) => node.more || children.has(node.id));
    const childless = below.flatMap(([one, node]) => (node.more || children.has(node.id) ? [] : [one]));
    const rest: Cell[] = more ? [{ id, more: true, from: id, column: null, next: [] }] : [];
    if (childless.length < BLOCK_FROM) cell.next = [...below.map(([one]) => one), ...rest];
    else cell.next = [...families.map(([one]) => one), ...block([...childless, ...rest])];
    open.push(...families);
  }
  return top;
}

/** Arranges cells in a grid, column by column. */
function block(members: readonly Cell[]): Cell[] {
  const columns = Math.ceil(Math.sqrt(members.length / BLOCK_SHAPE));
  const rows = Math.ceil(members.length / columns);
  for (const [index, cell] of members.entries()) {
    cell.column = Math.floor(index / rows);
    const right = members[index + rows];
    if (right !== undefined) cell.next = [right];
  }
  return members.slice(0, rows);
}
