/** The orchestrator of one app on a test's server. */
import { COMPONENTS, type OrchestratorReads } from "../../../src/stores/ports.ts";
import { type ComponentEndpoints, RedisStore } from "../../../src/stores/redis/store.ts";
import type { RedisServer } from "../../support/redis-server.ts";

export interface OrchestratorOf {
  read<T>(fn: (reads: OrchestratorReads) => Promise<T>): Promise<T>;
  /** Round trips since the start. */
  roundTrips(): number;
  close(): Promise<void>;
}

export function orchestratorOn(server: RedisServer, appId: string): OrchestratorOf {
  const endpoints = Object.fromEntries(COMPONENTS.map((component) => [component, server.endpoint]));
  const store = new RedisStore(endpoints as ComponentEndpoints, { readOnly: true, threads: 0 });
  return {
    read: (fn) => store.app(appId).read((reads) => fn(reads.orchestrator)),
    roundTrips: () => store.traffic.round_trips,
    close: () => store.close(),
  };
}
