/**
 * What an action may do to servers. There are two of them: one does it, step by step; the other, for a preview, only counts. An action is
 * written once, against this interface, so that a preview cannot promise anything else.
 */
import { quote, StoreUnreachableError } from "../../../errors.ts";
import type { ComponentName } from "../../ports/common.ts";
import type { RedisReading } from "../keys/reading.ts";
import type { Command, Reply } from "../server/connection.ts";
import { numberOrNull, type RedisDb } from "../server/db.ts";

/** Something that goes. */
export interface Removal {
  /** Together they answer how many there are: numbers, or anything but null for one. */
  count: readonly Command[];
  erase: Command;
}

/** Something that comes. */
export interface Write {
  component: ComponentName;
  command: Command;
}

export interface Changes {
  /**
   * So many steps of a walk are made. A page cannot wait for a million records: of more, a preview looks at some that lie evenly spread,
   * and its answer is not exact.
   */
  readonly mostSteps: number;
  /**
   * One step: deletes all of these or none, with the uncounted extras. Returns how many there were of each.
   *
   * @param besides finds the extras to delete; a preview does not call it.
   */
  remove(
    component: ComponentName,
    removals: readonly Removal[],
    besides?: () => readonly Command[] | Promise<readonly Command[]>,
  ): Promise<number[]>;
  /** One step on each server; servers come in the order in which the writes first name them. */
  write(writes: readonly Write[]): Promise<void>;
  /** Scripts, each of them a step that decides for itself whether it writes. Their answers; a preview asks nothing and gives null for each. */
  attempt(component: ComponentName, scripts: readonly Command[]): Promise<Reply[]>;
}

/** Some thousand records: a tenth of a second. */
const PREVIEW_STEPS = 10;

/** Counts what would go. */
export function previewChanges(reading: RedisReading): Changes {
  return {
    mostSteps: PREVIEW_STEPS,
    remove: async (component, removals) =>
      counted(removals, await reading.db(component).exchange(removals.flatMap(({ count }) => count))),
    write: async () => undefined,
    attempt: async (_, scripts) => scripts.map(() => null),
  };
}

/** @param beforeStep is called when a step is about to be sent: what goes wrong from then on leaves a part done. */
export function performedChanges(reading: RedisReading, beforeStep: () => void): Changes {
  return {
    mostSteps: Number.POSITIVE_INFINITY,
    async remove(component, removals, besides = () => []) {
      const others = await besides();
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

/** What a command needs the value of its key to be, if there is one. */
const NEEDED_TYPES: Readonly<Record<string, string>> = { RPUSH: "list", SADD: "set", ZADD: "zset" };

async function assertTypes(db: RedisDb, commands: readonly Command[]): Promise<void> {
  const needed = new Map(commands.flatMap(([name = "", key = ""]) => [[key, NEEDED_TYPES[name] ?? ""] as const]));
  const keys = [...needed.keys()].filter((key) => needed.get(key) !== "");
  const types = await db.exchange(keys.map((key) => ["TYPE", key]));
  const other = keys.find((key, i) => types[i] !== "none" && types[i] !== needed.get(key));
  if (other !== undefined) throw ofAnotherType(db, other);
}

/** EVAL names a script and the number of its keys before the first of them. */
function firstKeyOf([name, ...rest]: Command): string {
  return (name === "EVAL" ? rest[2] : rest[0]) ?? "";
}

function ofAnotherType(db: RedisDb, key: string): StoreUnreachableError {
  return new StoreUnreachableError("failed", `${db.location}: the key ${quote(key)} has another type.`);
}

export function wholeKeys(keys: readonly string[]): Removal {
  return { count: [["EXISTS", ...keys]], erase: ["UNLINK", ...keys] };
}

/** A collection with all its members, which are what counts. */
export function wholeCollection(key: string, count: "SCARD" | "LLEN" | "ZCARD"): Removal {
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

/** The score of one member, as text. */
function howMany(reply: Reply | undefined): number {
  return typeof reply === "string" ? 1 : (numberOrNull(reply) ?? 0);
}
