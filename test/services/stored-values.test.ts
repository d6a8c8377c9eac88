/** Stored strings as they are shown, with the value behind a reference. */
import { describe, expect, it } from "vitest";
import { clientDataKey } from "../../src/pynenc/identifiers.ts";
import { valueReader } from "../../src/services/stored-values.ts";
import { counting } from "../support/counting.ts";
import { memoryApp } from "../support/memory-app/memory-app.ts";

const LONG = JSON.stringify("x".repeat(300_000));

describe("a stored value", () => {
  it("is shown as it is, without a look at the client data", async () => {
    const { store, calls } = counting(memoryApp().store);
    const shown = await store.read(async (reads) => (await valueReader(reads, ["42"]))("42"));
    expect(shown).toEqual({
      stored: { form: "json", text: "42", truncated: false, size: 2, note: null, reference: null },
      resolved: null,
      dangling: false,
    });
    expect(calls()).toBe(0);
  });

  it("behind a reference is shown beside it; all references are looked up at once", async () => {
    const app = memoryApp().value("[1]").value("[2]");
    const { store, calls } = counting(app.store);
    const references = [clientDataKey("[1]"), clientDataKey("[2]"), clientDataKey("gone")];
    const shown = await store.read(async (reads) => references.map(await valueReader(reads, references)));
    expect(shown.map((value) => [value.stored.reference, value.resolved?.text ?? null, value.dangling])).toEqual([
      [references[0], "[\n  1\n]", false],
      [references[1], "[\n  2\n]", false],
      [references[2], null, true],
    ]);
    expect(calls()).toBe(1);
  });

  it("that is cut tells how large it is", async () => {
    const app = memoryApp().value(LONG);
    const reference = clientDataKey(LONG);
    const [direct, behind] = await app.store.read(async (reads) => {
      const show = await valueReader(reads, [reference], 100);
      return [show(LONG), show(reference)];
    });
    expect(direct?.stored).toMatchObject({ truncated: true, size: LONG.length });
    expect(direct?.stored.text.length).toBeLessThanOrEqual(100);
    expect(behind?.resolved).toMatchObject({ truncated: true, size: LONG.length });
    expect(behind?.resolved?.text.length).toBeLessThanOrEqual(100);
  });
});
