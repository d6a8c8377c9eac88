import { quote, RefusedError } from "../errors.ts";
import { parseAppInfo } from "../pynenc/json-records.ts";
import type { EpochSeconds } from "../pynenc/time.ts";
import { AppKeys, REGISTRY } from "../stores/redis/keys/keys.ts";
import { RedisConnection, type RedisEndpoint } from "../stores/redis/server/connection.ts";
import { RedisDb } from "../stores/redis/server/db.ts";
import { inChunks } from "../stores/server/chunks.ts";
import { type BulkOptions, bulkBatches } from "./bulk.ts";
import { BILLING_MODULE, DEMO_APP_ID, SECOND_APP_ID, SHOP_MODULE, writeDemoStory } from "./story/story.ts";
import { RedisOutbox } from "./writer/redis-outbox.ts";
import { RedisWriter } from "./writer/redis-writer.ts";
import { moduleFile } from "./writer/writer.ts";

export interface RedisDemoOptions {
  readonly endpoint: RedisEndpoint;
  /** Current time of the demo, epoch seconds. */
  readonly now: EpochSeconds;
  readonly seed: number;
  /** Write this many generated invocations instead of the story. */
  readonly size?: number;
}

const APP_IDS = [DEMO_APP_ID, SECOND_APP_ID];

/** Keys deleted per command. */
const BATCH = 1_000;

/**
 * Writes a demo into a Redis server: the story, or with `size` that many generated invocations. Data of an earlier demo is replaced; other apps are
 * not touched.
 *
 * @returns the writer, to continue the demo; close it.
 * @throws RefusedError if the server has an app with the same id that the demo did not write; StoreUnreachableError.
 */
export async function createRedisDemo({ endpoint, now, seed, size }: RedisDemoOptions): Promise<RedisWriter> {
  const connection = new RedisConnection(endpoint);
  try {
    const db = new RedisDb(connection, null);
    await refuseForeign(db);
    await removeEverything(db);
    const writer = new RedisWriter(new RedisOutbox(connection), DEMO_APP_ID);
    if (size === undefined) {
      writeDemoStory(writer, { now, seed });
      await writer.outbox.flush();
    } else {
      for await (const _ of redisBulk(writer, { invocations: size, now, seed }));
    }
    return writer;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Writes the same data as `writeBulk` with the same options into a Redis server. Yields the number of invocations written so far. */
export async function* redisBulk(writer: RedisWriter, options: BulkOptions): AsyncGenerator<number> {
  for (const written of bulkBatches(writer, options)) {
    await writer.outbox.flush();
    writer.forget();
    yield written;
  }
}

/** An app of the demo is recognised by the demo's description. It is written first and deleted last, so keys without it belong to someone else. */
async function refuseForeign(db: RedisDb): Promise<void> {
  const infos = await db.strings(APP_IDS.map(registration));
  for (const [i, appId] of APP_IDS.entries()) {
    const info = infos[i] ?? null;
    const isOwn = info === null ? await hasNoKeys(db, appId) : isDemo(appId, info);
    if (isOwn) continue;
    throw new RefusedError(
      `${db.location} holds an app ${quote(appId)} that was not created by the demo; it was not changed.`,
      "Give the URL of another server, or of another database of this one.",
      409,
    );
  }
}

function isDemo(appId: string, info: string): boolean {
  const { module, module_filepath } = parseAppInfo(info) ?? {};
  const expected = appId === DEMO_APP_ID ? SHOP_MODULE : BILLING_MODULE;
  return module === expected && module_filepath === moduleFile(expected);
}

async function hasNoKeys(db: RedisDb, appId: string): Promise<boolean> {
  for await (const _ of keysOf(db, appId)) return false;
  return true;
}

async function removeEverything(db: RedisDb): Promise<void> {
  for (const appId of APP_IDS) {
    for await (const keys of keysOf(db, appId)) {
      await db.exchange(inChunks(keys, BATCH).map((some) => ["UNLINK", ...some]));
    }
    await db.ask("DEL", registration(appId));
  }
}

function keysOf(db: RedisDb, appId: string): AsyncGenerator<string[], void, undefined> {
  return db.scan(new AppKeys(appId).everything());
}

function registration(appId: string): string {
  return `${REGISTRY}${appId}`;
}
