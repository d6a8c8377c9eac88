/** Keeps what a scenario left as a fixture for other tests: its store, its runners' logs, and what really happened. Nothing in it names this machine. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { dirname, join } from "node:path";
import { MongoClient } from "mongodb";
import { packageRoot } from "../../src/package-root.ts";
import { inImmediateTransaction, openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { contentText, readContent } from "../support/mongodb-content.ts";
import type { MongoServer } from "../support/mongodb-server.ts";
import { type RedisServer, startRedis } from "../support/redis-server.ts";
import type { Truth } from "./truth.ts";

/** pynenc's default: a URL does not name another. */
export const MONGO_DATABASE = "pynenc";

export interface Recorded {
  /** Folder that is made if it is missing. */
  to: string;
  /** Of the files, without extension. */
  name: string;
  /** The scenario, as a sentence. */
  story: string;
  /** Folder of the scenario, with its `logs/`. */
  folder: string;
  /** Folder of the Python apps. */
  apps: string;
  /** The Python that has pynenc. */
  program: string;
  database: string;
  redis: RedisServer | null;
  mongo: MongoServer | null;
  truth: Truth;
}

/**
 * Runners may still be at work: the store is copied at one instant, but a MongoDB server collection by collection.
 *
 * @returns the files that it wrote
 * @throws if a place of this machine is still in one of them, and removes them.
 */
export async function record({
  to,
  name,
  story,
  truth,
  redis,
  mongo,
  database,
  ...places
}: Recorded): Promise<string[]> {
  const { folder } = places;
  const replaced = replacements(places);
  const clean = cleaner(replaced);
  mkdirSync(to, { recursive: true });
  const file = (extension: string) => join(to, `${name}.${extension}`);
  const store = file(mongo !== null ? "ejson" : redis === null ? "db" : "rdb");
  if (mongo !== null) writeFileSync(store, await mongoText(mongo.url, clean));
  else if (redis === null) copyDatabase(database, store, clean);
  else await copyRedis(redis, store, clean);
  writeFileSync(
    file("log"),
    readdirSync(join(folder, "logs"))
      .sort()
      .map((log) => `# ---- ${log}\n${clean(readFileSync(join(folder, "logs", log), "utf8"))}`)
      .join(""),
  );
  writeFileSync(file("facts.json"), `${clean(JSON.stringify({ story, facts: truth.facts }, null, 1))}\n`);
  const files = [store, file("log"), file("facts.json")];
  for (const path of files) {
    const text = readFileSync(path, "latin1");
    const left = replaced.filter(([from]) => text.includes(from)).map(([from]) => from);
    if (left.length === 0) continue;
    for (const written of files) rmSync(written);
    throw new Error(`${path} would still name ${left.join(", ")}`);
  }
  return files;
}

type Clean = (text: string) => string;

type Replacements = readonly (readonly [from: string, into: string])[];

/** Places of this machine, as the other fixtures name them: `/srv/lab` for the app, `/srv/pynenc` for pynenc. The longest first. */
function replacements({ folder, apps, program }: Pick<Recorded, "folder" | "apps" | "program">): Replacements {
  const environment = dirname(dirname(program));
  const library = readdirSync(join(environment, "lib")).find((one) => one.startsWith("python3.")) ?? "";
  const host = hostname();
  const pairs: Replacements = [
    [apps, "/srv/lab/"],
    [join(environment, "lib", library, "site-packages"), "/srv"],
    [environment, "/srv/python"],
    [dirname(dirname(realpathSync(program))), "/usr"],
    [folder, "/srv/lab"],
    [packageRoot(), "/srv/pynenc-monitor"],
    [`${homedir()}/`, "/srv/home/"],
    [`@${host}-`, "@lab-host-"],
    [`"hostname": "${host}"`, '"hostname": "lab-host"'],
    [`"hostname":"${host}"`, '"hostname":"lab-host"'],
  ];
  return pairs.filter(([from, into]) => from !== into);
}

function cleaner(replaced: Replacements): Clean {
  return (text) =>
    text === hostname() ? "lab-host" : replaced.reduce((result, [from, into]) => result.replaceAll(from, into), text);
}

function copyDatabase(from: string, to: string, clean: Clean): void {
  rmSync(to, { force: true });
  const source = openDatabase(from, { mode: "write" });
  const mode = source.pragma("journal_mode");
  source.prepare("VACUUM INTO ?").run(to);
  source.close();
  const db = openDatabase(to, { mode: "write" });
  const tables = db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .column();
  inImmediateTransaction(db, () => {
    for (const table of tables) {
      const columns = db.prepare("SELECT name FROM pragma_table_info(?)").column(String(table));
      for (const column of columns) {
        const stored = db.prepare(
          `SELECT rowid AS id, "${column}" AS value FROM "${table}" WHERE typeof("${column}") IN ('text', 'blob')`,
        );
        const change = db.prepare(`UPDATE "${table}" SET "${column}" = ? WHERE rowid = ?`);
        for (const { id, value } of stored.all<{ id: number; value: string | Uint8Array }>()) {
          // Every byte as one character, so that any value survives.
          const text = typeof value === "string" ? value : Buffer.from(value).toString("latin1");
          const cleaned = clean(text);
          if (cleaned !== text) change.run(typeof value === "string" ? cleaned : Buffer.from(cleaned, "latin1"), id);
        }
      }
    }
  });
  // So that free pages do not keep what was replaced.
  db.exec("VACUUM");
  db.pragma(`journal_mode = ${mode}`);
  db.close();
}

async function mongoText(url: string, clean: Clean): Promise<string> {
  const client = await MongoClient.connect(url);
  try {
    return contentText(await readContent(client.db(MONGO_DATABASE)), clean);
  } finally {
    await client.close();
  }
}

async function copyRedis(from: RedisServer, to: string, clean: Clean): Promise<void> {
  const saved = await save(from);
  // Another server, because the runners of the first still read what they wrote.
  const copy = await startRedis({ rdb: saved, args: ["--rdbcompression", "no"] });
  try {
    const [keys] = (await copy.exchange([["KEYS", "*"]])) as [string[]];
    for (const key of keys) await cleanKey(copy, key, clean);
    copyFileSync(await save(copy), to);
  } finally {
    await copy.close();
  }
}

/** @returns the path of the server's rdb */
async function save(server: RedisServer): Promise<string> {
  const [, folder] = (await server.exchange([["SAVE"], ["CONFIG", "GET", "dir"]])) as [string, unknown];
  return join(textsIn(folder).at(-1) ?? "", "dump.rdb");
}

const READ: Readonly<Record<string, readonly string[]>> = {
  string: ["GET"],
  hash: ["HGETALL"],
  list: ["LRANGE", "0", "-1"],
  set: ["SMEMBERS"],
  zset: ["ZRANGE", "0", "-1", "WITHSCORES"],
};

async function cleanKey(server: RedisServer, key: string, clean: Clean): Promise<void> {
  const [type] = (await server.exchange([["TYPE", key]])) as [string];
  const [command = "", ...more] = READ[type] ?? [];
  const [reply] = await server.exchange([[command, key, ...more]]);
  const old = textsIn(reply);
  const texts = old.map(clean);
  if (clean(key) === key && texts.every((text, index) => text === old[index])) return;
  const write: Readonly<Record<string, readonly string[]>> = {
    string: ["SET", ...texts],
    hash: ["HSET", ...texts],
    list: ["RPUSH", ...texts],
    set: ["SADD", ...texts],
    // Read as member and score, written as score and member.
    zset: ["ZADD", ...texts.map((_, index) => texts[index % 2 === 0 ? index + 1 : index - 1] ?? "")],
  };
  const [verb = "", ...values] = write[type] ?? [];
  await server.exchange([
    ["DEL", key],
    [verb, clean(key), ...values],
  ]);
}

/** The texts of a reply in their order, however it is nested. */
function textsIn(reply: unknown): string[] {
  if (Array.isArray(reply)) return reply.flatMap(textsIn);
  if (reply !== null && typeof reply === "object") return Object.entries(reply).flat().flatMap(textsIn);
  return reply === null ? [] : [String(reply)];
}
