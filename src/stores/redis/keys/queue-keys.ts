/**
 * Where the messages of an app are stored (storage-format.md 9.6): up to 0.3 in one list, since 0.4 in one sorted set per queue, numbered by a
 * counter. No release defines the names of the newer keys, so they are recognised by type and content.
 */

import { ascending } from "../../../pynenc/order.ts";
import type { RedisDb } from "../server/db.ts";
import type { Names } from "./catalogue.ts";
import type { AppKeys } from "./keys.ts";

/** One queue with messages. The list of layouts without named queues has no name. */
export interface QueueKey {
  name: string | null;
  key: string;
  type: "list" | "zset";
  messages: number;
}

/** How to enqueue a message. */
export type QueueWriting =
  /** Append to this list. */
  | { list: string }
  /** Number it with this counter; the key of a queue is `head` followed by its name. */
  | { counter: string; head: string }
  /** Not known, for this reason (part of a sentence). */
  | { unknown: string };

export interface QueueKeys {
  /** The layout of 0.4. */
  named: boolean;
  /** By name. */
  queues: readonly QueueKey[];
  writing: QueueWriting;
  /** False during the first walk over a large server, when there may be more queues. */
  complete: boolean;
}

/** The list of 0.3, also its display name beside queues of 0.4. Runners of 0.4 take nothing from it. */
export const OLD_QUEUE = "default_queue";

/** A number of 19 digits, which decreases with every message, and the invocation id. */
const MESSAGE = /^(\d{19}):/;

/** Messages are numbered downwards from this. */
const GREATEST = 2n ** 63n - 1n;

/** Maximum digits of the counter. */
const MAX_DIGITS = 19;

/** Limit of broker keys read; there is one per queue. */
const MAX_KEYS = 1_000;

/** Newest runners whose heartbeats are read. */
const RUNNERS = 10;

/** Finds the queues of one app. Remembers those it has seen, because an empty queue has no key. */
export class QueueFinder {
  readonly #keys: AppKeys;
  /** Keys that were queues at some time. */
  readonly #seen = new Set<string>();
  #counter: string | null = null;

  constructor(keys: AppKeys) {
    this.#keys = keys;
  }

  /** @param names the parts of the broker's keys after the section. */
  async find(db: RedisDb, orchestrator: RedisDb, { names, settled }: Names): Promise<QueueKeys> {
    const list = this.#keys.key("broker", OLD_QUEUE);
    const keys = [
      ...new Set([list, ...this.#seen, ...names.slice(0, MAX_KEYS).map((name) => this.#keys.key("broker", name))]),
    ];
    // A key of the wrong type gives null.
    const [length, ...replies] = await db.exchange([
      ["LLEN", list],
      ...keys.flatMap((key) => [
        ["ZREVRANGE", key, "0", "0"],
        ["ZCARD", key],
        ["GETRANGE", key, "0", String(MAX_DIGITS)],
      ]),
    ]);
    const found: QueueKey[] = [];
    const counters: { key: string; value: bigint }[] = [];
    let latest = 0n;
    for (const [i, key] of keys.entries()) {
      const [first, size, text] = replies.slice(3 * i, 3 * i + 3);
      const [, number] = MESSAGE.exec(Array.isArray(first) ? String(first[0] ?? "") : "") ?? [];
      if (number !== undefined) {
        found.push({ name: key.slice(key.lastIndexOf(":") + 1), key, type: "zset", messages: Number(size) });
        if (this.#seen.size < MAX_KEYS) this.#seen.add(key);
        const given = GREATEST - BigInt(number);
        if (given > latest) latest = given;
      } else if (key !== list && typeof text === "string" && /^\d+$/.test(text) && text.length <= MAX_DIGITS) {
        counters.push({ key, value: BigInt(text) });
      }
    }
    const old: QueueKey = { name: null, key: list, type: "list", messages: Number(length ?? 0) };
    const signs = this.#seen.size + counters.length;
    const named = signs > 0 || (old.messages === 0 && (await this.#hasConsumers(orchestrator)));
    if (!named) return { named, queues: [old], writing: { list }, complete: settled };
    // The counter must be at least as high as the number of the latest message.
    const writing = this.#writing(counters.filter(({ value }) => value >= latest).map(({ key }) => key));
    const beside = old.messages === 0 ? [] : [{ ...old, name: OLD_QUEUE }];
    return { named, queues: [...found, ...beside].sort(byName), writing, complete: settled };
  }

  #writing(counters: readonly string[]): QueueWriting {
    const heads = new Set([...this.#seen].map((key) => key.slice(0, key.lastIndexOf(":") + 1)));
    const [head, ...otherHeads] = heads;
    if (counters.length === 1) this.#counter = counters[0] ?? null;
    if (head === undefined)
      return {
        unknown:
          "the key of a queue can only be learned from a queue that had a message while this monitor was running",
      };
    if (otherHeads.length > 0) return { unknown: "the keys of the queues do not follow one naming pattern" };
    if (counters.length > 1) return { unknown: "several keys could be the counter that numbers messages" };
    if (this.#counter === null) return { unknown: "the counter that numbers messages was not found" };
    return { counter: this.#counter, head };
  }

  /** Heartbeats of 0.4 are expected to contain the queues their runner consumes. */
  async #hasConsumers(orchestrator: RedisDb): Promise<boolean> {
    const index = this.#keys.key("orchestrator", "runner_heartbeats");
    const runners = await orchestrator.texts("ZREVRANGE", index, "0", String(RUNNERS - 1));
    const replies = await orchestrator.exchange(
      runners.map((id) => ["HEXISTS", this.#keys.key("orchestrator", "runner_heartbeat", id), "consumed_queues"]),
    );
    return replies.includes(1);
  }
}

function byName(a: QueueKey, b: QueueKey): number {
  return ascending(a.name ?? "", b.name ?? "");
}
