/** State of one thread: its connections and the key names found by walks. */
import type { ExecutionRecord } from "../../pynenc/records.ts";
import type { Actions } from "../ports/actions.ts";
import type { ComponentName } from "../ports/common.ts";
import type { AppReads } from "../ports/store.ts";
import { DEADLINE_MS } from "../threads/orders.ts";
import { answerTo } from "../threads/port-calls.ts";
import type { ActionCall, ServerSession } from "../threads/session-lanes.ts";
import { actionsOf, previewActions } from "./actions/actions.ts";
import { brokerReads } from "./broker/broker.ts";
import { clientDataReads } from "./client-data/client-data.ts";
import { idReads } from "./ids.ts";
import { BoundedMap } from "./keys/bounded-map.ts";
import { Catalogue } from "./keys/catalogue.ts";
import { AppKeys, REGISTRY, SECTIONS } from "./keys/keys.ts";
import { layoutReads } from "./keys/layout.ts";
import { QueueFinder, type QueueKeys } from "./keys/queue-keys.ts";
import type { RedisReading } from "./keys/reading.ts";
import { changeProbes, versionOf } from "./keys/version.ts";
import { orchestratorReads } from "./orchestrator/orchestrator.ts";
import { RedisDb } from "./server/db.ts";
import type { Servers } from "./server/servers.ts";
import { forgottenReads } from "./state-backend/forgotten.ts";
import { stateBackendReads } from "./state-backend/state-backend.ts";
import { triggerReads } from "./trigger/trigger.ts";

/** Cached state of an app. */
interface KnownApp extends Pick<RedisReading, "keys" | "endedExecutions"> {
  catalogue: Catalogue;
  finder: QueueFinder;
}

/** A walk over all keys that takes longer is not repeated for the few names that an action adds or removes. */
const SLOW_WALK_MS = 1_000;

/** Limit of cached ended executions per app: some 25 megabytes. Nearly every app has a thousand. */
const MAX_EXECUTIONS = 100_000;

export class RedisSession implements ServerSession {
  readonly #servers: Servers;
  readonly #serving: boolean;
  readonly #apps = new Map<string, KnownApp>();

  /** @param serving the process is a server: slow work starts before it is needed. */
  constructor(servers: Servers, serving: boolean) {
    this.#servers = servers;
    this.#serving = serving;
  }

  reads(appId: string, signal: AbortSignal): AppReads {
    const reading = this.#reading(appId, performance.now() + DEADLINE_MS, signal);
    return {
      broker: brokerReads(reading),
      orchestrator: orchestratorReads(reading),
      state_backend: stateBackendReads(reading),
      client_data_store: clientDataReads(reading),
      trigger: triggerReads(reading),
      forgotten: forgottenReads(reading),
      ids: idReads(reading),
      layout: layoutReads(reading),
      preview: previewActions(reading),
    };
  }

  async act(appId: string, call: ActionCall): Promise<unknown> {
    try {
      return await answerTo<Actions>(actionsOf(this.#reading(appId, null)), call);
    } finally {
      // A purge removes so many names that even a slow walk is repeated.
      const keepAboveMs = call.method === "purge" ? Number.POSITIVE_INFINITY : SLOW_WALK_MS;
      this.#app(appId).catalogue.expire(keepAboveMs);
    }
  }

  version(appId: string): Promise<string> {
    return appVersion(this.#servers, new AppKeys(appId));
  }

  close(): Promise<void> {
    return this.#servers.close();
  }

  #app(appId: string): KnownApp {
    const known = this.#apps.get(appId);
    if (known !== undefined) return known;
    const keys = new AppKeys(appId);
    const servers = this.#servers.connections.map((connection) => ({
      // No deadline: a walk continues for later callers.
      db: new RedisDb(connection, null),
      sections: this.#servers.componentsOn(connection).flatMap((component) => SECTIONS[component]),
    }));
    const catalogue = new Catalogue(servers, keys, () => appVersion(this.#servers, keys));
    if (this.#serving) catalogue.prepare();
    const app = {
      keys,
      catalogue,
      finder: new QueueFinder(keys),
      endedExecutions: new BoundedMap<ExecutionRecord>(MAX_EXECUTIONS),
    };
    this.#apps.set(appId, app);
    return app;
  }

  #reading(appId: string, deadline: number | null, signal?: AbortSignal): RedisReading {
    const { keys, catalogue, finder, endedExecutions } = this.#app(appId);
    const db = (component: ComponentName) => new RedisDb(this.#servers.of(component), deadline, signal);
    const isRead = deadline !== null;
    // All parts of a page get the names of one moment, so what has changed is asked for once.
    let version: Promise<string> | undefined;
    const names: Catalogue["names"] = (family, meanwhile, once) => {
      if (isRead) version ??= appVersion(this.#servers, keys);
      return db("state_backend").inTime(catalogue.names(family, meanwhile, once, version));
    };
    const queues = async () =>
      finder.find(db("broker"), db("orchestrator"), await names("broker", isRead ? async () => [] : undefined));
    let known: Promise<QueueKeys> | null = null;
    return {
      appId,
      keys,
      endedExecutions,
      db,
      catalogue: { names },
      queues() {
        // Several parts of a page need it.
        if (isRead) known ??= queues();
        return known ?? queues();
      },
      registered: async () => (await db("state_backend").number("EXISTS", `${REGISTRY}${appId}`)) === 1,
    };
  }
}

/** Version token of an app over all of its servers. */
async function appVersion(servers: Servers, keys: AppKeys): Promise<string> {
  const probes = changeProbes(keys);
  return (await Promise.all(servers.connections.map((connection) => versionOf(connection, probes)))).join("-");
}
