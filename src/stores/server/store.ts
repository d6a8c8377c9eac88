/** A store on servers: reads within a deadline in lanes of one session, one action at a time. */
import { RefusedError } from "../../errors.ts";
import type { ConnectOptions } from "../connect-options.ts";
import type { Actions } from "../ports/actions.ts";
import type { AppReads, AppStore, DiscoveredApp, ServerLoad, Store } from "../ports/store.ts";
import { inSnapshot, type Lane, LanePool, readsThrough } from "../threads/lanes.ts";
import { portOver } from "../threads/port-calls.ts";
import {
  type ActionCall,
  type ServerSession,
  type SessionThread,
  ThisThread,
  WorkerThread,
} from "../threads/session-lanes.ts";
import type { ServerLoads, Traffic } from "./servers.ts";

/** Concurrent reads: more would not be faster, and each holds rows in memory. */
const LANES = 4;

export type ServerOptions = Pick<ConnectOptions, "readOnly" | "threads" | "maxCommands">;

/** Connects on the first read, which reports a server that cannot be reached. */
export abstract class ServerStore<Servers extends ServerLoads> implements Store {
  abstract readonly kind: string;
  /** A version that takes many commands is asked for by the thread that reads; one of few does not wait there behind large replies. */
  protected abstract readonly versionInThread: boolean;
  readonly readOnly: boolean;
  /** For small queries, which must not wait behind large replies; a command sends everything here. */
  protected readonly servers: Servers;
  readonly #here: ThisThread;
  readonly #makeThread: () => SessionThread;
  /**
   * Executes reads and actions. Created by the second read: the first read of a server only checks the registration of its app, before any thread is
   * started.
   */
  #thread: SessionThread | null = null;
  #firstReadDone: boolean;
  readonly #pool = new LanePool<Lane>(LANES, () => this.#working().lane());
  readonly #apps = new Map<string, AppStore>();

  /** @param session over these servers, in this thread. */
  constructor(servers: Servers, session: ServerSession, { readOnly, threads }: ServerOptions) {
    this.readOnly = readOnly;
    this.servers = servers;
    this.#here = new ThisThread(session);
    this.#makeThread = threads > 0 ? () => new WorkerThread(this.kind, servers.plan) : () => this.#here;
    this.#firstReadDone = threads === 0;
  }

  abstract apps(partial?: boolean): Promise<DiscoveredApp[]>;

  abstract version(): Promise<string>;

  get location(): string {
    return this.servers.location;
  }

  get loads(): readonly ServerLoad[] {
    return this.servers.loads;
  }

  /** Totals of this thread for all servers since the start. */
  get traffic(): Traffic {
    return this.servers.traffic;
  }

  app(appId: string): AppStore {
    const known = this.#apps.get(appId) ?? new ServerAppStore(this, appId);
    this.#apps.set(appId, known);
    return known;
  }

  /** @param signal see `AppStore.read`. */
  snapshot<T>(appId: string, fn: (lane: Lane) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const once = { signal, onBegin: () => undefined };
    if (this.#firstReadDone) return this.#pool.use((lane) => inSnapshot(lane, appId, once, fn), signal);
    this.#firstReadDone = true;
    return inSnapshot(this.#here.lane(), appId, once, fn);
  }

  /** `AppStore.version` of an app. */
  appVersion(appId: string): Promise<string> {
    const thread = this.versionInThread && this.#firstReadDone ? this.#working() : this.#here;
    return thread.version(appId);
  }

  act(appId: string, call: ActionCall): Promise<unknown> {
    return this.#working().act(appId, call);
  }

  async close(): Promise<void> {
    await this.#pool.close();
    await Promise.all([this.#thread?.close(), this.servers.close()]);
  }

  #working(): SessionThread {
    if (this.#thread?.broken) void this.#thread.close();
    if (this.#thread === null || this.#thread.broken) this.#thread = this.#makeThread();
    return this.#thread;
  }
}

class ServerAppStore implements AppStore {
  readonly isolated = false;
  readonly app_id: string;
  readonly actions: Actions;
  readonly #store: ServerStore<ServerLoads>;
  /** Actions of this process run one at a time. */
  #lastAction: Promise<unknown> = Promise.resolve();

  constructor(store: ServerStore<ServerLoads>, appId: string) {
    this.#store = store;
    this.app_id = appId;
    this.actions = portOver<Actions>((call) => this.#act(call));
  }

  /** Records are documents: missing members are reported where the record is shown. */
  readonly gaps = [];

  get kind(): string {
    return this.#store.kind;
  }

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
    return this.#store.appVersion(this.app_id);
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
