/** What every service works on: an app in an opened store, its settings, the present, and a cache of figures that are expensive to count. */
import type { EffectiveSettings } from "../../config/pynenc-sources.ts";
import { StoreUnreachableError } from "../../errors.ts";
import { type Mutes, NO_MUTES } from "../../mutes/mute-file.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { RollupReads } from "../../rollups/reads.ts";
import type { AppReads, AppStore } from "../../stores/ports/store.ts";
import { VersionedMemo } from "../../stores/versioned-memo.ts";
import { type Inventory, InventoryScanner } from "./inventory.ts";

export interface OpenedApp {
  readonly app_id: string;
  readonly store: AppStore;
  readonly settings: EffectiveSettings;
  /** The present against which heartbeats and presets are judged; fixed with `--now`. */
  readonly now: () => EpochSeconds;
  /** It is looked at as of an instant of the past (as-of.ts): what waits for what, heartbeats and queues are not known. */
  readonly past: boolean;
  /** Computes once per state of the store and shares the answer (versioned-memo.ts). Not inside `store.read`. */
  memo<T>(key: string, compute: (reads: AppReads) => Promise<T>): Promise<T>;
  /**
   * Like `memo`, but a page waits only a limited time: null while the figure is still being computed in the background. A command waits for it.
   * Not inside `store.read`.
   */
  soon<T>(key: string, compute: (reads: AppReads) => Promise<T>): Promise<T | null>;
  /** Which invocations there are (inventory.ts). Not inside `store.read`. */
  inventory(): Promise<Inventory>;
  /** Waits for a full pass. Not inside `store.read`. */
  completeInventory(): Promise<Inventory>;
  /** Counts and durations over time (rollups/). Null where they are switched off. Not inside `store.read`. */
  readonly rollups: RollupReads | null;
  /** Verdicts that the user has muted. */
  readonly mutes: Mutes;
  /** Stops work in the background. */
  close(): void;
}

/** Milliseconds a page waits for a pass over a large store; the rest is done in the background. */
const PAGE_PATIENCE = 150;

/** The same for a command, which ends with its answer and so waits longer. */
const COMMAND_PATIENCE = 2_000;

export interface OpenOptions {
  /** This process keeps running and answers other requests. */
  serving?: boolean;
  /** Null unless given. */
  rollups?: RollupReads | null;
  /** None are kept unless given. */
  mutes?: Mutes;
  /** Milliseconds of a monotonic clock, to tell expensive figures from cheap ones. */
  clock?: () => number;
}

export function openedApp(
  store: AppStore,
  settings: EffectiveSettings,
  now: () => EpochSeconds,
  { serving = false, rollups = null, mutes = NO_MUTES, clock = () => performance.now() }: OpenOptions = {},
): OpenedApp {
  const memo = new VersionedMemo(() => store.version(), clock);
  const patience = serving ? PAGE_PATIENCE : COMMAND_PATIENCE;
  const taker = new InventoryScanner(store, { patience, background: serving }, clock);
  const remembered: OpenedApp["memo"] = (key, compute) => memo.get(key, () => store.read(compute));
  return {
    app_id: store.app_id,
    store: noticing(store, () => {
      memo.forget();
      taker.expire();
    }),
    settings,
    now,
    past: false,
    memo: remembered,
    soon: (key, compute) => (serving ? within(patience, remembered(key, compute)) : remembered(key, compute)),
    inventory: () => taker.inventory(),
    completeInventory: () => taker.completeInventory(),
    rollups,
    mutes,
    close: () => taker.stop(),
  };
}

/** Null when it takes longer than these milliseconds. What is computed goes on, and may fail unnoticed. */
export async function within<T>(patience: number, computed: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), patience);
  });
  computed.catch(() => undefined);
  return Promise.race([computed, late]).finally(() => clearTimeout(timer));
}

/** For figures beside others: what else is shown tells what is wrong with the store. */
export function ifUnreachable(error: unknown): null {
  if (error instanceof StoreUnreachableError) return null;
  throw error;
}

/**
 * The app for one client: once the client has disconnected, nothing more is read for it. Shared figures are still computed.
 *
 * Not for actions: an action that was started is completed.
 */
export function untilAborted(app: OpenedApp, signal: AbortSignal): OpenedApp {
  const { store } = app;
  return { ...app, store: storeWith(store, { read: (fn) => store.read(fn, signal) }) };
}

/** The store with another way to read or to act. */
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
    actions: store.actions,
    read: (fn, signal) => store.read(fn, signal),
    version: () => store.version(),
    ...other,
  };
}

/** The store with a callback after each action, because figures from before a purge must not be shown after it. */
function noticing(store: AppStore, changed: () => void): AppStore {
  const noticed =
    <Args extends unknown[], T>(act: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      act(...args).finally(changed);
  const { actions } = store;
  return storeWith(store, {
    actions: {
      purge: noticed((...args) => actions.purge(...args)),
      purgeQueue: noticed((...args) => actions.purgeQueue(...args)),
      autoPurgeOrchestrator: noticed((...args) => actions.autoPurgeOrchestrator(...args)),
      autoPurgeEvents: noticed((...args) => actions.autoPurgeEvents(...args)),
      rerun: noticed((...args) => actions.rerun(...args)),
      requeue: noticed((...args) => actions.requeue(...args)),
      sweepQueue: noticed((...args) => actions.sweepQueue(...args)),
    },
  });
}

/** A setting as a number in its unit; every setting has a default, so there always is one. */
export function numberSetting(app: OpenedApp, field: string): number {
  return Number(app.settings.get(field)?.value);
}
