/** SQLite files as a Store: discovery of apps, snapshots through lanes, version tokens. */
import type {
  AppReads,
  AppStore,
  Capabilities,
  ComponentName,
  DiscoveredApp,
  LayoutReport,
  StorageFigure,
  Store,
} from "../ports.ts";
import { COMPONENTS } from "../ports.ts";
import { InlineLane, type Lane, LanePool, ThreadLane } from "./lanes.ts";
import type { ComponentPaths, StoreReads, Target } from "./session.ts";
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
    return this.snapshot("", (lane) => storeCall(lane, "apps"));
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

  layout(): Promise<LayoutReport> {
    return this.#store.snapshot(this.app_id, (lane) => storeCall(lane, "layout"));
  }

  capabilities(): Promise<Capabilities> {
    return this.#store.snapshot(this.app_id, (lane) => storeCall(lane, "capabilities"));
  }

  figures(): Promise<StorageFigure[]> {
    return this.#store.snapshot(this.app_id, (lane) => storeCall(lane, "figures"));
  }

  read<T>(fn: (reads: AppReads) => Promise<T>): Promise<T> {
    return this.#store.snapshot(this.app_id, (lane) =>
      fn(Object.fromEntries(COMPONENTS.map((c) => [c, port(lane, c)])) as unknown as AppReads),
    );
  }

  version(): string {
    return this.#store.version();
  }
}

function storeCall<Method extends keyof StoreReads>(
  lane: Lane,
  method: Method,
): Promise<ReturnType<StoreReads[Method]>> {
  return lane.call("store", method, []) as Promise<ReturnType<StoreReads[Method]>>;
}

/** A port whose every method is a message to the lane. */
function port<C extends ComponentName>(lane: Lane, component: C): AppReads[C] {
  return new Proxy({} as AppReads[C], {
    get:
      (_, method) =>
      (...args: unknown[]) =>
        lane.call(component satisfies Target, String(method), args),
  });
}
