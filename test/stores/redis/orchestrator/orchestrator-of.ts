/** The orchestrator of one app on a test's server. */
import type { OrchestratorReads } from "../../../../src/stores/ports/orchestrator.ts";
import type { RedisServer } from "../../../support/redis-server.ts";
import { storeOn } from "../../../support/redis-store.ts";

export interface OrchestratorOf {
  read<T>(fn: (reads: OrchestratorReads) => Promise<T>): Promise<T>;
  /** Round trips since the start. */
  roundTrips(): number;
  /** Commands since the start. */
  commands(): number;
  close(): Promise<void>;
}

export function orchestratorOn(server: RedisServer, appId: string): OrchestratorOf {
  const store = storeOn(server, { readOnly: true });
  return {
    read: (fn) => store.app(appId).read((reads) => fn(reads.orchestrator)),
    roundTrips: () => store.traffic.round_trips,
    commands: () => store.traffic.commands,
    close: () => store.close(),
  };
}
