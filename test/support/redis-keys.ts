/** Every key of a test's server, to compare before and after. */
import type { Command, Reply } from "../../src/stores/redis/server/connection.ts";
import type { RedisServer } from "./redis-server.ts";

/** Key to type and whole value, as one text. */
export type AllKeys = ReadonlyMap<string, string>;

const READ: Readonly<Record<string, (key: string) => Command>> = {
  string: (key) => ["GET", key],
  list: (key) => ["LRANGE", key, "0", "-1"],
  set: (key) => ["SMEMBERS", key],
  zset: (key) => ["ZRANGE", key, "0", "-1", "WITHSCORES"],
  hash: (key) => ["HGETALL", key],
};

export async function allKeys(server: Pick<RedisServer, "exchange">): Promise<AllKeys> {
  const [keys] = (await server.exchange([["KEYS", "*"]])) as [string[]];
  keys.sort();
  const types = (await server.exchange(keys.map((key) => ["TYPE", key]))) as string[];
  const values = await server.exchange(keys.map((key, i) => READ[types[i] ?? ""]?.(key) ?? ["TYPE", key]));
  return new Map(keys.map((key, i) => [key, JSON.stringify([types[i], inOrder(types[i], values[i] ?? null)])]));
}

/** Sets have no order, and servers print scores with more digits than they need. */
function inOrder(type: string | undefined, value: Reply): Reply {
  if (!Array.isArray(value)) return value;
  if (type === "zset") return value.map((text, i) => (i % 2 === 0 ? text : String(Number(text))));
  return type === "set" ? [...value].sort() : value;
}

/** Keys that are no more, are new, or hold something else. */
export function difference(before: AllKeys, after: AllKeys): { gone: string[]; come: string[]; changed: string[] } {
  return {
    gone: [...before.keys()].filter((key) => !after.has(key)),
    come: [...after.keys()].filter((key) => !before.has(key)),
    changed: [...before.keys()].filter((key) => after.has(key) && after.get(key) !== before.get(key)),
  };
}

/** Members of a list or set, or members with their scores, in the order of the server. */
export function membersIn(keys: AllKeys, key: string): string[] {
  return keys.has(key) ? (JSON.parse(keys.get(key) ?? "") as [string, string[]])[1] : [];
}
