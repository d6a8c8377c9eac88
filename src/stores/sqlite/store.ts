/** SQLite files as a Store: discovery of apps, snapshots through lanes, version tokens. */
import { RefusedError } from "../../errors.ts";
import type { ConnectOptions } from "../connect-options.ts";
import type { Actions } from "../ports/actions.ts";
import type { AppReads, AppStore, DiscoveredApp, Store } from "../ports/store.ts";
import { inSnapshot, LanePool, readsThrough } from "../threads/lanes.ts";
import { portOver } from "../threads/port-calls.ts";
import { VersionedMemo } from "../versioned-memo.ts";
import type { ActionCall } from "./actions/actions.ts";
import type { ComponentPaths } from "./file/component-paths.ts";
import { usedLogBytes } from "./file/log-file.ts";
import { LARGE_LOG_BYTES, LogGate } from "./file/log-gate.ts";
import { VersionProbe } from "./file/version-probe.ts";
import { InlineLane, type SqliteLane, ThreadLane } from "./lanes.ts";

/** Opens only existing files, and read-only. The first read reports a file that cannot be read. */
export class SqliteStore implements Store {
  readonly kind = "sqlite";
  readonly location: string;
  readonly #paths: ComponentPaths;
  readonly #options: ConnectOptions;
  readonly #makeLane: () => SqliteLane;
  readonly #pool: LanePool<SqliteLane>;
  readonly #probes: VersionProbe[];
  /** Null for a command, which reads once. */
  readonly #gate: LogGate | null;
  readonly #memo = new VersionedMemo(() => this.version());
  readonly #gaps = new Map<string, readonly string[]>();
  #firstReadDone: boolean;
  /** Actions of this process run one at a time; SQLite's file lock handles other processes. */
  #lastAction: Promise<unknown> = Promise.resolve();
  /**
   * A separate lane for actions, so that readers do not wait for a lock. Created by the first action and kept, because a long list of calls is
   * registered in many actions and starting a thread takes longer than registering a hundred calls.
   */
  #actionLane: SqliteLane | null = null;

  constructor(paths: ComponentPaths, options: ConnectOptions) {
    const files = [...new Set(Object.values(paths))];
    this.location = files.join(", ");
    this.#probes = files.map((path) => new VersionProbe(path));
    this.#paths = paths;
    this.#options = options;
    this.#gate = options.threads > 0 || options.follows ? new LogGate(() => largestLog(files)) : null;
    this.#firstReadDone = options.threads === 0;
    this.#makeLane = options.threads > 0 ? () => new ThreadLane(paths) : () => new InlineLane(paths);
    this.#pool = new LanePool(Math.max(1, options.threads), this.#makeLane);
  }

  get readOnly(): boolean {
    return this.#options.readOnly;
  }

  apps(): Promise<DiscoveredApp[]> {
    // Any app id works: the registry is found by table names alone.
    const registered = () => this.snapshot("", (lane) => lane.call({ port: "registry", method: "apps", args: [] }));
    return this.#memo.get("apps", registered);
  }

  app(appId: string): AppStore {
    return new SqliteAppStore(this, appId);
  }

  version(): Promise<string> {
    const tokens = this.#probes.map((probe) => probe.token());
    return Promise.resolve(
      `${tokens.map(({ place }) => place).join("-")}.${tokens.map((one) => one.version).join("-")}`,
    );
  }

  /** @param signal see `AppStore.read`. */
  snapshot<T>(appId: string, fn: (lane: SqliteLane) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#firstReadDone) return this.#pool.use((lane) => this.#inSnapshot(lane, appId, fn, signal), signal);
    this.#firstReadDone = true;
    return this.#firstRead(appId, fn);
  }

  /** Gaps of an app as of its latest snapshot. */
  gaps(appId: string): readonly string[] {
    return this.#gaps.get(appId) ?? [];
  }

  async #inSnapshot<T>(
    lane: SqliteLane,
    appId: string,
    fn: (lane: SqliteLane) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const onBegin = (gaps: readonly string[]) => {
      if (gaps.length > 0) this.#gaps.set(appId, gaps);
      else this.#gaps.delete(appId);
    };
    await this.#gate?.enter();
    try {
      return await inSnapshot(lane, appId, { signal, onBegin }, fn);
    } finally {
      this.#gate?.leave();
    }
  }

  /** The first read of a server only checks the registration of its app. In this thread that takes a few milliseconds, less than starting a worker thread. */
  async #firstRead<T>(appId: string, fn: (lane: SqliteLane) => Promise<T>): Promise<T> {
    const lane = new InlineLane(this.#paths);
    try {
      return await this.#inSnapshot(lane, appId, fn);
    } finally {
      await lane.close();
    }
  }

  act(appId: string, call: ActionCall): Promise<unknown> {
    if (this.#options.readOnly) {
      return Promise.reject(new RefusedError("Nothing was changed: this monitor is read-only.", null, 403));
    }
    const acted = this.#lastAction.then(async () => {
      if (this.#actionLane?.broken) await this.#actionLane.close();
      if (this.#actionLane === null || this.#actionLane.broken) this.#actionLane = this.#makeLane();
      const input = { paths: this.#paths, app_id: appId, lock_wait: this.#options.lockWait };
      return this.#actionLane.act(input, call);
    });
    this.#lastAction = acted.catch(() => undefined);
    return acted;
  }

  async close(): Promise<void> {
    for (const probe of this.#probes) probe.close();
    await this.#pool.close();
    // Let a started action finish: it may be committing.
    await this.#lastAction;
    await this.#actionLane?.close();
  }
}

/** Used bytes of the largest log of these files. */
function largestLog(files: readonly string[]): number {
  return Math.max(...files.map((file) => usedLogBytes(file, LARGE_LOG_BYTES)));
}

class SqliteAppStore implements AppStore {
  readonly kind = "sqlite";
  readonly loads = [];
  readonly isolated = true;
  readonly app_id: string;
  readonly actions: Actions;
  readonly #store: SqliteStore;

  constructor(store: SqliteStore, appId: string) {
    this.#store = store;
    this.app_id = appId;
    this.actions = portOver<Actions>((call) => store.act(appId, call));
  }

  get readOnly(): boolean {
    return this.#store.readOnly;
  }

  get location(): string {
    return this.#store.location;
  }

  get gaps(): readonly string[] {
    return this.#store.gaps(this.app_id);
  }

  read<T>(fn: (reads: AppReads) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#store.snapshot(this.app_id, (lane) => fn(readsThrough(lane, signal)), signal);
  }

  version(): Promise<string> {
    return this.#store.version();
  }
}
