/**
 * Names that no index holds. pynenc's keys have no list of tasks, runner contexts, conditions or values: they are found by walking over
 * the names of all keys. Where the server looks at a key, telling its name costs little more, so that one walk serves every family.
 */
import type { RedisDb } from "../server/db.ts";
import type { AppKeys, Section } from "./keys.ts";
import { RememberedWalk } from "./remembered-walk.ts";

/** Keys whose names are wanted: those of a section that begin with `head`, which is empty for all of them, and further on have `within`. */
interface Family {
  section: Section;
  head: string;
  within?: string;
}

export const FAMILIES = {
  /** Every key of the broker; their content shows which ones are queues. */
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
  /** False when there are more than were kept. */
  complete: boolean;
  /** False during the first walk: then the names are derived from other keys. */
  settled: boolean;
}

/** A server with the sections of the app that it keeps. */
export interface WalkedServer {
  /** Has no deadline: the walk continues for later callers if this one gives up. */
  db: RedisDb;
  sections: readonly Section[];
}

/** So many names of a family are kept: some ten megabytes. */
const MOST_NAMES = 100_000;

type Found = ReadonlyMap<FamilyName, Names>;

export class Catalogue {
  readonly #servers: readonly WalkedServer[];
  readonly #keys: AppKeys;
  readonly #walk: RememberedWalk<Found>;

  constructor(servers: readonly WalkedServer[], keys: AppKeys, version: () => Promise<string>) {
    this.#servers = servers;
    this.#keys = keys;
    this.#walk = new RememberedWalk(version, () => this.#collect());
  }

  /**
   * The names of a family, current or, if a walk is expensive, slightly old.
   *
   * @param meanwhile the names derived from other keys, until the first walk over a large server has ended.
   */
  async names(family: FamilyName, meanwhile?: () => Promise<readonly string[]>): Promise<Names> {
    const found = meanwhile === undefined ? await this.#walk.found() : await this.#walk.foundInTime();
    if (found !== null) return found.get(family) ?? NOTHING;
    const names = [...new Set(await meanwhile?.())].sort();
    return { names, total: names.length, complete: true, settled: false };
  }

  /** Starts a walk for later callers. */
  prepare(): void {
    // They receive its error.
    this.#walk.found().catch(() => undefined);
  }

  /** As `RememberedWalk.expire`. */
  expire(keepAboveMs: number): void {
    this.#walk.expire(keepAboveMs);
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

/** Keeps names up to a number and counts the rest. A walk may meet a name twice. */
class Collector {
  readonly #kept = new Set<string>();
  #beyond = 0;

  add(name: string): void {
    if (name === "" || this.#kept.has(name)) return;
    // A part of a text keeps the whole of it in memory.
    if (this.#kept.size < MOST_NAMES) this.#kept.add(Buffer.from(name).toString());
    else this.#beyond++;
  }

  names(): Names {
    const names = [...this.#kept].sort();
    return { names, total: names.length + this.#beyond, complete: this.#beyond === 0, settled: true };
  }
}
