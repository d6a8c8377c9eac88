import type { ComponentEndpoints } from "../../src/stores/mongodb/server/servers.ts";
import { MongoStore } from "../../src/stores/mongodb/store.ts";
import { COMPONENTS } from "../../src/stores/ports/common.ts";

/** Where the data are: the URL of a server, and the database that pynenc's `mongo_db` names. */
export interface MongoPlace {
  url: string;
  database: string;
}

/** A store whose components are all kept at one place. @param timeout in seconds, of an answer */
export function mongoStoreOn(
  { url, database }: MongoPlace,
  { readOnly = false, timeout = 30, threads = 0 }: { readOnly?: boolean; timeout?: number; threads?: number } = {},
): MongoStore {
  const endpoint = { url, database, location: `${url}${database}`, connectTimeout: 5, timeout };
  const endpoints = Object.fromEntries(COMPONENTS.map((component) => [component, endpoint]));
  return new MongoStore(endpoints as unknown as ComponentEndpoints, { readOnly, threads, maxCommands: null });
}
