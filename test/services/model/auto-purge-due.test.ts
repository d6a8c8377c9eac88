/** When an auto-purge deletes a final invocation. */
import { expect, it } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { invocationDetail } from "../../../src/services/invocations/invocation-detail.ts";
import { at, type InvocationGiven, type MemoryAppOptions, memoryApp } from "../../support/memory-app/memory-app.ts";

const DONE: InvocationGiven = {
  history: [
    [at(0), "registered"],
    [at(30), "success", "r1"],
  ],
};
const told = async (options: MemoryAppOptions, given: InvocationGiven = DONE) =>
  (await invocationDetail(memoryApp(options).invocation("a", given).opened, "a")).auto_purge;

it("an auto-purge is due the configured number of hours after the time in the store", async () => {
  expect(await told({ settings: { auto_final_invocation_purge_hours: 2 } })).toEqual({
    clock_started_at: isoFromEpoch(at(30)),
    hours: 2,
    hours_origin: "app_info",
    due_at: isoFromEpoch(at(30 + 7_200)),
    due_by_default_at: null,
    words: "Kept until 2026-01-05 14:00:30 UTC (auto_final_invocation_purge_hours: 2 h)",
  });
});

it("an auto-purge whose time has come is worded as due since then, at the next auto-purge", async () => {
  const due = await told({ settings: { auto_final_invocation_purge_hours: 0 } });
  expect(due?.words).toBe("Kept until the next auto-purge (auto_final_invocation_purge_hours: 0 s)");
});

it("without the setting the auto-purge is due at an unknown time, and the words give the time by pynenc's default", async () => {
  expect(await told({})).toMatchObject({
    hours: 24,
    hours_origin: "default",
    due_at: null,
    due_by_default_at: isoFromEpoch(at(30 + 86_400)),
    words: expect.stringMatching(/^Kept until 2026-01-06 .* \(pynenc's default: 1 d\)$/),
  });
});

it("the auto-purge starts from the orchestrator's purge timestamp, and never takes an invocation without one", async () => {
  const settings = { auto_final_invocation_purge_hours: 1 };
  const later = await told({ settings }, { ...DONE, status: { auto_purge_timestamp: at(50) } });
  expect(later?.due_at).toBe(isoFromEpoch(at(3_650)));
  const none = await told({ settings }, { ...DONE, status: { auto_purge_timestamp: null } });
  expect(none).toMatchObject({ clock_started_at: null, due_at: null, words: expect.stringMatching(/^Never: /) });
});

it("an invocation that is not final, or already purged, has no time of an auto-purge", async () => {
  expect(await told({}, { history: [[at(0), "registered"]] })).toBeNull();
  expect(await told({}, { ...DONE, status: null })).toBeNull();
});
