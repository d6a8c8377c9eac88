/** Rows that several parts of an answer ask for by their ids. */
import { describe, expect, it, vi } from "vitest";
import { type KnownRows, MOST_KNOWN, rowsById } from "../../../src/services/app/rows-by-id.ts";

interface Row {
  id: string;
}

function asked(stored: readonly string[] = ["a", "b", "c"]) {
  const known: KnownRows<Row> = new Map();
  const read = vi.fn(async (ids: readonly string[]) => ids.filter((id) => stored.includes(id)).map((id) => ({ id })));
  const rows = rowsById<Row>(
    read,
    ({ id }) => id,
    async () => known,
  );
  return { known, read, rows, ids: async (...ids: string[]) => (await rows(ids)).map(({ id }) => id) };
}

describe("rows that are read by their ids", () => {
  it("are read with one call if they are asked for at the same time", async () => {
    const { read, ids } = asked();
    expect(await Promise.all([ids("a", "b"), ids("b", "c"), ids("nobody")])).toEqual([["a", "b"], ["b", "c"], []]);
    expect(read.mock.calls).toEqual([[["a", "b", "c", "nobody"]]]);
  });

  it("are not read again, also if they are not stored", async () => {
    const { read, ids } = asked();
    await ids("a", "nobody");
    expect(await ids("a", "nobody", "b", "a")).toEqual(["a", "b"]);
    expect(read.mock.calls).toEqual([[["a", "nobody"]], [["b"]]]);
  });

  it("are read only once for two requests, if the second one comes while they are read", async () => {
    const { read, ids } = asked();
    const first = ids("a");
    await new Promise((resolve) => setImmediate(resolve));
    expect(await Promise.all([first, ids("a")])).toEqual([["a"], ["a"]]);
    expect(read).toHaveBeenCalledTimes(1);
  });

  it("are answered although more are known than are remembered", async () => {
    const { known, ids } = asked();
    for (let n = 0; n < MOST_KNOWN; n++) known.set(`old ${n}`, null);
    expect(await ids("a", "nobody", "b")).toEqual(["a", "b"]);
    expect(known.has("a")).toBe(false);
  });

  it("fail for everyone who asked, if they cannot be read", async () => {
    const { read, rows } = asked();
    read.mockRejectedValueOnce(new Error("gone"));
    const answers = await Promise.allSettled([rows(["a"]), rows(["a", "b"])]);
    expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });
});
