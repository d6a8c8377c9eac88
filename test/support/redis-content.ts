/** Keys to be written into a Redis server, gathered first so that they go there in few commands. */
import type { Command } from "../../src/stores/redis/server/connection.ts";

/** Members of one collection that go in one command. */
const MANY = 5_000;

type Held = string | Set<string> | Map<string, number> | string[] | Readonly<Record<string, string>>;

export class RedisContent {
  readonly #keys = new Map<string, Held>();
  readonly #seconds = new Map<string, number>();

  get keys(): readonly string[] {
    return [...this.#keys.keys()];
  }

  set(key: string, value: string): void {
    this.#keys.set(key, value);
  }

  /** A string that goes away by itself. */
  expiring(key: string, value: string, seconds: number): void {
    this.set(key, value);
    this.#seconds.set(key, seconds);
  }

  /** One more field of a hash. */
  field(key: string, name: string, value: string): void {
    this.#keys.set(key, { ...(this.#keys.get(key) as Record<string, string>), [name]: value });
  }

  hash(key: string, fields: Readonly<Record<string, string>>): void {
    this.#keys.set(key, fields);
  }

  /** Into a set. */
  add(key: string, member: string): void {
    this.#at(key, () => new Set<string>()).add(member);
  }

  /** Into a sorted set. */
  score(key: string, member: string, score: number): void {
    this.#at(key, () => new Map<string, number>()).set(member, score);
  }

  /** Onto the end of a list. */
  push(key: string, item: string): void {
    this.#at(key, () => [] as string[]).push(item);
  }

  /** Everything, or what `wanted` says of each key. */
  commands(wanted: (key: string) => boolean = () => true): Command[] {
    const strings: string[] = [];
    const commands: Command[] = [];
    for (const [key, held] of this.#keys) {
      if (!wanted(key)) continue;
      const seconds = this.#seconds.get(key);
      if (typeof held === "string") {
        if (seconds === undefined) strings.push(key, held);
        else commands.push(["SET", key, held, "EX", String(seconds)]);
      } else {
        const [verb, items] = partsOf(held);
        for (const some of chunks(items, MANY)) commands.push([verb, key, ...some]);
      }
    }
    return [...chunks(strings, MANY).map((some) => ["MSET", ...some]), ...commands];
  }

  #at<T extends Held>(key: string, empty: () => T): T {
    const held = (this.#keys.get(key) ?? empty()) as T;
    this.#keys.set(key, held);
    return held;
  }
}

function partsOf(held: Exclude<Held, string>): [verb: string, items: string[]] {
  if (held instanceof Set) return ["SADD", [...held]];
  // Python's repr and JavaScript give the same shortest digits.
  if (held instanceof Map) return ["ZADD", [...held].flatMap(([member, score]) => [String(score), member])];
  return Array.isArray(held) ? ["RPUSH", held] : ["HSET", Object.entries(held).flat()];
}

/** @param size even, so that pairs stay together. */
function chunks(items: readonly string[], size: number): string[][] {
  const found: string[][] = [];
  for (let start = 0; start < items.length; start += size) found.push(items.slice(start, start + size));
  return found;
}
