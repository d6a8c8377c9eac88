/**
 * Names that no index holds. pynenc's keys have no list of tasks, runner contexts, conditions or values: they are found by walking over
 * the names of all keys. A walk is remembered; on a large server, where it takes seconds, requests get the last one at once while the
 * next goes on behind them.
 */
import type { RedisDb } from "./db.ts";
import type { AppKeys, Section } from "./keys.ts";

/** Keys whose names are wanted: those of a section that begin with `head`, and go on as `tail`, a pattern, says. */
interface Family {
  section: Section;
  head: string;
  tail?: string;
}

export const FAMILIES = {
  /** Task keys. */
  tasks: { section: "orchestrator", head: "task_invocations_by_time:" },
  /** Status words. */
  statuses: { section: "orchestrator", head: "status:" },
  /** Invocations that somebody waits for. */
  waited: { section: "blocking_control", head: "waited_by:" },
  /** Invocation ids. */
  definitions: { section: "state_backend", head: "invocation:" },
  /** Runner ids. */
  runner_contexts: { section: "state_backend", head: "runner_context:" },
  /** `<workflow id>:data:<key>`; the key may hold colons. */
  workflow_data: { section: "state_backend", head: "workflow:", tail: "*:data:*" },
  /** Full references. */
  client_data: { section: "client_data_store", head: "client_data_store:" },
  /**
   * Conditions, which tasks they watch and which triggers they have, in one walk: `condition:<id>`, `condition_triggers:<id>`,
   * `source_task_conditions:<task>`, and `cron_last_execution:<id>`. Nothing else of the section begins with these letters.
   */
  trigger_definitions: { section: "trigger", head: "", tail: "[cs]*" },
  valid_conditions: { section: "trigger", head: "valid_condition:" },
} as const satisfies Record<string, Family>;

export type FamilyName = keyof typeof FAMILIES;

export interface Names {
  /** What stands behind the head of the family; in alphabetical order. */
  names: readonly string[];
  /** How many there are. */
  total: number;
  /** False when there are more than were kept. */
  complete: boolean;
}

/** So many names of a family are kept: some ten megabytes. */
const MOST_NAMES = 100_000;

/** A walk that took longer than this is not made on a request's time once there is an older one. */
const DEAR_MS = 100;

/** A dear walk is made again when it is older than so many times its cost: it never takes more than a twentieth of the server's time. */
const REUSE_FOR_COSTS = 20;

interface Walk {
  token: string;
  names: Promise<Names>;
  /** Milliseconds on the monotonic clock; null while it goes on. */
  doneAt: number | null;
  cost: number;
}

export class Catalogue {
  readonly #db: (section: Section) => RedisDb;
  readonly #keys: AppKeys;
  readonly #version: () => Promise<string>;
  readonly #walks = new Map<FamilyName, { last: Walk | null; next: Walk | null }>();

  /** @param db without a deadline: a walk goes on for the next one who asks when this one has given up. */
  constructor(db: (section: Section) => RedisDb, keys: AppKeys, version: () => Promise<string>) {
    this.#db = db;
    this.#keys = keys;
    this.#version = version;
  }

  /** The names of a family, as of this moment or, where a walk is dear, of a moment ago. */
  async names(family: FamilyName): Promise<Names> {
    // Taken before the walk: what changes meanwhile makes the names newer than their token, never older.
    const token = await this.#version();
    const walks = this.#walks.get(family) ?? { last: null, next: null };
    this.#walks.set(family, walks);
    const { last } = walks;
    if (last !== null && last.token === token) return last.names;
    const mayReuse = last !== null && last.cost > DEAR_MS;
    if (mayReuse && performance.now() - (last.doneAt ?? 0) < last.cost * REUSE_FOR_COSTS) return last.names;
    walks.next ??= this.#walk(family, token, walks);
    return mayReuse ? last.names : walks.next.names;
  }

  #walk(family: FamilyName, token: string, walks: { last: Walk | null; next: Walk | null }): Walk {
    const startedAt = performance.now();
    const names = this.#collect(FAMILIES[family]);
    const walk: Walk = { token, names, doneAt: null, cost: 0 };
    names.then(
      () => {
        walk.doneAt = performance.now();
        walk.cost = walk.doneAt - startedAt;
        walks.last = walk;
        walks.next = null;
      },
      () => {
        // A failure is told to those who waited for it and not kept.
        walks.next = null;
      },
    );
    return walk;
  }

  async #collect(family: Family): Promise<Names> {
    const { section, head, tail } = family;
    const found = new Set<string>();
    let beyond = 0;
    for await (const keys of this.#db(section).scan(this.#keys.pattern(section, head, tail))) {
      for (const key of keys) {
        const name = this.#keys.rest(section, key)?.slice(head.length);
        if (name === undefined || name === "") continue;
        if (found.size < MOST_NAMES) found.add(name);
        else if (!found.has(name)) beyond++;
      }
    }
    return { names: [...found].sort(), total: found.size + beyond, complete: beyond === 0 };
  }
}
