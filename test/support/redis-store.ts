import { COMPONENTS } from "../../src/stores/ports/common.ts";
import type { ComponentEndpoints } from "../../src/stores/redis/server/servers.ts";
import { RedisStore } from "../../src/stores/redis/store.ts";
import type { RedisServer } from "./redis-server.ts";

type Place = Pick<RedisServer, "endpoint">;

/** A store whose components are all kept at one place, but for an orchestrator that may be elsewhere. */
export function storeOn(
  place: Place,
  {
    readOnly = false,
    orchestrator = place,
    timeout = place.endpoint.timeout,
    threads = 0,
    maxCommands = null,
  }: { readOnly?: boolean; orchestrator?: Place; timeout?: number; threads?: number; maxCommands?: number | null } = {},
): RedisStore {
  const endpoints = Object.fromEntries(
    COMPONENTS.map((component) => {
      const { endpoint } = component === "orchestrator" ? orchestrator : place;
      return [component, { ...endpoint, timeout }];
    }),
  );
  return new RedisStore(endpoints as unknown as ComponentEndpoints, { readOnly, threads, maxCommands });
}
