/**
 * Names that no index holds. pynenc's keys have no list of tasks, runner contexts, conditions or values: they are found by walking over
 * the names of all keys. Where the server looks at a key, telling its name costs little more, so that one walk serves every family. It is
 * remembered; on a large server, where it takes seconds, requests get the last one at once while the next goes on behind them.
 */
import type { RedisDb } from "./db.ts";
import type { AppKeys, Section } from "./keys.ts";

/** Keys whose names are wanted: those of a section that begin with `head`, and further on have `within`. */
interface Family {
  section: Section;
  head: string;
  within?: string;
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
  workflow_data: { section: "state_backend", head: "workflow:", within: ":data:" },
  /** Full references. */
  client_data: { section: "client_data_store", head: "client_data_store:" },
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
  /** What stands behind the head of the family; in alphabetical order. */
  names: readonly string[];
  /** How many there are. */
  total: number;
  /** False when there are more than were kept, or when the walk that will tell goes on. */
  complete: boolean;
}

/** A server with the sections of the app that it keeps. */
export interface WalkedServer {
  /** Without a deadline: a walk goes on for the next one who asks when this one has given up. */
  db: RedisDb;
  sections: readonly Section[];
}

/** So many names of a family are kept: some ten megabytes. */
const MOST_NAMES = 100_000;

/** A walk that took longer than this is not made on a request's time once there is an older one. */
const DEAR_MS = 100;

/** A dear walk is made again when it is older than so many times its cost: it never takes more than a twentieth of the server's time. */
const REUSE_FOR_COSTS = 20;

/** The first walk of all is waited for this long where something else can be told meanwhile. */
const PATIENCE_MS = 1_500;

type Found = ReadonlyMap<FamilyName, Names>;

interface Walk {
  token: string;
  found: Found;
  /** Milliseconds on the monotonic clock. */
  doneAt: number;
  cost: number;
}

export class Catalogue {
  readonly #servers: readonly WalkedServer[];
  readonly #keys: AppKeys;
  readonly #version: () => Promise<string>;
  /** The last one that ended. */
  #last: Walk | null = null;
  /** The one that goes on. */
  #next: Promise<Found> | null = null;

  constructor(servers: readonly WalkedServer[], keys: AppKeys, version: () => Promise<string>) {
    this.#servers = servers;
    this.#keys = keys;
    this.#version = version;
  }

  /**
   * The names of a family, as of this moment or, where a walk is dear, of a moment ago.
   *
   * @param meanwhile what other keys tell of them, until the first walk over a large server has ended.
   */
  async names(family: FamilyName, meanwhile?: () => Promise<readonly string[]>): Promise<Names> {
    const walking = this.#found();
    const found = meanwhile === undefined || this.#last !== null ? await walking : await soon(walking);
    if (found !== null) return found.get(family) ?? NOTHING;
    const names = [...new Set(await meanwhile?.())].sort();
    return { names, total: names.length, complete: false };
  }

  /** Begins a walk for those who will ask. */
  prepare(): void {
    this.#found().catch(() => {
      // Told to whoever asks.
    });
  }

  /** We changed names ourselves: the next who asks sees that, unless the last walk took more than `dearest` milliseconds. */
  expire(dearest: number): void {
    if (this.#last !== null && this.#last.cost > dearest) return;
    this.#last = null;
    this.#next = null;
  }

  async #found(): Promise<Found> {
    // Taken before the walk: what changes meanwhile makes the names newer than their token, never older.
    const token = await this.#version();
    const last = this.#last;
    if (last !== null && last.token === token) return last.found;
    const mayReuse = last !== null && last.cost > DEAR_MS;
    if (mayReuse && performance.now() - last.doneAt < last.cost * REUSE_FOR_COSTS) return last.found;
    this.#next ??= this.#walk(token);
    return mayReuse ? last.found : this.#next;
  }

  #walk(token: string): Promise<Found> {
    const startedAt = performance.now();
    const walking = this.#collect();
    walking.then(
      (found) => {
        // It began before we changed names.
        if (this.#next !== walking) return;
        this.#next = null;
        const doneAt = performance.now();
        this.#last = { token, found, doneAt, cost: doneAt - startedAt };
      },
      () => {
        // A failure is told to those who waited for it and not kept.
        if (this.#next === walking) this.#next = null;
      },
    );
    return walking;
  }

  async #collect(): Promise<Found> {
    const collectors = new Map((Object.keys(FAMILIES) as FamilyName[]).map((name) => [name, new Collector()]));
    for (const { db, sections } of this.#servers) {
      const families = (Object.entries(FAMILIES) as [FamilyName, Family][]).flatMap(
        ([name, { section, head, within }]) =>
          sections.includes(section)
            ? [{ head: this.#keys.key(section, head), within, names: collectors.get(name) as Collector }]
            : [],
      );
      for await (const keys of db.scan(this.#keys.everything())) {
        for (const key of keys) {
          const family = families.find(({ head }) => key.startsWith(head));
          if (family === undefined) continue;
          if (family.within === undefined || key.includes(family.within, family.head.length)) {
            family.names.add(key.slice(family.head.length));
          }
        }
      }
    }
    return new Map([...collectors].map(([name, collector]) => [name, collector.names()]));
  }
}

const NOTHING: Names = { names: [], total: 0, complete: true };

/** Keeps names up to a number and counts the rest. A walk may meet a name twice. */
class Collector {
  readonly #kept = new Set<string>();
  #beyond = 0;

  add(name: string): void {
    if (name === "" || this.#kept.has(name)) return;
    if (this.#kept.size < MOST_NAMES) this.#kept.add(name);
    else this.#beyond++;
  }

  names(): Names {
    const names = [...this.#kept].sort();
    return { names, total: names.length + this.#beyond, complete: this.#beyond === 0 };
  }
}

/** Null when it takes too long. What goes wrong then is told to the next one who asks. */
async function soon(walking: Promise<Found>): Promise<Found | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), PATIENCE_MS);
  });
  walking.catch(() => undefined);
  try {
    return await Promise.race([walking, late]);
  } finally {
    clearTimeout(timer);
  }
}
