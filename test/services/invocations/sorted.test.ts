/** Sorted lists, which need all matches to be read. */
import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../src/errors.ts";
import { listInvocations, readInvocationInput } from "../../../src/services/invocations/invocations.ts";
import { isSortable, MAX_SORTED, readSort } from "../../../src/services/invocations/sorted.ts";
import { NO_FILTER } from "../../../src/services/model/invocation-filter.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

/** `i0` to `i4`: registered a second apart, the later the shorter; the last goes on. */
const app = memoryApp().invocations(5, (n) => ({
  task: `shop.${"caabb"[n]}`,
  history: [[at(n), "registered"], ...(n === 4 ? [] : ([[at(20 - 2 * n), "success"]] as const))],
}));

const sorted = async (sort: string, page = { number: 1, size: 10 }) => {
  const list = await listInvocations(app.opened, { filter: NO_FILTER, page, sort: readSort(sort) });
  return { ids: list.invocations.map((row) => row.invocation_id).join(" "), page: list.page };
};

describe("a sorted list of invocations", () => {
  it.each([
    ["registered_at", "i0 i1 i2 i3 i4"],
    ["-registered_at", "i4 i3 i2 i1 i0"],
    ["status_at", "i4 i3 i2 i1 i0"],
    // One that has not ended has no duration, whichever way they go.
    ["duration_seconds", "i3 i2 i1 i0 i4"],
    ["-duration_seconds", "i0 i1 i2 i3 i4"],
    // Among equals the newest comes first.
    ["task_id_key", "i2 i1 i4 i3 i0"],
    ["-TASK_ID_KEY", "i0 i4 i3 i2 i1"],
  ])("is in the right order by %s", async (sort, ids) => {
    expect((await sorted(sort)).ids).toBe(ids);
  });

  it("is requested by a parameter that only lists have", async () => {
    const input = await readInvocationInput(app.opened, { sort: ["-status"], limit: ["2"] }, "list");
    expect(input.sort).toEqual({ field: "status", descending: true });
    expect((await readInvocationInput(app.opened, {}, "list")).sort).toBeNull();
    await expect(readInvocationInput(app.opened, { sort: ["size"] }, "list")).rejects.toThrow(/one of registered_at/);
    await expect(readInvocationInput(app.opened, { sort: ["-status"] })).rejects.toThrow(InvalidInputError);
  });

  it("is available if the number of matches is known and small enough", async () => {
    const { page } = await sorted("status");
    expect(isSortable(page)).toBe(true);
    expect(isSortable({ ...page, total: MAX_SORTED })).toBe(true);
    for (const more of [{ total: MAX_SORTED + 1 }, { total: null }, { total_capped: true }])
      expect(isSortable({ ...page, ...more })).toBe(false);
  });

  it("has pages", async () => {
    const { ids, page } = await sorted("registered_at", { number: 2, size: 2 });
    expect([ids, page]).toEqual(["i2 i3", expect.objectContaining({ total: 5, has_next: true, first_row: 3 })]);
  });

  it("is refused for too many matches, and for fields without an order", async () => {
    const many = memoryApp().invocations(MAX_SORTED + 1);
    const list = (sort: string) =>
      listInvocations(many.opened, { filter: NO_FILTER, page: { number: 1, size: 10 }, sort: readSort(sort) });
    await expect(list("status")).rejects.toThrow(InvalidInputError);
    await expect(list("-status")).rejects.toThrow(
      'sort: "-status" is not accepted; more than 1,000 invocations match, and no index has this order: narrow the search, or leave it newest first',
    );
    many.change((rows) => rows.statuses.pop() && rows.definitions.pop());
    expect((await list("status")).page.total).toBe(MAX_SORTED);
    expect(() => readSort("arguments")).toThrow(/one of registered_at, status_at/);
    expect([readSort(undefined), readSort("")]).toEqual([null, null]);
  });
});
