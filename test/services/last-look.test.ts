/** What `/health` tells while the store answers, is away, or hangs. */
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { resolveConfiguration } from "../../src/config/options.ts";
import { StoreUnreachableError } from "../../src/errors.ts";
import { Workspace } from "../../src/services/workspace.ts";
import type { DiscoveredApp } from "../../src/stores/ports.ts";
import { copyFixture, temporaryFolder } from "../support/fixtures.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());
let workspace: Workspace;
let answer: () => Promise<DiscoveredApp[]>;

beforeEach(async () => {
  const flags = { db: copyFixture("kitchen_sink.db", folder.path), app: "kitchen_sink" };
  const options = { env: {}, cwd: folder.path };
  const configuration = resolveConfiguration({ flags, ...options });
  workspace = await Workspace.connect({ configuration, ...options, threads: 0, clock: () => 0 });
  const real = workspace.store.apps.bind(workspace.store);
  answer = () => real();
  vi.spyOn(workspace.store, "apps").mockImplementation(() => answer());
});
afterEach(async () => {
  vi.useRealTimers();
  await workspace.close();
});

it("is well, away, and well again", async () => {
  expect(await workspace.lastLook()).toEqual({ app: "kitchen_sink", store: "ok" });
  const real = answer;
  answer = () => Promise.reject(new StoreUnreachableError("missing", "gone"));
  expect(await workspace.lastLook()).toEqual({ app: null, store: "unreachable" });
  answer = real;
  expect(await workspace.lastLook()).toEqual({ app: "kitchen_sink", store: "ok" });
});

it("tells of a store that hangs what was known before, after a second, and asks it only once", async () => {
  const known = await workspace.lastLook();
  vi.useFakeTimers();
  answer = vi.fn(() => new Promise<DiscoveredApp[]>(() => undefined));
  for (let round = 0; round < 2; round++) {
    const look = workspace.lastLook();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await look).toEqual(known);
  }
  expect(answer).toHaveBeenCalledTimes(1);
});

it("tells the end of a look that took longer than it was waited for", async () => {
  await workspace.lastLook();
  vi.useFakeTimers();
  let fail: (error: Error) => void = () => undefined;
  answer = () =>
    new Promise((_, reject) => {
      fail = reject;
    });
  const first = workspace.lastLook();
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await first).store).toBe("ok");
  fail(new StoreUnreachableError("timeout", "it was away"));
  await vi.advanceTimersByTimeAsync(0);
  answer = () => new Promise(() => undefined);
  const next = workspace.lastLook();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await next).toEqual({ app: null, store: "unreachable" });
});

it("waits for the first look, however long it takes", async () => {
  vi.useFakeTimers();
  const real = answer;
  answer = async () => {
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    return real();
  };
  const look = workspace.lastLook();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await look).toEqual({ app: "kitchen_sink", store: "ok" });
});
