/** The input of every service: an app in an opened store, its settings, the current time, and a cache of expensive figures. */
import { NO_RERUNS, type RecordedReruns } from "../../audit/recorded-reruns.ts";
import type { EffectiveSettings } from "../../config/pynenc-sources.ts";
import { StoreUnreachableError } from "../../errors.ts";
import { type Mutes, NO_MUTES } from "../../mutes/mute-file.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { RollupReads } from "../../rollups/reads.ts";
import type { AppReads, AppStore } from "../../stores/ports/store.ts";
import { VersionedMemo } from "../../stores/versioned-memo.ts";
import { type Inventory, InventoryScanner } from "./inventory.ts";
import { joinedReads } from "./joined-reads.ts";
import { KeptReads } from "./kept-reads.ts";

export interface OpenedApp {
  readonly app_id: string;
  readonly store: AppStore;
  readonly settings: EffectiveSettings;
  /** The current time, for example for judging heartbeats; fixed with `--now`. */
  readonly now: () => EpochSeconds;
  /** The instant that actions record; null for the time at which they write. Only the demo, whose clock is fixed, sets it. */
  readonly writes_at: EpochSeconds | null;
  /** The app is shown as of an instant in the past (as-of.ts), so waits, heartbeats and queues are not known. */
  readonly past: boolean;
  /** Computes once per state of the store and shares the answer (versioned-memo.ts). Not inside `store.read`. */
  memo<T>(key: string, compute: (reads: AppReads) => Promise<T>): Promise<T>;
  /** Like `memo`, for figures that are read in several snapshots. */
  memoAcross<T>(key: string, compute: () => Promise<T>): Promise<T>;
  /**
   * Like `memo`, but a page only waits for a limited time and gets null while the figure is being computed in the background. A command waits.
   * Not inside `store.read`.
   */
  memoOrNull<T>(key: string, compute: (reads: AppReads) => Promise<T>): Promise<T | null>;
  /** Which invocations exist (inventory.ts). Not inside `store.read`. */
  inventory(): Promise<Inventory>;
  /** What `inventory` last found, without reading anything; null before its first answer. */
  knownInventory(): Inventory | null;
  /** Waits for a full pass. Not inside `store.read`. */
  completeInventory(): Promise<Inventory>;
  /** Counts and durations over time (rollups/). Null if switched off. Not inside `store.read`. */
  readonly rollups: RollupReads | null;
  /** Verdicts that the user has muted. */
  readonly mutes: Mutes;
  /** What was registered again as what, according to the user's record of actions. */
  readonly reruns: RecordedReruns;
  /** Other apps in the same store, without empty ones; at most a few. */
  others(): Promise<readonly AppStore[]>;
  /** The id of this app if addresses and commands have to name it, because the store has other apps; otherwise null. */
  addressedAs(): Promise<string | null>;
  /** This app for use in one answer: checks only once whether the store has changed, because on a distant server that takes a while. */
  forOneAnswer(): OpenedApp;
  /** Stops background work. */
  close(): void;
}

/** Milliseconds a page waits for a scan of a large store, which then continues in the background. */
const PAGE_PATIENCE = 150;

/** Milliseconds a command waits for it: longer, because it ends with its answer. */
const COMMAND_PATIENCE = 2_000;

export interface OpenOptions {
  /** This process keeps running and answers other requests. */
  serving?: boolean;
  rollups?: RollupReads | null;
  mutes?: Mutes;
  reruns?: RecordedReruns;
  others?: OpenedApp["others"];
  addressedAs?: OpenedApp["addressedAs"];
  writes_at?: EpochSeconds | null;
  /** Monotonic milliseconds, to distinguish expensive figures from cheap ones. */
  clock?: () => number;
}

export function openedApp(
  store: AppStore,
  settings: EffectiveSettings,
  now: () => EpochSeconds,
  {
    serving = false,
    rollups = null,
    mutes = NO_MUTES,
    reruns = NO_RERUNS,
    others = async () => [],
    addressedAs = async () => null,
    writes_at = null,
    clock = () => performance.now(),
  }: OpenOptions = {},
): OpenedApp {
  const memo = new VersionedMemo(() => store.version(), clock);
  const patience = serving ? PAGE_PATIENCE : COMMAND_PATIENCE;
  const scanner = new InventoryScanner(store, { patience, background: serving }, clock);
  const kept = new KeptReads(store.isolated);
  const acting = withCallback(store, () => {
    memo.forget();
    kept.forget();
    scanner.expire();
  });
  const reads = (
    version?: () => Promise<string>,
  ): Pick<OpenedApp, "store" | "memo" | "memoAcross" | "memoOrNull" | "inventory"> => {
    const read = readsKept(store, kept, version ?? (() => store.version()));
    const memoAcross: OpenedApp["memoAcross"] = (key, compute) => memo.get(key, compute, version?.());
    const memoized: OpenedApp["memo"] = (key, compute) => memoAcross(key, () => read(compute));
    return {
      store: storeWith(acting, { read }),
      memo: memoized,
      memoAcross,
      memoOrNull: (key, compute) => (serving ? within(patience, memoized(key, compute)) : memoized(key, compute)),
      inventory: () => scanner.inventory(version?.()),
    };
  };
  const app: OpenedApp = {
    app_id: store.app_id,
    settings,
    now,
    writes_at,
    past: false,
    ...reads(),
    knownInventory: () => scanner.known,
    completeInventory: () => scanner.completeInventory(),
    rollups,
    mutes,
    reruns,
    others,
    addressedAs,
    forOneAnswer() {
      let version: Promise<string> | null = null;
      return { ...app, ...reads(() => (version ??= store.version())) };
    },
    close: () => scanner.stop(),
  };
  return app;
}

/** Null if it takes longer than these milliseconds. The computation continues, and its errors are ignored. */
export async function within<T>(patience: number, computed: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), patience);
  });
  computed.catch(() => undefined);
  return Promise.race([computed, late]).finally(() => clearTimeout(timer));
}

/** For secondary figures: the main content of the page reports that the store is unreachable. */
export function ifUnreachable(error: unknown): null {
  if (error instanceof StoreUnreachableError) return null;
  throw error;
}

/**
 * The app for one client: reads stop once the client has disconnected, and those that overlap see one snapshot. Shared figures are still computed.
 *
 * Not for actions, which are always completed.
 */
export function untilAborted(app: OpenedApp, signal: AbortSignal): OpenedApp {
  const ofAnswer = app.forOneAnswer();
  const { store } = ofAnswer;
  return { ...ofAnswer, store: storeWith(store, { read: joinedReads((fn) => store.read(fn, signal)) }) };
}

/**
 * Everything that `use` reads of the store is of one snapshot. Figures over time are not read in one, so they have to be read before.
 *
 * @param use gets the app, which may be passed to services, and its reads.
 */
export async function inOneSnapshot<T>(
  app: OpenedApp,
  use: (one: OpenedApp, reads: AppReads) => Promise<T>,
): Promise<T> {
  return app.store.read((reads) => {
    const known = async () => {
      const inventory = app.knownInventory();
      if (inventory === null) throw new Error("the inventory was not read before the snapshot");
      return inventory;
    };
    const compute: OpenedApp["memo"] = (_, computed) => computed(reads);
    const store = storeWith(app.store, { read: (fn) => fn(reads) });
    const memoAcross: OpenedApp["memoAcross"] = (_, computed) => computed();
    const memos = { memo: compute, memoAcross, memoOrNull: compute, inventory: known, completeInventory: known };
    return use({ ...app, ...memos, store, rollups: null }, reads);
  });
}

/** Reads that keep some of their answers. @param version may be slightly older than the store: kept answers are never older than it. */
function readsKept(store: AppStore, kept: KeptReads, version: () => Promise<string>): AppStore["read"] {
  return (fn, signal) => {
    // If nothing has changed since before the snapshot began, it is what the snapshot sees. Without snapshots, it is asked for when it is needed.
    const before = store.isolated ? version() : null;
    const tokenOf = async () => {
      const token = await (before ?? version());
      if (token.includes("~")) return null;
      return before === null || (await store.version()) === token ? token : null;
    };
    let hasEnded = false;
    const within = (reads: AppReads) => fn(kept.over(reads, tokenOf, () => hasEnded));
    return store.read((reads) => within(reads).finally(() => (hasEnded = true)), signal);
  };
}

/** The store with other functions for reads or actions. */
export function storeWith(store: AppStore, other: Partial<Pick<AppStore, "read" | "actions">>): AppStore {
  return {
    app_id: store.app_id,
    location: store.location,
    kind: store.kind,
    get gaps() {
      return store.gaps;
    },
    get loads() {
      return store.loads;
    },
    readOnly: store.readOnly,
    isolated: store.isolated,
    actions: store.actions,
    read: (fn, signal) => store.read(fn, signal),
    version: () => store.version(),
    ...other,
  };
}

/** The store with a callback after each action, because cached figures are outdated after a purge. */
function withCallback(store: AppStore, changed: () => void): AppStore {
  const wrapped =
    <Args extends unknown[], T>(act: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      act(...args).finally(changed);
  const { actions } = store;
  return storeWith(store, {
    actions: {
      purge: wrapped((...args) => actions.purge(...args)),
      purgeQueue: wrapped((...args) => actions.purgeQueue(...args)),
      autoPurgeOrchestrator: wrapped((...args) => actions.autoPurgeOrchestrator(...args)),
      autoPurgeEvents: wrapped((...args) => actions.autoPurgeEvents(...args)),
      rerun: wrapped((...args) => actions.rerun(...args)),
      requeue: wrapped((...args) => actions.requeue(...args)),
      sweepQueue: wrapped((...args) => actions.sweepQueue(...args)),
    },
  });
}

/** A setting as a number in its unit. Every setting has a default. */
export function numberSetting(app: OpenedApp, field: string): number {
  return Number(app.settings.get(field)?.value);
}
