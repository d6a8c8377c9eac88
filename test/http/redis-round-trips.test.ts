/** How many commands a page needs, and how many round trips it waits for one after the other: on a distant Redis server they are the time that a page takes. */
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { RedisConnection } from "../../src/stores/redis/server/connection.ts";
import { type Monitor, monitorOn } from "../support/monitor.ts";
import { REDIS_RDB } from "../support/redis-facts.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../support/redis-server.ts";

const APP = "kitchen_sink";

/**
 * Replies are held back until nothing is left that could be sent without them, and then all given at once. So the rounds are the trips that wait for
 * each other, however slow the machine is.
 */
function countRounds(): { rounds(): number; commands(): number; stop(): void } {
  const { exchange } = RedisConnection.prototype;
  let rounds = 0;
  let sent = 0;
  let pending = 0;
  let held: (() => void)[] = [];
  const release = () => {
    if (pending > 0 || held.length === 0) return;
    rounds++;
    const all = held;
    held = [];
    for (const give of all) give();
  };
  RedisConnection.prototype.exchange = async function (this: RedisConnection, commands, reserved) {
    if (commands.length === 0) return [];
    sent += commands.length;
    pending++;
    try {
      return await exchange.call(this, commands, reserved);
    } finally {
      pending--;
      await new Promise<void>((resolve) => {
        held.push(resolve);
        setImmediate(release);
      });
    }
  };
  return {
    rounds: () => rounds,
    commands: () => sent,
    stop: () => {
      RedisConnection.prototype.exchange = exchange;
    },
  };
}

describeWithRedis("the round trips that a page waits for", () => {
  let server: RedisServer;
  let monitor: Monitor;
  let counted: ReturnType<typeof countRounds>;
  beforeAll(async () => {
    server = await startRedis({ rdb: REDIS_RDB });
    monitor = await monitorOn({ url: server.url }, "in process", { app: APP });
  });
  afterEach(() => counted.stop());
  afterAll(async () => {
    await monitor.close();
    await server.close();
  });

  it.each([
    ["/", 12, 75],
    ["/invocations/", 7, 75],
    ["/invocations/ID", 14, 100],
    ["/why", 7, 35],
    ["/why?id=ID", 10, 55],
    ["/broker/queue", 10, 60],
    ["/runners/", 6, 35],
  ])("to show %s are few, and so are the commands, whatever the store holds", async (path, most, mostCommands) => {
    const { invocations } = await monitor.json<{ invocations: { invocation_id: string }[] }>(
      "/invocations/?status=failed",
    );
    const address = path.replace("ID", invocations[0]?.invocation_id ?? "");
    const ask = () => monitor.get(address, { headers: { accept: "text/html" } });
    // The first answer reads what later ones know.
    expect((await ask()).status).toBe(200);
    counted = countRounds();
    expect((await ask()).status).toBe(200);
    if (process.env.PAGE_COSTS)
      process.stdout.write(`${path}: ${counted.rounds()} round trips, ${counted.commands()} commands\n`);
    expect(counted.rounds()).toBeGreaterThan(1);
    expect(counted.rounds()).toBeLessThanOrEqual(most);
    expect(counted.commands()).toBeLessThanOrEqual(mostCommands);
  });
});
