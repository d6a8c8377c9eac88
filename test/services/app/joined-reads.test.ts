/** Reads of one answer that overlap share a snapshot. */
import { describe, expect, it } from "vitest";
import { StoreUnreachableError } from "../../../src/errors.ts";
import { joinedReads } from "../../../src/services/app/joined-reads.ts";
import type { AppReads } from "../../../src/stores/ports/store.ts";

/** A store that numbers its snapshots, and says which have ended. */
function snapshots() {
  let begun = 0;
  const ended: number[] = [];
  const read = joinedReads(async (fn) => {
    const number = ++begun;
    await fn({ number } as unknown as AppReads);
    ended.push(number);
  });
  const numberOf = (reads: AppReads) => (reads as unknown as { number: number }).number;
  return { read, numberOf, ended };
}

const later = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("reads of one answer", () => {
  it("see one snapshot if they overlap, which ends after the last of them", async () => {
    const { read, numberOf, ended } = snapshots();
    let finish = (): void => undefined;
    const long = read(async (reads) => {
      await new Promise<void>((resolve) => (finish = resolve));
      return numberOf(reads);
    });
    expect(await read(async (reads) => numberOf(reads))).toBe(1);
    await later();
    expect(ended).toEqual([]);
    finish();
    expect(await long).toBe(1);
    await later();
    expect(ended).toEqual([1]);
  });

  it("see a new snapshot after all others have ended", async () => {
    const { read, numberOf, ended } = snapshots();
    expect(await read(async (reads) => numberOf(reads))).toBe(1);
    expect(await read(async (reads) => numberOf(reads))).toBe(2);
    await later();
    expect(ended).toEqual([1, 2]);
  });

  it("fail alone, while others go on in the same snapshot", async () => {
    const { read, numberOf, ended } = snapshots();
    const failing = read(() => Promise.reject(new Error("no such row")));
    const other = read(async (reads) => {
      await later();
      return numberOf(reads);
    });
    await expect(failing).rejects.toThrow("no such row");
    expect(await other).toBe(1);
    await later();
    expect(ended).toEqual([1]);
  });

  it("all fail if no snapshot can begin, and the next ones try again", async () => {
    let tries = 0;
    const read = joinedReads(async (fn) => {
      if (++tries === 1) throw new StoreUnreachableError("failed", "The file is gone.");
      await fn({} as AppReads);
    });
    const both = await Promise.allSettled([read(async () => 1), read(async () => 2)]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await read(async () => 3)).toBe(3);
  });
});
