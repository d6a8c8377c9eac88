import type { ConnectOptions } from "./connect-options.ts";
import type { ComponentEndpoints as MongoEndpoints } from "./mongodb/server/servers.ts";
import type { ComponentName } from "./ports/common.ts";
import type { Store } from "./ports/store.ts";
import type { ComponentEndpoints as RedisEndpoints } from "./redis/server/servers.ts";
import { onePath } from "./sqlite/file/component-paths.ts";
import { settledState } from "./sqlite/file/settled-state.ts";

/** Files on this machine. */
export interface SqliteAddress {
  kind: "sqlite";
  /** Absolute path of the file that registers the apps. */
  path: string;
  /** Files of components that are kept in a different file. */
  components: ReadonlyMap<ComponentName, string>;
}

/** Servers; usually the same for all components. */
export interface RedisAddress {
  kind: "redis";
  endpoints: RedisEndpoints;
}

/** Servers or replica sets; usually the same for all components. */
export interface MongoAddress {
  kind: "mongodb";
  endpoints: MongoEndpoints;
}

/** Location of a store. A new kind needs a member here and a case below. */
export type StoreAddress = SqliteAddress | RedisAddress | MongoAddress;

/**
 * Differs, also between processes, after any write to the file with the history. Null if that cannot be known: just after a write, and for a server.
 */
export function storedState(address: StoreAddress): string | null {
  return address.kind === "sqlite" ? settledState(historyFile(address)) : null;
}

/** Absolute path of the file with the history. */
export function historyFile({ path, components }: SqliteAddress): string {
  return components.get("state_backend") ?? path;
}

/** Opens a store, loading only the adapter of its kind. The first read reports whether it can be read. */
export async function connectStore(address: StoreAddress, options: ConnectOptions): Promise<Store> {
  switch (address.kind) {
    case "sqlite": {
      const { SqliteStore } = await import("./sqlite/store.ts");
      return new SqliteStore({ ...onePath(address.path), ...Object.fromEntries(address.components) }, options);
    }
    case "redis": {
      const { RedisStore } = await import("./redis/store.ts");
      return new RedisStore(address.endpoints, options);
    }
    case "mongodb": {
      const { MongoStore } = await import("./mongodb/store.ts");
      return new MongoStore(address.endpoints, options);
    }
  }
}
