/** What every service works on: an app in an opened store, its settings, the present, and a memory for figures that are dear to count. */
import type { EffectiveSettings } from "../config/pynenc-sources.ts";
import type { EpochSeconds } from "../pynenc/time.ts";
import type { AppReads, AppStore } from "../stores/ports.ts";
import { VersionedMemo } from "../stores/versioned-memo.ts";

export interface OpenedApp {
  readonly app_id: string;
  readonly store: AppStore;
  readonly settings: EffectiveSettings;
  /** The present against which heartbeats and presets are judged; fixed with `--now`. */
  readonly now: () => EpochSeconds;
  /** Computes once per state of the store and shares the answer (versioned-memo.ts). Not inside `store.read`. */
  memo<T>(key: string, compute: (reads: AppReads) => Promise<T>): Promise<T>;
}

export function openedApp(store: AppStore, settings: EffectiveSettings, now: () => EpochSeconds): OpenedApp {
  const memo = new VersionedMemo(() => store.version());
  return {
    app_id: store.app_id,
    store,
    settings,
    now,
    memo: (key, compute) => memo.get(key, () => store.read(compute)),
  };
}

/** A setting as a number of its own unit; every setting has a default, so there always is one. */
export function numberSetting(app: OpenedApp, field: string): number {
  return Number(app.settings.get(field)?.value);
}
