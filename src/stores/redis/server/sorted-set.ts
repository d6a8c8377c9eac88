/** Walks over sorted sets of any size. */
import type { Reply } from "./connection.ts";
import { type RedisDb, scoredOf, textsOf } from "./db.ts";

/** A member with its position, from which a walk in the same direction can continue. */
export interface ScoredMember {
  member: string;
  score: number;
  /** Members of this score up to and including this one, in the direction of the walk. */
  passed: number;
}

interface ScoreWalk {
  direction: "up" | "down";
  /** Both ends are inclusive. */
  low?: number | undefined;
  high?: number | undefined;
  /** Continues after this position of an earlier walk over the same set. */
  after?: Pick<ScoredMember, "score" | "passed"> | undefined;
  /** Members read in the first step; each further step reads twice as many, up to `largest`. */
  step: number;
  largest: number;
}

/**
 * Members by score, in steps. Positions are scores, not ranks, so members added at either end meanwhile do not shift them. Members with equal scores
 * are in byte order.
 */
export async function* byScore(
  db: RedisDb,
  key: string,
  { direction, low, high, after, step, largest }: ScoreWalk,
): AsyncGenerator<ScoredMember[], void, undefined> {
  const down = direction === "down";
  let position = after ?? null;
  const ask = (size: number) => {
    const from = position === null ? scoreText(down ? high : low, down ? "+inf" : "-inf") : String(position.score);
    const to = scoreText(down ? low : high, down ? "-inf" : "+inf");
    const command = down ? "ZREVRANGEBYSCORE" : "ZRANGEBYSCORE";
    const skipped = String(position?.passed ?? 0);
    return db.step([[command, key, from, to, "WITHSCORES", "LIMIT", skipped, String(size)]]);
  };
  let next: Promise<Reply[]> | null = null;
  let isFirst = true;
  for (let size = step; ; size = Math.min(largest, size * 2)) {
    const [reply] = await (next ?? ask(size));
    const scored: ScoredMember[] = [];
    for (const { member, score } of scoredOf(reply)) {
      const passed: number = score === position?.score ? position.passed + 1 : 1;
      position = { score, passed };
      scored.push({ member, score, passed });
    }
    // A walk beyond its first step most likely goes on: the server reads the next one while the caller is busy with this.
    next = !isFirst && scored.length === size ? ask(Math.min(largest, size * 2)) : null;
    isFirst = false;
    // The error is reported when it is awaited.
    next?.catch(() => undefined);
    if (scored.length > 0) yield scored;
    if (scored.length < size) return;
  }
}

function scoreText(score: number | undefined, none: string): string {
  return score === undefined ? none : String(score);
}

/** Steps of a walk, and the fraction of all members they cover. */
export interface Steps {
  steps: AsyncGenerator<string[], void, undefined>;
  share: number;
}

/**
 * Walks down a sorted set from the last member with a score of at most `until`, so that members the caller removes do not shift those still to come.
 * If that takes more than `maxSteps`, makes that many steps, evenly spread.
 */
export async function stepsDownFrom(
  db: RedisDb,
  key: string,
  until: number,
  { step, maxSteps }: { step: number; maxSteps: number },
): Promise<Steps> {
  const members = await db.number("ZCOUNT", key, "-inf", String(until));
  const all = Math.ceil(members / step);
  const made = Math.min(all, maxSteps);
  async function* steps(): AsyncGenerator<string[], void, undefined> {
    for (let i = 0; i < made; i++) {
      const end = members - Math.floor((i * all) / made) * step;
      const [reply] = await db.step([["ZRANGE", key, String(Math.max(0, end - step)), String(end - 1)]]);
      yield textsOf(reply);
    }
  }
  return { steps: steps(), share: made === all ? 1 : (made * step) / members };
}
