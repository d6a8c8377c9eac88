/** Names during the first walk over a large server: derived from other keys, and which of them only once. */
import { afterEach, expect, test, vi } from "vitest";
import { Catalogue } from "../../../../src/stores/redis/keys/catalogue.ts";
import { AppKeys } from "../../../../src/stores/redis/keys/keys.ts";
import type { RedisDb } from "../../../../src/stores/redis/server/db.ts";

/** A server whose walk ends when the test says so, and then finds one task. */
function largeServer(keysOnServer: number) {
  const keys = new AppKeys("shop");
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const db: Pick<RedisDb, "number" | "scan"> = {
    number: async () => keysOnServer,
    async *scan() {
      await ended;
      yield [keys.key("orchestrator", "task_invocations_by_time", "walked")];
    },
  };
  const servers = [{ db: db as RedisDb, sections: ["orchestrator" as const] }];
  return { catalogue: new Catalogue(servers, keys, () => Promise.resolve("1")), end };
}

afterEach(() => void vi.useRealTimers());

test("names that need many keys are derived once, until the walk has ended or an action changed names", async () => {
  // Waiting for the walk would take for ever.
  vi.useFakeTimers();
  const { catalogue, end } = largeServer(2_000_000);
  let times = 0;
  const derive = async () => [`derived ${++times}`];
  const names = async (once: boolean) => (await catalogue.names("tasks", derive, once)).names[0];
  expect([await names(false), await names(true), await names(true)]).toEqual(["derived 1", "derived 2", "derived 2"]);
  expect(await names(false)).toBe("derived 3");
  expect((await catalogue.names("calls", derive, true)).names).toEqual(["derived 4"]);
  catalogue.expire(0);
  expect([await names(true), await names(true)]).toEqual(["derived 5", "derived 5"]);
  end();
  await catalogue.names("tasks");
  expect(await names(true)).toBe("walked");
  expect(times).toBe(5);
});

test("a read waits for a walk over few keys", async () => {
  const { catalogue, end } = largeServer(1_000);
  const asked = catalogue.names("tasks", () => expect.fail(), true);
  end();
  expect((await asked).names).toEqual(["walked"]);
});
