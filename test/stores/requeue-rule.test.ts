import { describe, expect, test } from "vitest";
import { STATUSES } from "../../src/pynenc/statuses.ts";
import { type RequeueFacts, requeueRefusal } from "../../src/stores/requeue-rule.ts";

const SETTLED = 1_000;

function refusal(facts: Partial<RequeueFacts>) {
  const waiting = { status: { word: "registered", since: SETTLED }, defined: true, queued: false };
  return requeueRefusal({ ...waiting, ...facts }, SETTLED);
}

describe("a message is put back by a requeue", () => {
  test("only for the statuses registered, rerouted and retry", () => {
    const words = [...STATUSES.map((status) => status.name), "resumed", "something newer"];
    const put = words.filter((word) => refusal({ status: { word, since: 0 } }) === null);
    expect(put).toEqual(["registered", "rerouted", "retry"]);
    expect(refusal({ status: { word: "running", since: 0 } })).toEqual({ kind: "not_waiting", status: "running" });
  });

  test("only if the status has not changed since the given instant", () => {
    const since = (at: number) => refusal({ status: { word: "retry", since: at } });
    expect([since(SETTLED - 1), since(SETTLED)]).toEqual([null, null]);
    expect(since(SETTLED + 1e-6)).toEqual({ kind: "unsettled", since: SETTLED + 1e-6 });
  });

  test("only if the queue has no message of the invocation, and its records are there", () => {
    expect(refusal({ queued: true })).toEqual({ kind: "queued" });
    expect(refusal({ defined: false })).toEqual({ kind: "without_records", missing: "definition" });
    expect(refusal({ status: null })).toEqual({ kind: "without_records", missing: "status" });
    expect(refusal({ status: null, defined: false })).toEqual({ kind: "unknown" });
  });
});
