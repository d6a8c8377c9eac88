/** A call and the invocations that made it. */
import { describe, expect, it } from "vitest";
import { NotFoundError } from "../../../src/errors.ts";
import { argumentsId } from "../../../src/pynenc/identifiers.ts";
import { callDetail } from "../../../src/services/tasks/calls.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

const KEY = "shop.pay:no_args";

describe("a call", () => {
  it("shows its task, its arguments and its invocations, newest first", async () => {
    const given = { order: "17", note: '"é"' };
    const app = memoryApp().invocation("a", { arguments: given }).invocation("b", { arguments: given }).invocation("c");
    const key = `shop.pay:${argumentsId(given)}`;
    const call = await callDetail(app.opened, key, {});
    expect(call).toMatchObject({ module: "shop", function: "pay", arguments_stored: true, arguments_unreadable: null });
    expect(call.arguments.map(({ name, value }) => [name, value.stored.text])).toEqual([
      ["order", "17"],
      ["note", '"é"'],
    ]);
    expect(call.invocations.map((row) => row.invocation_id)).toEqual(["b", "a"]);
    expect(call.page).toMatchObject({ total: 2, total_capped: false, has_next: false });
  });

  it("takes pages of 1 to 500 invocations", async () => {
    const app = memoryApp().invocations(3);
    const limited = async (limit: string) => (await callDetail(app.opened, KEY, { limit: [limit] })).invocations.length;
    expect([await limited("1"), await limited("500")]).toEqual([1, 3]);
    for (const limit of ["0", "501"]) await expect(limited(limit)).rejects.toThrow(/limit/);
  });

  it("has an exact total below 10,000, and a lower bound above", async () => {
    const app = memoryApp().invocations(9_999);
    expect((await callDetail(app.opened, KEY, {})).page).toMatchObject({ total: 9_999, total_capped: false });
    app.invocation("one").invocation("two");
    expect((await callDetail(app.opened, KEY, {})).page).toMatchObject({ total: 10_000, total_capped: true });
  });

  it("is found even if the orchestrator has purged its invocations", async () => {
    const app = memoryApp().invocation("a", {
      status: null,
      history: [
        [at(0), "registered"],
        [at(2), "success"],
      ],
    });
    const { invocations, page } = await callDetail(app.opened, KEY, {});
    expect(invocations.map((row) => [row.invocation_id, row.status])).toEqual([["a", "success"]]);
    expect([page.total, page.total_capped]).toEqual([1, false]);
  });

  it("says if its arguments are not stored, or are unreadable", async () => {
    const gone = memoryApp().invocation("a", { definition: null });
    expect(await callDetail(gone.opened, KEY, {})).toMatchObject({
      arguments: [],
      arguments_stored: false,
      arguments_unreadable: null,
    });
    const torn = memoryApp().invocation("a", { definition: { serialized_arguments: "[1" } });
    expect(await callDetail(torn.opened, KEY, {})).toMatchObject({
      arguments: [],
      arguments_stored: true,
      arguments_unreadable: "[1",
    });
  });

  it.each(["shop.ship:no_args", "", "shop.pay", ":x", "pay:no_args"])(
    "%j is not found if no invocation has it",
    async (key) => {
      const app = memoryApp().invocation("a");
      await expect(callDetail(app.opened, key, {})).rejects.toBeInstanceOf(NotFoundError);
    },
  );
});
