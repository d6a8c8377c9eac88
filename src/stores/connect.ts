import type { ComponentName, Store } from "./ports.ts";
import { onePath, SqliteStore } from "./sqlite/store.ts";

/** Where a store is. Only SQLite so far; another kind is another member of this union and another case below. */
export interface StoreAddress {
  kind: "sqlite";
  /** Absolute path of the file that registers the apps. */
  path: string;
  /** Files of single components, where they differ. */
  components: ReadonlyMap<ComponentName, string>;
}

export interface ConnectOptions {
  /** Worker threads for reads; 0 for a command, which works in its own thread. */
  threads: number;
  /** How long an action waits for other writers, in seconds. */
  lockWait: number;
  /** Refuse every action. */
  readOnly: boolean;
}

/** Opens a store. Whether it can be read shows at the first read. */
export function connectStore(address: StoreAddress, options: ConnectOptions): Store {
  const paths = { ...onePath(address.path), ...Object.fromEntries(address.components) };
  return new SqliteStore(paths, options);
}
