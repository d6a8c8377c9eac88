/** An index of records by time: a sorted set of ids whose scores are milliseconds (storage-format.md 9.2, the newer keys). */
import type { EpochSeconds } from "../../../pynenc/time.ts";
import type { Slice } from "../../ports/common.ts";
import { numberOf, numberOrNull, type RedisDb, textsOf } from "./db.ts";

/** Both ends are inclusive; missing and infinite ends do not restrict. */
export interface TimeRange {
  from?: EpochSeconds | undefined;
  to?: EpochSeconds | undefined;
}

/** Reads the times from the records, in the order of the ids; null for a missing time. */
export type TimesOf = (ids: readonly string[]) => Promise<(EpochSeconds | null)[]>;

/** Records read per step. */
const STEP = 1_000;

/** Limit of ids checked within a millisecond of an end of the range. */
const MAX_PER_END = 10_000;

/**
 * The ids of a time range, in order of time. Scores may be rounded to milliseconds, so ids at the ends of the range are checked against the times in
 * their records. Positions count from the oldest, so new records do not shift them.
 */
export class TimeIndex {
  readonly #db: RedisDb;
  readonly #key: string;
  /** Ids at the start of the range, ranks of those inside, ids at its end. */
  readonly #oldest: readonly string[];
  readonly #ranks: { start: number; end: number };
  readonly #newest: readonly string[];

  private constructor(
    db: RedisDb,
    key: string,
    oldest: readonly string[],
    ranks: { start: number; end: number },
    newest: readonly string[],
  ) {
    this.#db = db;
    this.#key = key;
    this.#oldest = oldest;
    this.#ranks = ranks;
    this.#newest = newest;
  }

  static async open(db: RedisDb, key: string, range: TimeRange, timesOf: TimesOf): Promise<TimeIndex> {
    const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range;
    const [low, high] = [from * 1000, to * 1000];
    const inside = async (ids: readonly string[]) => {
      const times = ids.length === 0 ? [] : await timesOf(ids);
      return ids.filter((_, i) => {
        const time = times[i] ?? null;
        return time !== null && time >= from && time <= to;
      });
    };
    if (Math.floor(high) <= Math.ceil(low)) {
      return new TimeIndex(db, key, await inside(await idsBetween(db, key, low, high)), { start: 0, end: 0 }, []);
    }
    const [below, upTo, oldest, newest] = await Promise.all([
      from === Number.NEGATIVE_INFINITY ? 0 : db.number("ZCOUNT", key, "-inf", String(Math.ceil(low))),
      to === Number.POSITIVE_INFINITY
        ? db.number("ZCARD", key)
        : db.number("ZCOUNT", key, "-inf", `(${Math.floor(high)}`),
      from === Number.NEGATIVE_INFINITY ? [] : idsBetween(db, key, low, low),
      to === Number.POSITIVE_INFINITY ? [] : idsBetween(db, key, high, high),
    ]);
    const kept = new Set(await inside([...oldest, ...newest]));
    const keptOf = (ids: readonly string[]) => ids.filter((id) => kept.has(id));
    return new TimeIndex(db, key, keptOf(oldest), { start: below, end: Math.max(below, upTo) }, keptOf(newest));
  }

  get size(): number {
    return this.#newest.length + this.#newestAt;
  }

  /** Oldest first, from position `start` on. */
  async forward(start: number, count: number): Promise<string[]> {
    const end = start + count;
    const { start: firstRank, end: endRank } = this.#ranks;
    const shift = firstRank - this.#oldest.length;
    const [first, last] = [Math.max(start + shift, firstRank), Math.min(end + shift, endRank) - 1];
    return [
      ...this.#oldest.slice(start, end),
      ...(first <= last ? await this.#db.texts("ZRANGE", this.#key, String(first), String(last)) : []),
      ...this.#newest.slice(Math.max(0, start - this.#newestAt), Math.max(0, end - this.#newestAt)),
    ];
  }

  /** Newest first, skipping the `start` newest. */
  async backward(start: number, count: number): Promise<string[]> {
    const end = this.size - start;
    const begin = Math.max(0, end - count);
    return begin < end ? (await this.forward(begin, end - begin)).reverse() : [];
  }

  /**
   * A slice of the rows that `read` returns for the ids. `unfiltered` says that `read` returns a row for every id whose record exists: then an offset
   * needs no reads. `read` may stop once it has `enough` rows.
   */
  async rows<Row>(
    { direction, unfiltered, start = 0 }: { direction: "forward" | "backward"; unfiltered: boolean; start?: number },
    { limit, offset }: Slice,
    read: (ids: readonly string[], enough: number) => Promise<Row[]>,
  ): Promise<Row[]> {
    const rows: Row[] = [];
    let position = unfiltered ? start + offset : start;
    let skip = unfiltered ? 0 : offset;
    while (rows.length < limit && position < this.size) {
      const missing = limit - rows.length;
      const ids = await this[direction](position, unfiltered ? Math.min(missing, STEP) : STEP);
      if (ids.length === 0) break;
      position += ids.length;
      const some = await read(ids, skip + missing);
      rows.push(...some.slice(skip, skip + missing));
      skip = Math.max(0, skip - some.length);
    }
    return rows;
  }

  /** Number of newest ids to skip to continue after an id, or after its time if the id was deleted. */
  async ranksBefore(id: string, time: EpochSeconds): Promise<number> {
    const [rank, older] = await this.#db.exchange([
      ["ZRANK", this.#key, id],
      ["ZCOUNT", this.#key, "-inf", `(${time * 1000}`],
    ]);
    const [early, late] = [this.#oldest.indexOf(id), this.#newest.indexOf(id)];
    const byRank = (numberOrNull(rank) ?? numberOf(older)) - this.#ranks.start + this.#oldest.length;
    const later = late >= 0 ? late + this.#newestAt : byRank;
    const position = early >= 0 ? early : later;
    return this.size - Math.min(Math.max(position, 0), this.size);
  }

  /** Position of the first id of `#newest`. */
  get #newestAt(): number {
    return this.#oldest.length + this.#ranks.end - this.#ranks.start;
  }
}

/** Ids between two times, rounded outwards to full milliseconds. */
async function idsBetween(db: RedisDb, key: string, low: number, high: number): Promise<string[]> {
  const ends = [String(Math.floor(low)), String(Math.ceil(high))];
  return textsOf(await db.ask("ZRANGEBYSCORE", key, ...ends, "LIMIT", "0", String(MAX_PER_END)));
}
