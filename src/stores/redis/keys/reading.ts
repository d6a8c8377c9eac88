/** What the ports of one app work with during one read or one action. */
import type { ExecutionRecord } from "../../../pynenc/records.ts";
import type { ComponentName } from "../../ports/common.ts";
import type { RedisDb } from "../server/db.ts";
import type { BoundedMap } from "./bounded-map.ts";
import type { Catalogue } from "./catalogue.ts";
import type { AppKeys } from "./keys.ts";
import type { QueueKeys } from "./queue-keys.ts";

export interface RedisReading {
  /** As it is registered; keys hold it sanitized. */
  readonly appId: string;
  readonly keys: AppKeys;
  /** The server that keeps a component. Often the same for all five. */
  db(component: ComponentName): RedisDb;
  /** Waits for a walk until the deadline of this read; the walk itself continues for later reads. */
  readonly catalogue: Pick<Catalogue, "names">;
  /** Where messages lie. A read waits for a walk no longer than for one that others can do without; an action waits until it has ended. */
  queues(): Promise<QueueKeys>;
  /** Ended runs of the atomic service by id: their records no longer change, but may be deleted. */
  readonly endedExecutions: BoundedMap<ExecutionRecord>;
  /** The app is registered, so that a component without keys is an empty one and not a missing one. */
  registered(): Promise<boolean>;
}
