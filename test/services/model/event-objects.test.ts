/** Events and trigger runs as JSON objects. */
import { describe, expect, it } from "vitest";
import { writeJson } from "../../../src/pynenc/stored-json.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import {
  byExecution,
  eventObjects,
  triggerRunObject,
  triggerRunObjects,
} from "../../../src/services/model/event-objects.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

describe("an event as JSON", () => {
  it("lists the conditions that it met and every invocation that it started", async () => {
    const app = memoryApp()
      .event("quiet", { timestamp: at(1) })
      .event("matched", { matched_condition_ids: ["c1"], valid_condition_ids: ["v1"] })
      .event("busy", { emitted_by_invocation_id: "i0", emitted_by_task_id: "shop.pay" })
      .link("busy", "i2", "run", at(9))
      .link("busy", "i1", "run", at(8));
    const [busy, quiet, matched, ...more] = await app.store.read((reads) =>
      eventObjects(reads, ["busy", "nobody", "quiet", "matched"]),
    );
    expect(more).toEqual([]);
    expect(quiet).toEqual({
      event_id: "quiet",
      event_code: "order.created",
      timestamp: isoFromEpoch(at(1)),
      matched: false,
      triggered: false,
      matched_condition_ids: [],
      valid_condition_ids: [],
      triggered_invocation_ids: [],
      emitted_by_invocation_id: null,
      emitted_by_task_id: null,
      emitted_by_runner_context_id: null,
      payload: {},
      payload_too_large: null,
    });
    expect(matched).toMatchObject({ matched: true, triggered: false, valid_condition_ids: ["v1"] });
    expect(busy).toMatchObject({
      triggered: true,
      triggered_invocation_ids: ["i1", "i2"],
      emitted_by_invocation_id: "i0",
      emitted_by_task_id: "shop.pay",
    });
  });

  it("carries its payload as it is stored: JSON digit by digit, anything else as text", async () => {
    const stored = {
      number: "1.50",
      text: '"é"',
      list: "[1, null]",
      long: "12345678901234567890",
      deep: '{"n": 1234567890123456}',
      python: "<Order 7>",
      empty: "",
    };
    const app = memoryApp().event("e", { payload: stored });
    const [event] = await app.store.read((reads) => eventObjects(reads, ["e"]));
    expect(writeJson(event?.payload)).toBe(
      '{"number":1.50,"text":"é","list":[1, null],"long":12345678901234567890,"deep":{"n": 1234567890123456},' +
        '"python":"<Order 7>","empty":""}',
    );
  });

  it("leaves out a payload that is larger than the wanted size", async () => {
    const app = memoryApp()
      .event("large", { payload: { text: "x".repeat(2_000) } })
      .event("small");
    const events = await app.store.read((reads) => eventObjects(reads, ["large", "small"], 1_000));
    expect(events.map((event) => event.payload)).toEqual([null, {}]);
  });
});

describe("a trigger run as JSON", () => {
  it("gives its times as ISO text and an empty summary for a participant without one", async () => {
    const app = memoryApp().triggerRun("run", {
      executed_at: null,
      participants: [{ event_id: "e", context_timestamp: at(1) }, { context_summary: "code:x" }],
    });
    const [run, ...more] = await app.store.read((reads) => triggerRunObjects(reads, ["nobody", "run"]));
    expect(more).toEqual([]);
    expect(run).toMatchObject({ claimed_at: isoFromEpoch(at(0)), executed_at: null, event_ids: ["e"] });
    expect(run?.participants.map((one) => [one.context_timestamp, one.context_summary])).toEqual([
      [isoFromEpoch(at(1)), ""],
      [null, "code:x"],
    ]);
  });

  it("is ordered by its execution, or by its claim if it was not executed", async () => {
    const times: [id: string, claimed: number | null, executed: number | null][] = [
      ["third", at(3), null],
      ["first", null, null],
      ["fourth", at(0), at(4)],
      ["second", at(1), at(2)],
    ];
    const app = memoryApp();
    for (const [id, claimed_at, executed_at] of times) app.triggerRun(id, { claimed_at, executed_at });
    const runs = await app.store.read((reads) => reads.trigger.triggerRunsByIds(times.map(([id]) => id)));
    const sorted = runs.map(triggerRunObject).sort(byExecution);
    expect(sorted.map((run) => run.trigger_run_id)).toEqual(["first", "second", "third", "fourth"]);
    expect(sorted.map((run) => byExecution(run, run))).toEqual([0, 0, 0, 0]);
  });
});
