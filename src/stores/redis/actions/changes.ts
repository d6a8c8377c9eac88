/**
 * The changes an action can make to servers. There are two implementations: one executes them step by step; the other, for previews, only counts.
 * Each action is written once against this interface, so a preview cannot differ from the action.
 */
import { quote, StoreUnreachableError } from "../../../errors.ts";
import type { ComponentName } from "../../ports/common.ts";
import type { RedisReading } from "../keys/reading.ts";
import type { Command, Reply } from "../server/connection.ts";
import { numberOrNull, type RedisDb } from "../server/db.ts";

/** Something to delete. */
export interface Removal {
  /** The sum of the replies is the count: numbers, or anything but null for one. */
  count: readonly Command[];
  erase: Command;
}

/** Something to write. */
export interface Write {
  component: ComponentName;
  command: Command;
}

export interface Changes {
  /** Maximum steps of a walk. A page cannot wait for a million records, so a preview of more samples evenly spread steps and is not exact. */
  readonly maxSteps: number;
  /**
   * One step: deletes all of these and the uncounted extras, or none. Returns the count of each removal.
   *
   * @param extras finds the uncounted extras; not called by a preview.
   */
  remove(
    component: ComponentName,
    removals: readonly Removal[],
    extras?: () => readonly Command[] | Promise<readonly Command[]>,
  ): Promise<number[]>;
  /** One step per server, in the order in which the writes first name the servers. */
  write(writes: readonly Write[]): Promise<void>;
  /** Runs scripts; each is a step that decides itself whether to write. Returns their replies; a preview runs none and returns nulls. */
  attempt(component: ComponentName, scripts: readonly Command[]): Promise<Reply[]>;
}

/** A few thousand records: a tenth of a second. */
const PREVIEW_STEPS = 10;

/** Counts what would be deleted. */
export function previewChanges(reading: RedisReading): Changes {
  return {
    maxSteps: PREVIEW_STEPS,
    remove: async (component, removals) =>
      counted(removals, await reading.db(component).exchange(removals.flatMap(({ count }) => count))),
    write: async () => undefined,
    attempt: async (_, scripts) => scripts.map(() => null),
  };
}

/** @param beforeStep called before a step is sent: a failure after that may leave the action partly done. */
export function performedChanges(reading: RedisReading, beforeStep: () => void): Changes {
  return {
    maxSteps: Number.POSITIVE_INFINITY,
    async remove(component, removals, extras = () => []) {
      const others = await extras();
      const counts = removals.flatMap(({ count }) => count);
      const erasures = removals.map(({ erase }) => erase);
      beforeStep();
      // Counted in the same step, so that the report is exact.
      const replies = await reading.db(component).transaction([...counts, ...erasures, ...others]);
      return counted(removals, replies);
    },
    async write(writes) {
      const servers: { db: RedisDb; commands: Command[] }[] = [];
      for (const { component, command } of writes) {
        const db = reading.db(component);
        const known = servers.find((server) => server.db.sameServer(db));
        if (known === undefined) servers.push({ db, commands: [command] });
        else known.commands.push(command);
      }
      // A Redis transaction continues after a failed command, so possible failures are checked first.
      for (const { db, commands } of servers) await assertTypes(db, commands);
      for (const { db, commands } of servers) {
        beforeStep();
        const replies = await db.transaction(commands);
        const refused = commands.find((command, i) => replies[i] === null && command.at(-1) !== "NX");
        if (refused !== undefined) throw ofAnotherType(db, firstKeyOf(refused));
      }
    },
    async attempt(component, scripts) {
      if (scripts.length === 0) return [];
      const db = reading.db(component);
      beforeStep();
      const replies = await db.exchange(scripts);
      if (replies.includes(null)) throw ofAnotherType(db, firstKeyOf(scripts[0] ?? []));
      return replies;
    },
  };
}

/** The type that a command requires of an existing key. */
const NEEDED_TYPES: Readonly<Record<string, string>> = { RPUSH: "list", SADD: "set", ZADD: "zset" };

async function assertTypes(db: RedisDb, commands: readonly Command[]): Promise<void> {
  const needed = new Map(commands.flatMap(([name = "", key = ""]) => [[key, NEEDED_TYPES[name] ?? ""] as const]));
  const keys = [...needed.keys()].filter((key) => needed.get(key) !== "");
  const types = await db.exchange(keys.map((key) => ["TYPE", key]));
  const other = keys.find((key, i) => types[i] !== "none" && types[i] !== needed.get(key));
  if (other !== undefined) throw ofAnotherType(db, other);
}

/** EVAL has a script and the number of keys before the first key. */
function firstKeyOf([name, ...rest]: Command): string {
  return (name === "EVAL" ? rest[2] : rest[0]) ?? "";
}

function ofAnotherType(db: RedisDb, key: string): StoreUnreachableError {
  return new StoreUnreachableError("failed", `${db.location}: the key ${quote(key)} has another type.`);
}

export function entireKeys(keys: readonly string[]): Removal {
  return { count: [["EXISTS", ...keys]], erase: ["UNLINK", ...keys] };
}

/** A complete collection; its members are counted. */
export function entireCollection(key: string, count: "SCARD" | "LLEN" | "ZCARD"): Removal {
  return { count: [[count, key]], erase: ["UNLINK", key] };
}

export function membersOfSet(key: string, members: readonly string[]): Removal {
  return { count: members.map((member) => ["SISMEMBER", key, member]), erase: ["SREM", key, ...members] };
}

export function membersOfSortedSet(key: string, members: readonly string[]): Removal {
  return { count: members.map((member) => ["ZSCORE", key, member]), erase: ["ZREM", key, ...members] };
}

function counted(removals: readonly Removal[], replies: readonly Reply[]): number[] {
  let at = 0;
  return removals.map(({ count }) => count.reduce((sum) => sum + howMany(replies[at++]), 0));
}

/** The reply to ZSCORE is text and counts as one. */
function howMany(reply: Reply | undefined): number {
  return typeof reply === "string" ? 1 : (numberOrNull(reply) ?? 0);
}
