/** SQLite files as a Store: discovery of apps, snapshots through lanes, version tokens. */
import type { AppReads, AppStore, ComponentName, DiscoveredApp, Store } from "../ports.ts";
import { COMPONENTS } from "../ports.ts";
import { InlineLane, type Lane, LanePool, ThreadLane } from "./lanes.ts";
import type { ComponentPaths } from "./session.ts";
import { VersionProbe } from "./version-probe.ts";

export interface SqliteStoreOptions {
  /** Worker threads to read in; 0 reads in the calling thread. */
  threads: number;
}

/** The same file for all five components. */
export function onePath(path: string): ComponentPaths {
  return Object.fromEntries(COMPONENTS.map((c) => [c, path])) as Record<ComponentName, string>;
}

/** Opens existing files only, for reading only. A file that cannot be read is reported by the first read, not here. */
export class SqliteStore implements Store {
  readonly kind = "sqlite";
  readonly location: string;
  readonly #pool: LanePool;
  readonly #probes: VersionProbe[];

  constructor(paths: ComponentPaths, options: SqliteStoreOptions) {
    const files = [...new Set(Object.values(paths))];
    this.location = files.join(", ");
    this.#probes = files.map((path) => new VersionProbe(path));
    this.#pool =
      options.threads > 0
        ? new LanePool(options.threads, () => new ThreadLane(paths))
        : new LanePool(1, () => new InlineLane(paths));
  }

  apps(): Promise<DiscoveredApp[]> {
    // Any app id will do: the registry is found by table names alone.
    return this.snapshot("", (lane) => lane.call("registry", "apps", []) as Promise<DiscoveredApp[]>);
  }

  app(appId: string): AppStore {
    return new SqliteAppStore(this, appId);
  }

  version(): string {
    return this.#probes.map((probe) => probe.token()).join("-");
  }

  async snapshot<T>(appId: string, fn: (lane: Lane) => Promise<T>): Promise<T> {
    return this.#pool.use(async (lane) => {
      await lane.begin(appId);
      try {
        return await fn(lane);
      } finally {
        if (!lane.broken) await lane.end();
      }
    });
  }

  async close(): Promise<void> {
    for (const probe of this.#probes) probe.close();
    await this.#pool.close();
  }
}

class SqliteAppStore implements AppStore {
  readonly kind = "sqlite";
  readonly app_id: string;
  readonly #store: SqliteStore;

  constructor(store: SqliteStore, appId: string) {
    this.#store = store;
    this.app_id = appId;
  }

  get location(): string {
    return this.#store.location;
  }

  read<T>(fn: (reads: AppReads) => Promise<T>): Promise<T> {
    return this.#store.snapshot(this.app_id, (lane) => fn(readsThrough(lane)));
  }

  version(): string {
    return this.#store.version();
  }
}

function readsThrough(lane: Lane): AppReads {
  return {
    broker: port(lane, "broker"),
    orchestrator: port(lane, "orchestrator"),
    state_backend: port(lane, "state_backend"),
    client_data_store: port(lane, "client_data_store"),
    trigger: port(lane, "trigger"),
    layout: port(lane, "layout"),
  };
}

/** A port whose every method is a message to the lane. */
function port<Port extends keyof AppReads>(lane: Lane, target: Port): AppReads[Port] {
  return new Proxy({} as AppReads[Port], {
    get:
      (_, method) =>
      (...args: unknown[]) =>
        lane.call(target, String(method), args),
  });
}
