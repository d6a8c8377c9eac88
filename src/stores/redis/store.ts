/** Redis servers as a Store (storage-format.md 9): discovery of apps, reads within a deadline, version tokens. */
import { AbandonedError, RefusedError } from "../../errors.ts";
import type { ConnectOptions } from "../connect-options.ts";
import type { Actions, AppReads, AppStore, ComponentName, DiscoveredApp, Store } from "../ports.ts";
import { COMPONENTS } from "../ports.ts";
import { actionsOf, previewActions } from "./actions/actions.ts";
import { brokerReads } from "./broker/broker.ts";
import { clientDataReads } from "./client-data/client-data.ts";
import { idReads } from "./ids.ts";
import { Catalogue } from "./keys/catalogue.ts";
import { AppKeys, REGISTRY, SECTIONS } from "./keys/keys.ts";
import { layoutReads } from "./keys/layout.ts";
import { QueueFinder, type QueueKeys } from "./keys/queue-keys.ts";
import type { RedisReading } from "./keys/reading.ts";
import { likelyApps, registeredApps } from "./keys/registry.ts";
import { RememberedWalk } from "./keys/remembered-walk.ts";
import { REGISTRY_SIGNS, signsOf, versionOf } from "./keys/version.ts";
import { orchestratorReads } from "./orchestrator/orchestrator.ts";
import { RedisConnection, type RedisEndpoint, type Traffic } from "./server/connection.ts";
import { RedisDb } from "./server/db.ts";
import { forgottenReads } from "./state-backend/forgotten.ts";
import { stateBackendReads } from "./state-backend/state-backend.ts";
import { triggerReads } from "./trigger/trigger.ts";

/** The server of each component; usually five times the same. */
export type ComponentEndpoints = Readonly<Record<ComponentName, RedisEndpoint>>;

/** One read may take so long, in milliseconds: as long as one of a file (sqlite/lanes.ts). */
const READ_DEADLINE_MS = 20_000;

/** A walk over all keys that takes longer is not made again for the few names that an action adds or takes. */
const SLOW_WALK_MS = 1_000;

/** Connects with the first read. A server that cannot be reached is reported by it, not here. */
export class RedisStore implements Store {
  readonly kind = "redis";
  readonly location: string;
  readonly readOnly: boolean;
  /** This process goes on and answers others: what takes long is begun before somebody asks for it. */
  readonly serving: boolean;
  readonly #connections: ReadonlyMap<string, RedisConnection>;
  readonly #endpoints: ComponentEndpoints;
  readonly #apps = new Map<string, RedisAppStore>();
  readonly #registry = new RememberedWalk(
    () => this.version(),
    () => registeredApps(this.#registryDb()),
  );

  constructor(endpoints: ComponentEndpoints, { readOnly, threads }: Pick<ConnectOptions, "readOnly" | "threads">) {
    this.#endpoints = endpoints;
    this.readOnly = readOnly;
    this.serving = threads > 0;
    this.#connections = new Map(
      Object.values(endpoints).map((endpoint) => [endpoint.url, new RedisConnection(endpoint)]),
    );
    this.location = [...new Set(Object.values(endpoints).map(({ location }) => location))].join(", ");
  }

  async apps(soon = false): Promise<DiscoveredApp[]> {
    // What is remembered must not hide that the server is gone.
    await this.#registryDb().ask("PING");
    if (!soon) return this.#registry.found();
    const known = await this.#registry.foundInTime();
    if (known !== null) return known;
    const likely = await likelyApps(this.#registryDb());
    return likely.length > 0 ? likely : this.#registry.found();
  }

  app(appId: string): AppStore {
    const known = this.#apps.get(appId) ?? new RedisAppStore(this, appId);
    this.#apps.set(appId, known);
    return known;
  }

  async version(): Promise<string> {
    return versionOf(this.connection("state_backend"), REGISTRY_SIGNS);
  }

  /** Without a deadline: a walk goes on for the next one who asks. */
  #registryDb(): RedisDb {
    return new RedisDb(this.connection("state_backend"), null);
  }

  /** What was sent to all servers since the start. */
  get traffic(): Traffic {
    const all = [...this.#connections.values()].map(({ traffic }) => traffic);
    return {
      round_trips: all.reduce((sum, { round_trips }) => sum + round_trips, 0),
      commands: all.reduce((sum, { commands }) => sum + commands, 0),
    };
  }

  connection(component: ComponentName): RedisConnection {
    const connection = this.#connections.get(this.#endpoints[component].url);
    if (connection === undefined) throw new Error(`no connection for ${component}`);
    return connection;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()));
  }
}

class RedisAppStore implements AppStore {
  readonly kind = "redis";
  readonly app_id: string;
  readonly actions: Actions;
  readonly #store: RedisStore;
  readonly #keys: AppKeys;
  readonly #catalogue: Catalogue;
  readonly #finder: QueueFinder;
  #prepared = false;
  /** Actions of this process go one after the other. */
  #lastAction: Promise<unknown> = Promise.resolve();

  constructor(store: RedisStore, appId: string) {
    this.#store = store;
    this.app_id = appId;
    this.#keys = new AppKeys(appId);
    this.#finder = new QueueFinder(this.#keys);
    const connections = new Set(COMPONENTS.map((component) => store.connection(component)));
    const servers = [...connections].map((connection) => ({
      db: new RedisDb(connection, null),
      sections: COMPONENTS.filter((component) => store.connection(component) === connection).flatMap(
        (component) => SECTIONS[component],
      ),
    }));
    this.#catalogue = new Catalogue(servers, this.#keys, () => this.version());
    // No deadline: an action that has begun is finished.
    this.actions = this.#guarded(actionsOf(this.#reading(null)));
  }

  /** Records are JSON here: what one of them lacks is said where it is shown. */
  readonly gaps = [];

  get readOnly(): boolean {
    return this.#store.readOnly;
  }

  get location(): string {
    return this.#store.location;
  }

  async read<T>(fn: (reads: AppReads) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) throw new AbandonedError();
    if (this.#store.serving && !this.#prepared) this.#catalogue.prepare();
    this.#prepared = true;
    const reading = this.#reading(performance.now() + READ_DEADLINE_MS, signal);
    return fn({
      broker: brokerReads(reading),
      orchestrator: orchestratorReads(reading),
      state_backend: stateBackendReads(reading),
      client_data_store: clientDataReads(reading),
      trigger: triggerReads(reading),
      forgotten: forgottenReads(reading),
      ids: idReads(reading),
      layout: layoutReads(reading),
      preview: previewActions(reading),
    });
  }

  async version(): Promise<string> {
    const connections = new Set(COMPONENTS.map((component) => this.#store.connection(component)));
    const signs = signsOf(this.#keys);
    return (await Promise.all([...connections].map((connection) => versionOf(connection, signs)))).join("-");
  }

  #reading(deadline: number | null, signal?: AbortSignal): RedisReading {
    const store = this.#store;
    const appId = this.app_id;
    const db = (component: ComponentName) => new RedisDb(store.connection(component), deadline, signal);
    const names: Catalogue["names"] = (...asked) => db("state_backend").inTime(this.#catalogue.names(...asked));
    const isRead = deadline !== null;
    const queues = async () =>
      this.#finder.find(db("broker"), db("orchestrator"), await names("broker", isRead ? async () => [] : undefined));
    let known: Promise<QueueKeys> | null = null;
    return {
      appId,
      keys: this.#keys,
      db,
      catalogue: { names },
      queues() {
        // Several parts of a page ask.
        if (isRead) known ??= queues();
        return known ?? queues();
      },
      registered: async () => (await db("state_backend").number("EXISTS", `${REGISTRY}${appId}`)) === 1,
    };
  }

  #guarded(actions: Actions): Actions {
    const guard =
      <Args extends unknown[], T>(act: (...args: Args) => Promise<T>, keepAboveMs = SLOW_WALK_MS) =>
      (...args: Args): Promise<T> => {
        if (this.readOnly) {
          return Promise.reject(new RefusedError("Nothing was changed: this monitor is read-only.", null, 403));
        }
        const acted = this.#lastAction.then(() => act(...args)).finally(() => this.#catalogue.expire(keepAboveMs));
        this.#lastAction = acted.catch(() => undefined);
        return acted;
      };
    return {
      // A walk over what is left is another one.
      purge: guard(actions.purge, Number.POSITIVE_INFINITY),
      purgeQueue: guard(actions.purgeQueue),
      autoPurgeOrchestrator: guard(actions.autoPurgeOrchestrator),
      autoPurgeEvents: guard(actions.autoPurgeEvents),
      rerun: guard(actions.rerun),
      requeue: guard(actions.requeue),
      sweepQueue: guard(actions.sweepQueue),
    };
  }
}
