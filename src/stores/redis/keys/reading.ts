/** Context for the ports of one app during one read or action. */
import type { ExecutionRecord } from "../../../pynenc/records.ts";
import type { ComponentName } from "../../ports/common.ts";
import type { RedisDb } from "../server/db.ts";
import type { BoundedMap } from "./bounded-map.ts";
import type { Catalogue } from "./catalogue.ts";
import type { AppKeys } from "./keys.ts";
import type { QueueKeys } from "./queue-keys.ts";

export interface RedisReading {
  /** As registered; keys contain the sanitized id. */
  readonly appId: string;
  readonly keys: AppKeys;
  /** The server that keeps a component; usually the same for all five. */
  db(component: ComponentName): RedisDb;
  /** Waits for a walk until the deadline of this read; the walk itself continues for later reads. */
  readonly catalogue: Pick<Catalogue, "names">;
  /** Where messages are stored. A read waits only briefly for the first walk over all keys; an action waits until it has ended. */
  queues(): Promise<QueueKeys>;
  /** Ended runs of the atomic service by id: their records no longer change, but may be deleted. */
  readonly endedExecutions: BoundedMap<ExecutionRecord>;
  /** Whether the app is registered: then a component without keys is empty, not missing. */
  registered(): Promise<boolean>;
}

/** `find`, of which all parts of a read share the answer. */
export function oncePerRead<T>(find: (reading: RedisReading) => Promise<T>): (reading: RedisReading) => Promise<T> {
  const found = new WeakMap<RedisReading, Promise<T>>();
  return (reading) => {
    const answer = found.get(reading) ?? find(reading);
    found.set(reading, answer);
    return answer;
  };
}
