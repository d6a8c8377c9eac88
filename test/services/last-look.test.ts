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

it("tells of a store that hangs what was known before, at once, and asks it only once", async () => {
  vi.useFakeTimers();
  answer = vi.fn(() => new Promise<DiscoveredApp[]>(() => undefined));
  const first = workspace.lastLook();
  await vi.advanceTimersByTimeAsync(100);
  expect(await first).toEqual({ app: null, store: "unknown" });
  const second = workspace.lastLook();
  await vi.advanceTimersByTimeAsync(100);
  expect(await second).toEqual({ app: null, store: "unknown" });
  expect(answer).toHaveBeenCalledTimes(1);
});

it("tells the end of a look that took longer than it was waited for", async () => {
  vi.useFakeTimers();
  let end: (apps: DiscoveredApp[]) => void = () => undefined;
  answer = () =>
    new Promise((resolve) => {
      end = resolve;
    });
  const first = workspace.lastLook();
  await vi.advanceTimersByTimeAsync(100);
  expect((await first).store).toBe("unknown");
  end([{ app_id: "kitchen_sink", info: null, phantom: false }]);
  await vi.advanceTimersByTimeAsync(0);
  answer = () => new Promise(() => undefined);
  const next = workspace.lastLook();
  await vi.advanceTimersByTimeAsync(100);
  expect(await next).toEqual({ app: "kitchen_sink", store: "ok" });
});
