/** Stored strings as they are shown, with the value behind a reference. */
import { describe, expect, it } from "vitest";
import { clientDataKey } from "../../../src/pynenc/identifiers.ts";
import { invocationDetail } from "../../../src/services/invocations/invocation-detail.ts";
import { exceptionNames, exceptionReader, valueReader } from "../../../src/services/model/stored-values.ts";
import { counting } from "../../support/counting.ts";
import { memoryApp } from "../../support/memory-app/memory-app.ts";

const LONG = JSON.stringify("x".repeat(300_000));

describe("a stored value", () => {
  it("without a reference is shown as it is, and client data is not read", async () => {
    const { store, calls } = counting(memoryApp().store);
    const shown = await store.read(async (reads) => (await valueReader(reads, ["42"]))("42"));
    expect(shown).toEqual({
      stored: { form: "json", text: "42", truncated: false, size: 2, note: null, reference: null },
      resolved: null,
      dangling: false,
    });
    expect(calls()).toBe(0);
  });

  it("behind a reference is shown beside it; all references are read in one step", async () => {
    const app = memoryApp().value("[1]").value("[2]");
    const { store, calls } = counting(app.store);
    const references = [clientDataKey("[1]"), clientDataKey("[2]"), clientDataKey("gone")];
    const shown = await store.read(async (reads) => {
      const show = await valueReader(reads, references);
      return references.map((text) => show(text));
    });
    expect(shown.map((value) => [value.stored.reference, value.resolved?.text ?? null, value.dangling])).toEqual([
      [references[0], "[\n  1\n]", false],
      [references[1], "[\n  2\n]", false],
      [references[2], null, true],
    ]);
    expect(calls()).toBe(1);
  });

  it("that is cut is shown with its full size", async () => {
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

describe("a stored exception", () => {
  const OBJECT = JSON.stringify({
    "py/reduce": [{ "py/type": "models.CardDeclined" }, { "py/tuple": ["card declined"] }, { code: 402 }],
  });
  const envelope = (error_name: string, pynenc_error: boolean, error_data: string) =>
    JSON.stringify({ error_name, pynenc_error, error_data });
  const read = (app: ReturnType<typeof memoryApp>, stored: string, characters?: number) =>
    app.store.read(async (reads) => (await exceptionReader(reads, [stored], 10_000, characters))(stored));

  it("is read alike whether its object is in the row or in client data", async () => {
    const inRow = await read(memoryApp(), envelope("CardDeclined", false, OBJECT));
    const kept = await read(memoryApp().value(OBJECT), envelope("CardDeclined", false, clientDataKey(OBJECT)));
    for (const { exception } of [inRow, kept])
      expect(exception).toMatchObject({ type: "models.CardDeclined", message: "card declined" });
    expect([inRow.resolved, kept.resolved?.dangling]).toEqual([null, false]);
    expect(kept.resolved?.resolved?.text).toContain("CardDeclined");
  });

  it("whose object is gone or not JSON has the name of its class and no message", async () => {
    const gone = await read(memoryApp(), envelope("CardDeclined", false, clientDataKey(OBJECT)));
    const pickled = await read(memoryApp(), envelope("CardDeclined", false, "gASVAAAA"));
    for (const { exception } of [gone, pickled])
      expect(exception).toMatchObject({ error_name: "CardDeclined", type: "CardDeclined", message: null });
    expect(gone.resolved?.dangling).toBe(true);
  });

  it("whose object was read in part has the type and message as far as they were read", async () => {
    const reference = envelope("CardDeclined", false, clientDataKey(OBJECT));
    const told = async (characters: number) => {
      const { exception, resolved } = await read(memoryApp().value(OBJECT), reference, characters);
      expect(resolved?.resolved).toMatchObject({ truncated: true, cut: true });
      return [exception.error_name, exception.type, exception.message];
    };
    expect(await told(20)).toEqual(["CardDeclined", "CardDeclined", null]);
    expect(await told(OBJECT.indexOf("declined"))).toEqual(["CardDeclined", "models.CardDeclined", "card "]);
  });

  it("of pynenc itself has its members as message", async () => {
    const messages = ["{}", '{"message": "no such task", "task_id_key": "t.f"}', '{"task_id_key": "t.f"}'];
    const shown = await Promise.all(messages.map((data) => read(memoryApp(), envelope("RetryError", true, data))));
    expect(shown.map(({ exception }) => [exception.type, exception.message])).toEqual([
      ["RetryError", ""],
      ["RetryError", "no such task"],
      ["RetryError", '{"task_id_key": "t.f"}'],
    ]);
  });

  it("that is unreadable has neither type nor message", async () => {
    const { exception } = await read(memoryApp(), "boom");
    expect(exception).toMatchObject({ error_name: "unreadable", type: null, message: null });
  });

  it("is decoded alike for the page and for JSON", async () => {
    const stored = envelope("CardDeclined", false, clientDataKey(OBJECT));
    const app = memoryApp().value(OBJECT).invocation("a", { exception: stored });
    expect((await invocationDetail(app.opened, "a")).exception).toEqual(await read(app, stored));
  });
});

describe("the names of many exceptions", () => {
  const named = (error_name: string) => JSON.stringify({ error_name, error_data: "x".repeat(30_000) });
  const late = (characters: number) => JSON.stringify({ error_data: "x".repeat(characters), error_name: "Late" });
  const app = () =>
    memoryApp()
      .invocation("first", { exception: named("First") })
      .invocation("late", { exception: late(1_000) })
      .invocation("unread", { exception: late(30_000) })
      .invocation("odd", { exception: "no JSON" });

  it("are found at the beginning of the exception, or within as much of it as pages read", async () => {
    const names = await app().store.read((reads) => exceptionNames(reads, ["first", "late", "unread", "odd", "none"]));
    expect(Object.fromEntries(names)).toEqual({
      first: "First",
      late: "Late",
      unread: "too large to be read",
      odd: "unreadable",
    });
  });

  it("take one read if each exception begins with its name", async () => {
    const { store, calls } = counting(app().store);
    await store.read((reads) => exceptionNames(reads, ["first", "odd"]));
    expect(calls()).toBe(1);
  });
});
