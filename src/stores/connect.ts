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

/**
 * Opens a store for reading. Whether it can be read shows at the first read.
 *
 * @param threads worker threads for reads; 0 for a command that reads once.
 */
export function connectStore(address: StoreAddress, threads: number): Store {
  const paths = { ...onePath(address.path), ...Object.fromEntries(address.components) };
  return new SqliteStore(paths, { threads });
}
