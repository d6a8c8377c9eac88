/**
 * Names that no index lists. pynenc keeps no list of tasks, runner contexts, conditions or values, so they are found by a walk over all keys. Once
 * the server scans every key, returning its name costs little more, so one walk serves every family.
 */
import type { RedisDb } from "../server/db.ts";
import type { AppKeys, Section } from "./keys.ts";
import { RememberedWalk } from "./remembered-walk.ts";

/** A family of keys to collect: keys of a section that start with `head` (empty for all keys) and contain `within` after it. */
interface Family {
  section: Section;
  head: string;
  within?: string;
}

export const FAMILIES = {
  /** Every key of the broker; their content shows which are queues. */
  broker: { section: "broker", head: "" },
  /** Task keys. */
  tasks: { section: "orchestrator", head: "task_invocations_by_time:" },
  /** Status words. */
  statuses: { section: "orchestrator", head: "status:" },
  /** Call ids. */
  calls: { section: "orchestrator", head: "call_to_invocation:" },
  /** Invocations that others wait for. */
  waited: { section: "blocking_control", head: "waited_by:" },
  /** Invocation ids. */
  definitions: { section: "state_backend", head: "invocation:" },
  /** Runner ids. */
  runner_contexts: { section: "state_backend", head: "runner_context:" },
  /** `<workflow id>:data:<key>`; the key may hold colons. */
  workflow_data: { section: "state_backend", head: "workflow:", within: ":data:" },
  /** Full references. */
  client_data: { section: "client_data_store", head: "client_data_store:" },
  /** Trigger ids. */
  triggers: { section: "trigger", head: "trigger:" },
  /** Condition ids. */
  conditions: { section: "trigger", head: "condition:" },
  /** Ids of conditions that triggers have. */
  triggering_conditions: { section: "trigger", head: "condition_triggers:" },
  /** Task keys. */
  watched_tasks: { section: "trigger", head: "source_task_conditions:" },
  valid_conditions: { section: "trigger", head: "valid_condition:" },
} as const satisfies Record<string, Family>;

export type FamilyName = keyof typeof FAMILIES;

export interface Names {
  /** The part of the key after the family's prefix, in alphabetical order. */
  names: readonly string[];
  /** How many there are. */
  total: number;
  /** False if there are more than were kept. */
  complete: boolean;
  /** False during the first walk: then the names come from other keys. */
  settled: boolean;
}

/** A server and the sections of the app it keeps. */
export interface WalkedServer {
  /** Without a deadline: the walk continues for later callers. */
  db: RedisDb;
  sections: readonly Section[];
}

/** Most names kept per family: about ten megabytes. */
const MAX_NAMES = 100_000;

/** With more keys on the servers, the first walk takes seconds. */
const LONG_WALK_KEYS = 1_000_000;

type Found = ReadonlyMap<FamilyName, Names>;

export class Catalogue {
  readonly #servers: readonly WalkedServer[];
  readonly #keys: AppKeys;
  readonly #walk: RememberedWalk<Found>;
  /** Names from other keys, during the first walk. */
  readonly #derived = new Map<FamilyName, Names>();

  constructor(servers: readonly WalkedServer[], keys: AppKeys, version: () => Promise<string>) {
    this.#servers = servers;
    this.#keys = keys;
    this.#walk = new RememberedWalk(
      version,
      () => this.#collect(),
      () => this.#isLong(),
    );
  }

  /**
   * The names of a family: current, or slightly outdated if a walk is expensive.
   *
   * @param meanwhile finds names from other keys until the first walk over a large server has ended.
   * @param once finds them only once until then: for names that take many keys to find and rarely change.
   * @param version see `RememberedWalk.found`.
   */
  async names(
    family: FamilyName,
    meanwhile?: () => Promise<readonly string[]>,
    once = false,
    version?: Promise<string>,
  ): Promise<Names> {
    const found = await (meanwhile === undefined ? this.#walk.found(version) : this.#walk.foundInTime(version));
    if (found !== null) return found.get(family) ?? NOTHING;
    const known = once ? this.#derived.get(family) : undefined;
    if (known !== undefined) return known;
    const names = [...new Set(await meanwhile?.())].sort();
    const derived = { names, total: names.length, complete: true, settled: false };
    if (once) this.#derived.set(family, derived);
    return derived;
  }

  /** Starts a walk for later callers. */
  prepare(): void {
    // Later callers receive the error.
    this.#walk.found().catch(() => undefined);
  }

  /** See `RememberedWalk.expire`. */
  expire(keepAboveMs: number): void {
    this.#derived.clear();
    this.#walk.expire(keepAboveMs);
  }

  async #isLong(): Promise<boolean> {
    const sizes = await Promise.all(this.#servers.map(({ db }) => db.number("DBSIZE")));
    return sizes.reduce((sum, keys) => sum + keys, 0) > LONG_WALK_KEYS;
  }

  async #collect(): Promise<Found> {
    const collectors = new Map((Object.keys(FAMILIES) as FamilyName[]).map((name) => [name, new Collector()]));
    for (const { db, sections } of this.#servers) {
      const families = Object.entries(FAMILIES) as [FamilyName, Family][];
      const here = new Map(
        families.flatMap(([name, { section, head, within }]) =>
          sections.includes(section)
            ? [[this.#keys.key(section, head), { within, names: collectors.get(name) as Collector }]]
            : [],
        ),
      );
      for await (const keys of db.scan(this.#keys.everything())) {
        for (const key of keys) {
          let end = this.#keys.endOfFamily(key);
          let family = here.get(key.slice(0, end));
          if (family === undefined) {
            end = this.#keys.endOfSection(key);
            family = here.get(key.slice(0, end));
          }
          if (family === undefined) continue;
          if (family.within === undefined || key.includes(family.within, end)) family.names.add(key.slice(end));
        }
      }
    }
    return new Map([...collectors].map(([name, collector]) => [name, collector.names()]));
  }
}

const NOTHING: Names = { names: [], total: 0, complete: true, settled: true };

/** Keeps a limited number of names and counts the rest. A walk may return a name twice. */
class Collector {
  readonly #kept = new Set<string>();
  #beyond = 0;

  add(name: string): void {
    if (name === "" || this.#kept.has(name)) return;
    // A copy: a substring would keep the complete string in memory.
    if (this.#kept.size < MAX_NAMES) this.#kept.add(Buffer.from(name).toString());
    else this.#beyond++;
  }

  names(): Names {
    const names = [...this.#kept].sort();
    return { names, total: names.length + this.#beyond, complete: this.#beyond === 0, settled: true };
  }
}
