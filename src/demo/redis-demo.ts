import { AppKeys, REGISTRY } from "../stores/redis/keys/keys.ts";
import { RedisConnection, type RedisEndpoint } from "../stores/redis/server/connection.ts";
import { RedisDb } from "../stores/redis/server/db.ts";
import { inChunks } from "../stores/server/chunks.ts";
import { type DemoPlace, type ServerDemoOptions, writeServerDemo } from "./server-demo.ts";
import { DEMO_APP_ID } from "./story/story.ts";
import { RedisOutbox } from "./writer/redis-outbox.ts";
import { RedisWriter } from "./writer/redis-writer.ts";

/** Keys deleted per command. */
const BATCH = 1_000;

/** As `writeServerDemo`. @returns the writer, to continue the demo; close it. */
export async function createRedisDemo({
  endpoint,
  ...options
}: ServerDemoOptions & { readonly endpoint: RedisEndpoint }): Promise<RedisWriter> {
  const connection = new RedisConnection(endpoint);
  try {
    const writer = new RedisWriter(new RedisOutbox(connection), DEMO_APP_ID);
    await writeServerDemo(placeIn(new RedisDb(connection, null)), writer, options);
    return writer;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function placeIn(db: RedisDb): DemoPlace {
  const keysOf = (appId: string) => db.scan(new AppKeys(appId).everything());
  return {
    location: db.location,
    infoOf: async (appId) => (await db.strings([`${REGISTRY}${appId}`]))[0] ?? null,
    async isEmpty(appId) {
      for await (const _ of keysOf(appId)) return false;
      return true;
    },
    async remove(appId) {
      for await (const keys of keysOf(appId))
        await db.exchange(inChunks(keys, BATCH).map((some) => ["UNLINK", ...some]));
      await db.ask("DEL", `${REGISTRY}${appId}`);
    },
  };
}
