/** Redis servers as a Store (storage-format.md 9): discovery of apps, reads within a deadline, version tokens. */
import { RefusedError } from "../../errors.ts";
import type { ConnectOptions } from "../connect-options.ts";
import type { Actions } from "../ports/actions.ts";
import type { AppReads, AppStore, DiscoveredApp, ServerLoad, Store } from "../ports/store.ts";
import { inSnapshot, type Lane, LanePool, readsThrough } from "../threads/lanes.ts";
import { portOver } from "../threads/port-calls.ts";
import { AppKeys } from "./keys/keys.ts";
import { likelyApps, registeredApps } from "./keys/registry.ts";
import { RememberedWalk } from "./keys/remembered-walk.ts";
import { REGISTRY_PROBES, versionOf } from "./keys/version.ts";
import { type RedisThread, ThisThread, WorkerThread } from "./lanes.ts";
import type { Traffic } from "./server/connection.ts";
import { RedisDb } from "./server/db.ts";
import { type ComponentEndpoints, Servers } from "./server/servers.ts";
import { type ActionCall, appVersion, RedisSession } from "./session.ts";

/** Concurrent reads: more would not be faster, and each holds rows in memory. */
const LANES = 4;

/** Connects on the first read, which reports a server that cannot be reached. */
export class RedisStore implements Store {
  readonly kind = "redis";
  readonly location: string;
  readonly readOnly: boolean;
  /** For small queries, which must not wait behind large replies; a command sends everything here. */
  readonly #servers: Servers;
  readonly #here: ThisThread;
  readonly #makeThread: () => RedisThread;
  /**
   * Executes reads and actions. Created by the second read: the first read of a server only checks the registration of its app, before any thread is
   * started.
   */
  #thread: RedisThread | null = null;
  #firstReadDone: boolean;
  readonly #pool = new LanePool<Lane>(LANES, () => this.#working().lane());
  readonly #apps = new Map<string, RedisAppStore>();
  readonly #registry = new RememberedWalk(
    () => this.version(),
    () => registeredApps(this.#registryDb()),
  );

  /** Result until the first walk has ended. */
  #likely: DiscoveredApp[] = [];

  constructor(
    endpoints: ComponentEndpoints,
    { readOnly, threads, maxCommands = null }: Pick<ConnectOptions, "readOnly" | "threads" | "maxCommands">,
  ) {
    this.readOnly = readOnly;
    const servers = new Servers({ endpoints, maxCommands });
    this.#servers = servers;
    this.location = servers.location;
    this.#here = new ThisThread(new RedisSession(servers, false));
    this.#makeThread = threads > 0 ? () => new WorkerThread(servers.plan) : () => this.#here;
    this.#firstReadDone = threads === 0;
  }

  async apps(partial = false): Promise<DiscoveredApp[]> {
    // Cached answers must not hide that the server is down.
    const isUp = this.#servers.of("state_backend").exchange([["PING"]]);
    const [known] = await Promise.all([partial ? this.#registry.foundInTime() : this.#registry.found(), isUp]);
    if (known !== null) return known;
    if (this.#likely.length === 0) this.#likely = await likelyApps(this.#registryDb());
    return this.#likely.length > 0 ? this.#likely : this.#registry.found();
  }

  app(appId: string): AppStore {
    const known = this.#apps.get(appId) ?? new RedisAppStore(this, appId);
    this.#apps.set(appId, known);
    return known;
  }

  async version(): Promise<string> {
    return versionOf(this.#servers.of("state_backend"), REGISTRY_PROBES);
  }

  appVersion(keys: AppKeys): Promise<string> {
    return appVersion(this.#servers, keys);
  }

  get loads(): readonly ServerLoad[] {
    return this.#servers.loads;
  }

  /** Totals of this thread for all servers since the start. */
  get traffic(): Traffic {
    return this.#servers.traffic;
  }

  /** @param signal see `AppStore.read`. */
  snapshot<T>(appId: string, fn: (lane: Lane) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const once = { signal, onBegin: () => undefined };
    if (this.#firstReadDone) return this.#pool.use((lane) => inSnapshot(lane, appId, once, fn), signal);
    this.#firstReadDone = true;
    return inSnapshot(this.#here.lane(), appId, once, fn);
  }

  act(appId: string, call: ActionCall): Promise<unknown> {
    return this.#working().act(appId, call);
  }

  async close(): Promise<void> {
    await this.#pool.close();
    await Promise.all([this.#thread?.close(), this.#servers.close()]);
  }

  #working(): RedisThread {
    if (this.#thread?.broken) void this.#thread.close();
    if (this.#thread === null || this.#thread.broken) this.#thread = this.#makeThread();
    return this.#thread;
  }

  #registryDb(): RedisDb {
    // Without a deadline: a walk continues for later callers.
    return new RedisDb(this.#servers.of("state_backend"), null);
  }
}

class RedisAppStore implements AppStore {
  readonly kind = "redis";
  readonly isolated = false;
  readonly app_id: string;
  readonly actions: Actions;
  readonly #store: RedisStore;
  readonly #keys: AppKeys;
  /** Actions of this process run one at a time. */
  #lastAction: Promise<unknown> = Promise.resolve();

  constructor(store: RedisStore, appId: string) {
    this.#store = store;
    this.app_id = appId;
    this.#keys = new AppKeys(appId);
    this.actions = portOver<Actions>((call) => this.#act(call));
  }

  /** Records are JSON documents: missing members are reported where the record is shown. */
  readonly gaps = [];

  get readOnly(): boolean {
    return this.#store.readOnly;
  }

  get location(): string {
    return this.#store.location;
  }

  get loads(): readonly ServerLoad[] {
    return this.#store.loads;
  }

  read<T>(fn: (reads: AppReads) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#store.snapshot(this.app_id, (lane) => fn(readsThrough(lane, signal)), signal);
  }

  version(): Promise<string> {
    return this.#store.appVersion(this.#keys);
  }

  #act(call: ActionCall): Promise<unknown> {
    if (this.readOnly) {
      return Promise.reject(new RefusedError("Nothing was changed: this monitor is read-only.", null, 403));
    }
    const acted = this.#lastAction.then(() => this.#store.act(this.app_id, call));
    this.#lastAction = acted.catch(() => undefined);
    return acted;
  }
}
