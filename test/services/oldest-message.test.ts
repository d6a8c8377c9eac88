import { expect, it } from "vitest";
import { isoFromEpoch } from "../../src/pynenc/time.ts";
import { oldestMessage } from "../../src/services/oldest-message.ts";
import { at, memoryApp } from "../support/memory-app/memory-app.ts";

it("is the first that a runner takes, with the time at which it came", async () => {
  const app = memoryApp().message("late", at(9)).message("early", at(3));
  expect(await app.store.read(oldestMessage)).toEqual({ queued_at: isoFromEpoch(at(3)), epoch: at(3) });
});

it("has no time where there is none, or the queue keeps none", async () => {
  const nothing = { queued_at: null, epoch: null };
  expect(await memoryApp().store.read(oldestMessage)).toEqual(nothing);
  expect(await memoryApp().message("a", null).store.read(oldestMessage)).toEqual(nothing);
});
