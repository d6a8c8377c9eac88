/** Bulk data in a Redis or MongoDB server for measurements, written once: an app `bench` that is there is taken as it is. */
import { parseMongoUrl } from "../src/config/mongo-address.ts";
import { parseRedisUrl } from "../src/config/redis-address.ts";
import { serverBulk } from "../src/demo/server-demo.ts";
import { MongoOutbox, MongoWriter } from "../src/demo/writer/mongo-writer.ts";
import { RedisOutbox } from "../src/demo/writer/redis-outbox.ts";
import { RedisWriter } from "../src/demo/writer/redis-writer.ts";
import type { ServerWriter } from "../src/demo/writer/server-writer.ts";
import { AppCollections } from "../src/stores/mongodb/collections/names.ts";
import { MongoConnection } from "../src/stores/mongodb/server/connection.ts";
import { REGISTRY } from "../src/stores/redis/keys/keys.ts";
import { RedisConnection } from "../src/stores/redis/server/connection.ts";
import { BULK_APP, BULK_NOW } from "./bulk-file.ts";
import { processorSeconds } from "./served.ts";

/** Totals since the server's start. */
interface Counters {
  commands: number;
  sentBytes: number;
  processorSeconds: number;
}

/** A server with the data, and what it says about itself. */
export interface BulkServer {
  url: string;
  /** Something that a client of the server does, after which pages are read anew. */
  change(): Promise<unknown>;
  counters(): Promise<Counters>;
  /** What it holds. */
  size(): Promise<string>;
  close(): Promise<void>;
}

const TIMES = { connectTimeout: 5, timeout: 60 };

/** The server, filled with this many invocations unless the app is there already. */
export function bulkServer(url: string, invocations: number): Promise<BulkServer> {
  return url.startsWith("mongodb") ? mongoServer(url, invocations) : redisServer(url, invocations);
}

async function redisServer(url: string, invocations: number): Promise<BulkServer> {
  const parsed = parseRedisUrl(url);
  if (typeof parsed === "string") throw new Error(`--url: ${parsed}`);
  const connection = new RedisConnection({ ...parsed, ...TIMES });
  const [present] = await connection.exchange([["EXISTS", `${REGISTRY}${BULK_APP}`]]);
  if (present !== 1) await fill(new RedisWriter(new RedisOutbox(connection), BULK_APP), invocations);
  const info = async (section: string) => String((await connection.exchange([["INFO", section]]))[0]);
  const figure = (text: string, name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(text)?.[1]);
  return {
    url: parsed.url,
    /** A key that no app reads. */
    change: () => connection.exchange([["INCR", "pynenc-monitor-bench"]]),
    async counters() {
      const [stats, cpu] = [await info("stats"), await info("cpu")];
      return {
        commands: figure(stats, "total_commands_processed"),
        sentBytes: figure(stats, "total_net_output_bytes"),
        processorSeconds: figure(cpu, "used_cpu_user") + figure(cpu, "used_cpu_sys"),
      };
    },
    async size() {
      const [keys] = await connection.exchange([["DBSIZE"]]);
      return `${keys} keys, ${mb(figure(await info("memory"), "used_memory"))}`;
    },
    close: () => connection.close(),
  };
}

async function mongoServer(url: string, invocations: number): Promise<BulkServer> {
  const parsed = parseMongoUrl(url);
  if (typeof parsed === "string") throw new Error(`--url: ${parsed}`);
  const connection = new MongoConnection({ ...parsed, ...TIMES, location: url, database: "pynenc" });
  const names = new AppCollections(BULK_APP);
  const registry = names.name("state_backend", "app_info");
  const present = await connection.run((db) => db.collection(registry).findOne({ app_id: BULK_APP }));
  if (present === null) await fill(new MongoWriter(new MongoOutbox(connection), BULK_APP), invocations);
  const heartbeats = names.name("orchestrator", "runner_heartbeats");
  return {
    url: parsed.url,
    /** A heartbeat of the runner that was heard last. */
    change: () =>
      connection.run((db) =>
        db
          .collection(heartbeats)
          .findOneAndUpdate({}, { $inc: { last_heartbeat: 1e-6 } }, { sort: { last_heartbeat: -1 } }),
      ),
    async counters() {
      const { network, pid } = await connection.run((db) => db.command({ serverStatus: 1 }));
      const own = { commands: Number(network.numRequests), sentBytes: Number(network.bytesOut) };
      return { ...own, processorSeconds: processorSeconds(Number(pid)) };
    },
    async size() {
      const stats = await connection.run((db) => db.stats());
      return `${stats.objects} documents, ${mb(stats.storageSize)} and indexes of ${mb(stats.indexSize)} on the disk`;
    },
    close: () => connection.close(),
  };
}

async function fill(writer: ServerWriter, invocations: number): Promise<void> {
  const started = performance.now();
  const seconds = () => ((performance.now() - started) / 1000).toFixed(0);
  for await (const written of serverBulk(writer, { invocations, now: BULK_NOW, seed: 1 })) {
    if (written % 100_000 === 0) console.error(`${written} of ${invocations} invocations after ${seconds()} s`);
  }
  console.error(`Written in ${seconds()} s.`);
}

function mb(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(0)} MB`;
}
