/** Every figure of an invocation's life comes from the times at which statuses were entered. */
import { describe, expect, it } from "vitest";
import type { HistoryRecord, InvocationStatusRecord } from "../../../src/pynenc/records.ts";
import { durationMeaning, durationSoFar, lifeOf } from "../../../src/services/model/invocation-life.ts";

function entry(status: string, timestamp: number, written_at = timestamp + 0.25): HistoryRecord {
  return {
    ...{ invocation_id: "i", status, timestamp, written_at },
    ...{ status_runner_id: null, runner_context_id: null, registered_by_inv_id: null },
  };
}

function now(status: string, status_timestamp: number): InvocationStatusRecord {
  return {
    ...{ invocation_id: "i", task_id_key: "t.f", call_id_key: "t.f:no_args", status, status_timestamp },
    ...{ status_runner_id: null, retry_count: 0, auto_purge_timestamp: null },
  };
}

const span = (first: HistoryRecord, last: HistoryRecord) => ({ invocation_id: "i", first, last });

describe("durationMeaning", () => {
  it.each([
    ["registered", "waiting"],
    ["concurrency_controlled_final", "never_ran"],
    ["success", "took"],
    ["failed", "took"],
    // Before these it may have run and may not.
    ["pending", "so_far"],
    ["rerouted", "so_far"],
    ["concurrency_controlled", "so_far"],
    ["running", "so_far"],
    ["a newer word", "so_far"],
  ])("%s: %s", (status, meaning) => {
    expect(durationMeaning(status)).toBe(meaning);
  });
});

describe("lifeOf", () => {
  const registered = entry("registered", 100);

  it("measures from the registration to the final status", () => {
    expect(lifeOf(now("success", 107), span(registered, entry("success", 107)))).toMatchObject({
      ...{ status: "success", status_source: "orchestrator" },
      ...{ registeredAt: 100, changedAt: 107, durationSeconds: 7 },
    });
  });

  it("takes the end of the duration from the orchestrator if the last history entry is missing", () => {
    const life = lifeOf(now("failed", 107), span(registered, entry("running", 103)));
    expect(life).toMatchObject({ status: "failed", changedAt: 107, durationSeconds: 7 });
  });

  it("takes status and end from the last history entry if the orchestrator has purged the invocation", () => {
    const life = lifeOf(undefined, span(registered, entry("success", 107)));
    expect(life).toMatchObject({ status: "success", status_source: "history", changedAt: 107, durationSeconds: 7 });
  });

  it("has no duration for an unfinished invocation, or for one without a registration entry", () => {
    expect(lifeOf(now("running", 103), span(registered, entry("running", 103))).durationSeconds).toBeNull();
    const torn = lifeOf(now("success", 107), span(entry("pending", 102), entry("success", 107)));
    expect(torn).toMatchObject({ registeredAt: null, durationSeconds: null });
    expect(lifeOf(now("success", 107), undefined)).toMatchObject({ registeredAt: null, durationSeconds: null });
  });

  it("takes the registration of a registered invocation from the orchestrator if there is no history", () => {
    expect(lifeOf(now("registered", 100), undefined)).toMatchObject({ registeredAt: 100, changedAt: 100 });
  });

  it("gives an unknown status and no times without a status and a history", () => {
    expect(lifeOf(undefined, undefined)).toMatchObject({
      ...{ status: "unknown", status_source: "none" },
      ...{ registeredAt: null, changedAt: null, durationSeconds: null },
    });
  });

  it("counts the time until now only for an invocation that the orchestrator has, and never as less than zero", () => {
    const running = span(registered, entry("running", 103));
    expect(durationSoFar(lifeOf(now("running", 103), running), 150)).toBe(50);
    expect(durationSoFar(lifeOf(now("running", 103), running), 50)).toBe(0);
    expect(durationSoFar(lifeOf(undefined, running), 150)).toBeNull();
    expect(durationSoFar(lifeOf(now("success", 107), running), 150)).toBe(7);
  });
});
