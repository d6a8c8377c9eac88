/** Bulk data in a Redis server for measurements, written once: an app `bench` that is there is taken as it is. */
import { parseRedisUrl } from "../src/config/redis-address.ts";
import { serverBulk } from "../src/demo/server-demo.ts";
import { RedisOutbox } from "../src/demo/writer/redis-outbox.ts";
import { RedisWriter } from "../src/demo/writer/redis-writer.ts";
import { REGISTRY } from "../src/stores/redis/keys/keys.ts";
import { RedisConnection } from "../src/stores/redis/server/connection.ts";
import { BULK_APP, BULK_NOW } from "./bulk-file.ts";

/** A connection to the server, filled with this many invocations unless the app is there already. */
export async function bulkServer(url: string, invocations: number): Promise<RedisConnection> {
  const parsed = parseRedisUrl(url);
  if (typeof parsed === "string") throw new Error(`--url: ${parsed}`);
  const connection = new RedisConnection({ ...parsed, connectTimeout: 5, timeout: 60 });
  const [present] = await connection.exchange([["EXISTS", `${REGISTRY}${BULK_APP}`]]);
  if (present === 1) return connection;
  const started = performance.now();
  const seconds = () => ((performance.now() - started) / 1000).toFixed(0);
  const writer = new RedisWriter(new RedisOutbox(connection), BULK_APP);
  for await (const written of serverBulk(writer, { invocations, now: BULK_NOW, seed: 1 })) {
    if (written % 100_000 === 0) console.error(`${written} of ${invocations} invocations after ${seconds()} s`);
  }
  console.error(`Written to ${parsed.location} in ${seconds()} s.`);
  return connection;
}
