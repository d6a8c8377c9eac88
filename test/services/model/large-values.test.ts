/** Values that are too large to read in full, as pages, lists and JSON show them: by their beginning alone. */
import { describe, expect, it } from "vitest";
import { invocationDetail } from "../../../src/services/invocations/invocation-detail.ts";
import { callDetail } from "../../../src/services/tasks/calls.ts";
import { taskDetail } from "../../../src/services/tasks/tasks.ts";
import { eventApi } from "../../../src/services/triggers/event-api.ts";
import { eventDetail } from "../../../src/services/triggers/event-detail.ts";
import { VALUE_BYTES } from "../../../src/stores/value-limit.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

const LARGE = "x".repeat(VALUE_BYTES + 500_000);
const FAILED = {
  history: [
    [at(0), "registered"],
    [at(1), "failed"],
  ] as [number, string][],
};

describe("a result that is too large to read in full", () => {
  it.each([
    ["JSON", JSON.stringify(LARGE), "text"],
    ["a pickle", `gA${"A".repeat(VALUE_BYTES * 2)}`, "pickle"],
  ])("%s is shown by its beginning, with its size, and is not parsed", async (_, stored, form) => {
    const app = memoryApp().invocation("a", { result: stored });
    const { result, result_raw } = await invocationDetail(app.opened, "a");
    expect(result?.stored).toMatchObject({ form, truncated: true, cut: true, size: stored.length, reference: null });
    expect(result?.stored.note).toMatch(/,\d{3} bytes, too large to read in full$/);
    expect(result?.stored.note?.startsWith("pickle, not loaded")).toBe(form === "pickle");
    expect(stored.startsWith(result?.stored.text ?? "?")).toBe(true);
    expect((result_raw ?? "").length).toBeLessThanOrEqual(10_000);
    expect(JSON.stringify(result).length).toBeLessThan(25_000);
  });

  it("is read in full and parsed if it is just within the limit", async () => {
    const stored = JSON.stringify("x".repeat(150_000));
    const app = memoryApp().invocation("a", { result: stored });
    const { result } = await invocationDetail(app.opened, "a");
    expect(result?.stored).toMatchObject({ form: "json", truncated: true, size: stored.length });
    expect(result?.stored).not.toHaveProperty("cut");
  });
});

describe("an exception that is too large to read in full", () => {
  const envelope = (name: string) =>
    JSON.stringify({ error_name: name, pynenc_error: true, error_data: JSON.stringify({ message: LARGE }) });

  it("has the name at its start, and the message as far as it was read", async () => {
    const stored = envelope("RetryError");
    const app = memoryApp().invocation("a", { ...FAILED, exception: stored });
    const { exception } = await invocationDetail(app.opened, "a");
    expect(exception?.exception).toMatchObject({
      error_name: "RetryError",
      type: "RetryError",
      message: expect.stringMatching(/^[^"]{9000,10000}$/),
      data: null,
    });
    expect(exception?.exception.value).toMatchObject({ cut: true, size: stored.length });
    expect(exception?.resolved).toBeNull();
  });

  it("has no name if another member comes first in the JSON", async () => {
    const app = memoryApp().invocation("a", {
      ...FAILED,
      exception: `{"error_data": "${LARGE}", "error_name": "Lie"}`,
    });
    const { exception } = await invocationDetail(app.opened, "a");
    expect(exception?.exception).toMatchObject({ error_name: "too large to be read", type: null, message: null });
  });
});

describe("arguments that are too large to read in full", () => {
  const given = { order: '"O-1"', blob: JSON.stringify(LARGE), behind: "1" };
  const size = JSON.stringify(given).length;

  it("are shown as far as they are read: the last is cut, and the number of the others is unknown", async () => {
    const app = memoryApp().invocation("a", { arguments: given });
    const detail = await invocationDetail(app.opened, "a");
    expect(detail.arguments_too_large).toBe(size);
    expect(detail.arguments_unreadable).toBeNull();
    const [order, blob, ...others] = detail.arguments;
    expect(order).toMatchObject({ name: "order", value: { stored: { text: '"O-1"', truncated: false } } });
    expect(blob).toMatchObject({
      name: "blob",
      value: { stored: { cut: true, truncated: true, size: null }, resolved: null, dangling: false },
    });
    expect(others).toEqual([]);
    const call = await callDetail(app.opened, detail.call_id_key ?? "", {});
    expect(call.arguments).toEqual(detail.arguments);
    expect(call.arguments_too_large).toBe(size);
  });

  it("have an ordinary preview line in lists", async () => {
    const app = memoryApp().invocation("a", { arguments: given });
    const { calls } = await taskDetail(app.opened, "shop.pay", {});
    expect(calls[0]?.arguments_preview).toMatch(/^order="O-1", blob="?x{100,}…$/);
  });

  it("are shown as text if the part that was read contains no complete name", async () => {
    const json = JSON.stringify({ [LARGE]: "1" });
    const app = memoryApp().invocation("a", { definition: { serialized_arguments: json } });
    const detail = await invocationDetail(app.opened, "a");
    expect(detail).toMatchObject({ arguments: [], arguments_too_large: json.length });
    expect(detail.arguments_unreadable?.length).toBe(10_000);
  });

  it("are not called too large if all of them were read", async () => {
    const app = memoryApp().invocation("a", { arguments: { blob: JSON.stringify("x".repeat(VALUE_BYTES - 100)) } });
    const detail = await invocationDetail(app.opened, "a");
    expect(detail.arguments_too_large).toBeNull();
    expect(detail.arguments.map((argument) => argument.name)).toEqual(["blob"]);
  });
});

describe("an event whose payload is too large to be read", () => {
  it("is reported on its page and in JSON, with its conditions", async () => {
    const app = memoryApp().event("e", { payload: { blob: JSON.stringify(LARGE) }, matched_condition_ids: ["c"] });
    const detail = await eventDetail(app.opened, "e");
    expect(detail).toMatchObject({ payload: [], matched: true });
    expect(detail.payload_too_large).toBeGreaterThan(LARGE.length);
    expect(detail.conditions.map((condition) => condition.condition_id)).toEqual(["c"]);
    const { event } = await eventApi(app.opened, "e");
    expect(event).toMatchObject({ payload: null, payload_too_large: detail.payload_too_large, matched: true });
  });

  it("is not reported for an event whose payload is shown", async () => {
    const app = memoryApp().event("e", { payload: { n: "1" } });
    expect((await eventDetail(app.opened, "e")).payload_too_large).toBeNull();
    expect((await eventApi(app.opened, "e")).event).toMatchObject({ payload_too_large: null });
  });
});
