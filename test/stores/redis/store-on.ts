import { COMPONENTS } from "../../../src/stores/ports.ts";
import type { RedisEndpoint } from "../../../src/stores/redis/connection.ts";
import { type ComponentEndpoints, RedisStore } from "../../../src/stores/redis/store.ts";

/** A store whose components are all kept at one place. */
export function storeOn(endpoint: RedisEndpoint): RedisStore {
  const endpoints = Object.fromEntries(COMPONENTS.map((component) => [component, endpoint]));
  return new RedisStore(endpoints as unknown as ComponentEndpoints, { readOnly: false, threads: 0 });
}
