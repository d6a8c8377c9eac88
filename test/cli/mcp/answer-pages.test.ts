/** Answers in pages: each small enough and a document of its own, all together the whole. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AnswerPages, MOST_BYTES, MOST_UNDIVIDED_BYTES } from "../../../src/cli/mcp/answer-pages.ts";

function allPages(answer: object) {
  const pages = new AnswerPages();
  const found = [pages.first(answer)];
  for (let cursor = found[0]?.cursor; cursor != null; cursor = found.at(-1)?.cursor) {
    const page = pages.next(cursor);
    if (page === null) throw new Error("lost");
    found.push(page);
    if (found.length > 10_000) throw new Error("endless");
  }
  return found;
}

const rows = (count: number, text = "x".repeat(100)) => Array.from({ length: count }, (_, n) => ({ n, text }));

describe("pages of an answer to an assistant", () => {
  it("leave a small answer unchanged", () => {
    const answer = { a: [1, 2], b: { c: "d" } };
    expect(allPages(answer)).toEqual([{ answer, cursor: null, parts: [], shortened: 0 }]);
  });

  it("stay below the size limit, and together hold every item once, in order", () => {
    const answer = { title: "t", few: [1, 2, 3], inner: { many: rows(500) }, more: rows(300) };
    const pages = allPages(answer);
    expect(pages.length).toBeGreaterThan(3);
    for (const page of pages) expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(MOST_BYTES);
    const joined = (pick: (one: typeof answer) => unknown[]) =>
      pages.flatMap((page) => pick(page.answer as typeof answer));
    expect(joined((one) => one.inner.many)).toEqual(answer.inner.many);
    expect(joined((one) => one.more)).toEqual(answer.more);
    expect(joined((one) => one.few)).toEqual(answer.few);
    expect(pages.map((page) => (page.answer as typeof answer).title)).toEqual(pages.map(() => "t"));
    const [first] = pages;
    expect(first?.parts.map((part) => [part.list, part.from, part.of])).toEqual([
      ["more", 0, 300],
      ["inner.many", 0, 500],
    ]);
    expect(first?.parts[0]?.items).toBeGreaterThan(40);
    const end = pages.at(-1)?.parts[0];
    expect([end?.list, (end?.from ?? 0) + (end?.items ?? 0)]).toEqual(["inner.many", 500]);
  });

  it("shorten texts only as far as necessary, and shorten lists inside items last", () => {
    const [page, ...others] = allPages({ a: `${"y".repeat(100_000)}${"z".repeat(100_000)}`, b: "short" });
    expect(others).toEqual([]);
    const both = `${"y".repeat(2_000)} … ${"z".repeat(2_000)}`;
    expect(page?.shortened).toBe(1);
    expect(page?.answer).toEqual({ a: both, b: "short" });
    const huge = allPages({ items: [{ list: rows(400) }, { list: rows(2) }] });
    const items = huge.flatMap((one) => (one.answer as { items: { list: unknown[] }[] }).items);
    expect(items.map((item) => item.list.length)).toEqual([5, 2]);
    expect(huge[0]?.shortened).toBe(1);
  });

  it("become larger for an answer whose one part is, instead of a refusal", () => {
    const part = Object.fromEntries(rows(60, "y".repeat(150)).map(({ n, text }) => [`m${n}`, text]));
    const [page, ...others] = allPages({ part, list: rows(10) });
    expect([page?.answer, others.length]).toEqual([{ part, list: rows(10) }, 0]);
    expect(Buffer.byteLength(JSON.stringify(page))).toBeGreaterThan(MOST_BYTES);
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(MOST_UNDIVIDED_BYTES);
  });

  it("refuse an answer that cannot be divided", () => {
    const wide = Object.fromEntries(rows(5_000).map(({ n, text }) => [`m${n}`, text]));
    expect(() => new AnswerPages().first(wide)).toThrow("too large");
  });

  it("hold any list, whatever its items", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3_000 }), { maxLength: 60 }), (list) => {
        const pages = allPages({ list });
        expect(pages.flatMap((page) => (page.answer as { list: string[] }).list)).toEqual(list);
        for (const page of pages) expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(MOST_BYTES);
      }),
      { numRuns: 50 },
    );
  });
});

it("a cursor for further pages works once, and only the newest answers are kept", () => {
  const pages = new AnswerPages();
  const cursors = Array.from({ length: 25 }, () => pages.first({ list: rows(300) }).cursor ?? "");
  expect(pages.next(cursors[0] ?? "")).toBeNull();
  expect(pages.next(cursors[24] ?? "")).not.toBeNull();
  expect(pages.next(cursors[24] ?? "")).toBeNull();
  expect(pages.next("none")).toBeNull();
});
