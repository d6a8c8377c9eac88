/** Redis servers as a Store (storage-format.md 9): discovery of apps, reads within a deadline, version tokens. */
import { RefusedError } from "../../errors.ts";
import type { ConnectOptions } from "../connect-options.ts";
import type { Actions, AppReads, AppStore, DiscoveredApp, Store } from "../ports.ts";
import { inSnapshot, type Lane, LanePool, readsThrough } from "../threads/lanes.ts";
import { portOver } from "../threads/port-calls.ts";
import { AppKeys } from "./keys/keys.ts";
import { likelyApps, registeredApps } from "./keys/registry.ts";
import { RememberedWalk } from "./keys/remembered-walk.ts";
import { REGISTRY_SIGNS, versionOf } from "./keys/version.ts";
import { type RedisThread, ThisThread, WorkerThread } from "./lanes.ts";
import type { Traffic } from "./server/connection.ts";
import { RedisDb } from "./server/db.ts";
import { type ComponentEndpoints, Servers } from "./server/servers.ts";
import { type ActionCall, appVersion, RedisSession } from "./session.ts";

/** Reads at once: more would not be answered sooner, and each holds rows in memory. */
const LANES = 8;

/** A walk over all keys that takes longer is not made again for the few names that an action adds or takes. */
const SLOW_WALK_MS = 1_000;

/** Connects with the first read. A server that cannot be reached is reported by it, not here. */
export class RedisStore implements Store {
  readonly kind = "redis";
  readonly location: string;
  readonly readOnly: boolean;
  /** For small questions, which must not wait behind large answers; a command asks everything here. */
  readonly #servers: Servers;
  readonly #here: ThisThread;
  readonly #makeThread: () => RedisThread;
  /** Made by the first read but one: a server begins with a look at the registration of its app, and no thread is started by then. */
  #reader: RedisThread | null = null;
  #looked: boolean;
  /** Made by the first action and kept: what holds up or ends the reading thread must not cut an action. */
  #actor: RedisThread | null = null;
  readonly #pool = new LanePool<Lane>(LANES, () => this.#lane());
  readonly #apps = new Map<string, RedisAppStore>();
  readonly #registry = new RememberedWalk(
    () => this.version(),
    () => registeredApps(this.#registryDb()),
  );

  constructor(endpoints: ComponentEndpoints, { readOnly, threads }: Pick<ConnectOptions, "readOnly" | "threads">) {
    this.readOnly = readOnly;
    const servers = new Servers(endpoints);
    this.#servers = servers;
    this.location = servers.location;
    this.#here = new ThisThread(new RedisSession(servers, false));
    this.#makeThread = threads > 0 ? () => new WorkerThread(endpoints) : () => this.#here;
    this.#looked = threads === 0;
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
    return versionOf(this.#servers.of("state_backend"), REGISTRY_SIGNS);
  }

  appVersion(keys: AppKeys): Promise<string> {
    return appVersion(this.#servers, keys);
  }

  /** What this thread sent to all servers since the start. */
  get traffic(): Traffic {
    return this.#servers.traffic;
  }

  /** @param signal as of `AppStore.read`. */
  snapshot<T>(appId: string, fn: (lane: Lane) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const once = { signal, begun: () => undefined };
    if (this.#looked) return this.#pool.use((lane) => inSnapshot(lane, appId, once, fn), signal);
    this.#looked = true;
    return inSnapshot(this.#here.lane(), appId, once, fn);
  }

  /** @param keepAboveMs names of keys are kept although they may have changed, where it takes longer to find them. */
  async act(appId: string, call: ActionCall, keepAboveMs: number): Promise<unknown> {
    if (this.#actor?.broken) await this.#actor.close();
    if (this.#actor === null || this.#actor.broken) this.#actor = this.#makeThread();
    try {
      return await this.#actor.act(appId, call);
    } finally {
      for (const thread of [this.#reader, this.#actor]) thread?.expireNames(appId, keepAboveMs);
    }
  }

  async close(): Promise<void> {
    await this.#pool.close();
    await Promise.all([this.#reader?.close(), this.#actor?.close(), this.#servers.close()]);
  }

  #lane(): Lane {
    if (this.#reader?.broken) void this.#reader.close();
    if (this.#reader === null || this.#reader.broken) this.#reader = this.#makeThread();
    return this.#reader.lane();
  }

  #registryDb(): RedisDb {
    // Without a deadline: a walk goes on for the next one who asks.
    return new RedisDb(this.#servers.of("state_backend"), null);
  }
}

class RedisAppStore implements AppStore {
  readonly kind = "redis";
  readonly app_id: string;
  readonly actions: Actions;
  readonly #store: RedisStore;
  readonly #keys: AppKeys;
  /** Actions of this process go one after the other. */
  #lastAction: Promise<unknown> = Promise.resolve();

  constructor(store: RedisStore, appId: string) {
    this.#store = store;
    this.app_id = appId;
    this.#keys = new AppKeys(appId);
    this.actions = portOver<Actions>((call) => this.#act(call));
  }

  /** Records are JSON here: what one of them lacks is said where it is shown. */
  readonly gaps = [];

  get readOnly(): boolean {
    return this.#store.readOnly;
  }

  get location(): string {
    return this.#store.location;
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
    // A walk over what a purge left is another one.
    const keepAboveMs = call.method === "purge" ? Number.POSITIVE_INFINITY : SLOW_WALK_MS;
    const acted = this.#lastAction.then(() => this.#store.act(this.app_id, call, keepAboveMs));
    this.#lastAction = acted.catch(() => undefined);
    return acted;
  }
}
