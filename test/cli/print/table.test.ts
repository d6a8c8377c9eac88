import stringWidth from "fast-string-width";
import { describe, expect, test } from "vitest";
import { type Column, cutText, printTable } from "../../../src/cli/print/table.ts";

interface Row {
  id: string;
  task: string;
  n: number;
}

const ROWS: Row[] = [
  { id: "0e5f93a1-1111-4222-8333-444455556666", task: "shop.orders.jobs.ship", n: 7 },
  { id: "short", task: "日本.関数", n: 1234 },
];

const COLUMNS: Column<Row>[] = [
  { title: "ID", cell: (row) => row.id, cut: "middle", min: 13 },
  { title: "TASK", cell: (row) => row.task, cut: "start", min: 8 },
  { title: "N", cell: (row) => String(row.n), align: "right" },
  { title: "NOTE", cell: () => "a remark", optional: true },
];

describe("printTable", () => {
  test("pads by the width of characters and cuts nothing without a terminal", () => {
    expect(printTable(COLUMNS, ROWS, null)).toEqual({
      lines: [
        "ID                                    TASK                      N  NOTE",
        "0e5f93a1-1111-4222-8333-444455556666  shop.orders.jobs.ship     7  a remark",
        "short                                 日本.関数              1234  a remark",
      ],
      left_out: [],
    });
  });

  test("cuts only columns that may be cut, the widest first", () => {
    const { lines, left_out } = printTable(COLUMNS, ROWS, 50);
    expect(lines[1]).toMatch(/^0e5f93a1\S*…\S*6666 {2}…\S*\.jobs\.ship {5}7 {2}a remark$/);
    expect(lines.map((line) => stringWidth(line) <= 50)).toEqual([true, true, true]);
    expect(left_out).toEqual([]);
  });

  test("leaves out optional columns when there is no room, and reports their names", () => {
    const { lines, left_out } = printTable(COLUMNS, ROWS, 36);
    expect(left_out).toEqual(["note"]);
    expect(lines.every((line) => stringWidth(line) <= 36)).toBe(true);
  });

  test("leaves out those that go first before other optional columns, wherever they are", () => {
    const first: Column<Row> = { title: "SHARE", cell: () => "0 %", optional: "first" };
    expect(printTable([first, ...COLUMNS], ROWS, 45).left_out).toEqual(["share"]);
    expect(printTable([first, ...COLUMNS], ROWS, 36).left_out).toEqual(["share", "note"]);
  });

  test("uses the short form of a column before it cuts", () => {
    const time: Column<Row> = { title: "TIME", cell: () => "2026-11-21 00:34:39.919", narrow: () => "3 s ago" };
    expect(printTable([COLUMNS[0] as Column<Row>, time], ROWS, 46).lines[1]).toBe(`${ROWS[0]?.id}  3 s ago`);
  });

  test("leaves out a column with empty cells only", () => {
    expect(
      printTable(
        [
          { title: "N", cell: (row) => String(row.n) },
          { title: "WARNING", cell: () => "" },
        ],
        ROWS,
        null,
      ).lines[0],
    ).toBe("N");
  });

  test("adds colours after cutting, and marks invisible characters", () => {
    const column: Column<Row> = {
      title: "X",
      cell: () => ({ text: "a\u001bb\nc-long", paint: (text) => `<${text}>` }),
      cut: "end",
      min: 4,
    };
    expect(printTable([column], ROWS.slice(0, 1), 5).lines).toEqual(["X", "<a␛b␊…>"]);
  });

  test("does not pad other lines to the width of one very long cell", () => {
    const rows = [{ id: "x".repeat(1_000_000), task: "t", n: 1 }, ...ROWS];
    expect(printTable(COLUMNS, rows, null).lines[2]?.length).toBeLessThan(200);
    expect(printTable(COLUMNS, rows, 80).lines.every((line) => stringWidth(line) <= 80)).toBe(true);
  });
});

test("names that would look the same when they are cut keep the part in which they differ", () => {
  const names = ["recover_pending_invocations", "recover_running_invocations", "shop.stock.count_shelf"];
  const column: Column<string> = { title: "TASK", cell: (name) => name, cut: "start" };
  const [, ...lines] = printTable([column], names, 16).lines;
  expect(lines).toEqual(["…_pending_invoc…", "…_running_invoc…", "…ock.count_shelf"]);
});

test("a table never gets wider than the terminal: columns become narrower than usual, then the last ones are left out", () => {
  const wide: Column<string>[] = ["NAME", "ONE", "TWO", "THREE"].map((title, at) => ({
    title,
    cell: () => "x".repeat(20),
    ...(at === 0 ? { cut: "end", min: 18 } : {}),
  }));
  expect(printTable(wide, ["row"], 60)).toMatchObject({ left_out: ["three"] });
  const { lines, left_out } = printTable(wide, ["row"], 30);
  expect([lines.map((line) => stringWidth(line) <= 30), left_out]).toEqual([
    [true, true],
    ["two", "three"],
  ]);
});

test("cutText cuts at the start, in the middle or at the end, by the width of characters", () => {
  expect(cutText("0e5f93a1-1111-4222-8333-444455556666", 13, "middle")).toBe("0e5f93a1…6666");
  expect(cutText("shop.orders.ship", 8, "start")).toBe("…rs.ship");
  expect(cutText("a long sentence", 7, "end")).toBe("a long…");
  // Never half a wide character: the column left over stays empty.
  expect(cutText("日本語", 4, "end")).toBe("日…");
  expect(cutText("fits", 4, "middle")).toBe("fits");
});
