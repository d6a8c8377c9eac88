/**
 * What the monitor needs from a store. An app keeps its data in five components (broker, orchestrator, state backend, client data store, trigger),
 * possibly in different stores. Each component is a separate port; an opened app combines all five.
 *
 * Rules for every adapter: asynchronous; batch-first (a page makes a fixed number of calls regardless of its row count); no unbounded results; a
 * missing table, key or row gives an empty result, never an error; unknown statuses are data. A store that cannot be read throws
 * StoreUnreachableError.
 */
import type { AppInfoRecord } from "../../pynenc/records.ts";
import type { Actions } from "./actions.ts";
import type { BrokerReads } from "./broker.ts";
import type { ClientDataReads } from "./client-data.ts";
import type { ForgottenReads } from "./forgotten.ts";
import type { IdReads } from "./ids.ts";
import type { LayoutReads } from "./layout.ts";
import type { OrchestratorReads } from "./orchestrator.ts";
import type { StateBackendReads } from "./state-backend.ts";
import type { TriggerReads } from "./trigger.ts";

/** The five components of one app, read in one consistent snapshot if they share a store that supports snapshots. */
export interface AppReads {
  broker: BrokerReads;
  orchestrator: OrchestratorReads;
  state_backend: StateBackendReads;
  client_data_store: ClientDataReads;
  trigger: TriggerReads;
  forgotten: ForgottenReads;
  ids: IdReads;
  layout: LayoutReads;
  preview: Actions;
}

/** Load this process puts on a server: average per second over the last minute, and the limits. */
export interface ServerLoad {
  /** With secrets masked. */
  location: string;
  commands: number;
  /** Bytes of replies. */
  bytes: number;
  most_commands: number;
  most_bytes: number;
}

/** An app in an opened store. */
export interface AppStore {
  readonly app_id: string;
  /** Where each component is kept, for display: an absolute path or a masked URL. */
  readonly location: string;
  readonly kind: string;
  /**
   * Runs `fn` against one consistent snapshot that ends when `fn` settles. Keep it short: it holds back WAL checkpoints. Calling it inside another
   * `read` is an error. A server without snapshots answers each call with its current data, so rows of one page may be from different moments and
   * links between them may dangle.
   *
   * @param signal of the requester: after an abort, waiting reads do not start and a running read stops at its next step.
   * @throws AbandonedError after an abort.
   */
  read<T>(fn: (reads: AppReads) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** `LayoutReport.gaps` as of the latest read; shown on every page. */
  readonly gaps: readonly string[];
  /** One per rate-limited server that keeps a part of the app; empty for files. */
  readonly loads: readonly ServerLoad[];
  /** Every action is refused. */
  readonly readOnly: boolean;
  /** All reads of a snapshot see one state of the data. */
  readonly isolated: boolean;
  readonly actions: Actions;
  /**
   * Cheap token that changes when data may have changed; comparable only with tokens of the same process. Never fails. If it contains a dot, the part
   * before the last one changes when other data is in the place of this, or none. If it contains `~`, it may miss changes.
   */
  version(): Promise<string>;
}

/** An app found in a store, before it is opened (storage-format.md 12.4). */
export interface DiscoveredApp {
  app_id: string;
  info: AppInfoRecord | null;
  /** Registered but without invocations: usually left behind by a process that only read (storage-format.md 12.4). */
  phantom: boolean;
}

/** An opened store: a file or a server that may hold several apps. */
export interface Store {
  readonly kind: string;
  readonly location: string;
  /** Real apps first, by id; then phantoms. With `partial`, a store whose first search takes long returns the apps found so far. */
  apps(partial?: boolean): Promise<DiscoveredApp[]>;
  /** See `AppStore.version`. */
  version(): Promise<string>;
  app(appId: string): AppStore;
  close(): Promise<void>;
}
