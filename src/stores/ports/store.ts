/**
 * What the monitor asks of a store. An app keeps its data in five components (broker, orchestrator, state backend, client data store,
 * trigger), possibly in different stores; each component is a port of its own and an opened app is a composition of five.
 *
 * Rules for every adapter: asynchronous; batch-first (a page makes a fixed number of calls whatever its row count); nothing returns
 * "all"; a missing table, key or row is an empty answer, never an error; unknown statuses are data. A store that cannot be read throws
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

/** The five components of one app, read in one consistent snapshot where they share a store that has snapshots. */
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

/** What this process asks of a server: means of a second over the last minute, and the most that it may ask. */
export interface ServerLoad {
  /** With secrets masked. */
  location: string;
  commands: number;
  /** Of answers. */
  bytes: number;
  most_commands: number;
  most_bytes: number;
}

/** An app in an opened store. */
export interface AppStore {
  readonly app_id: string;
  /** Where each component is kept, for people: an absolute path or a masked URL. */
  readonly location: string;
  readonly kind: string;
  /**
   * Runs `fn` against one consistent snapshot that ends when `fn` settles. Keep it short: it holds back WAL checkpoints. Not inside
   * another `read`: that is an error. A server without snapshots answers each call as of its own moment, so that rows of one page may
   * differ by what happened meanwhile; links dangle then, which they may anywhere.
   *
   * @param signal of whoever asked: once they have gone, what waits is not begun, and what is being read ends with its next step.
   * @throws AbandonedError then.
   */
  read<T>(fn: (reads: AppReads) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** `LayoutReport.gaps` as of the latest read; shown on every page. */
  readonly gaps: readonly string[];
  /** Of each server that keeps a part of the app and that the store asks no more than it may; empty for files. */
  readonly loads: readonly ServerLoad[];
  /** Every action is refused. */
  readonly readOnly: boolean;
  readonly actions: Actions;
  /** Cheap token that changes when data may have changed; comparable only with tokens of the same process. Never fails. */
  version(): Promise<string>;
}

/** An app found in a store, before it is opened (storage-format.md 12.4). */
export interface DiscoveredApp {
  app_id: string;
  info: AppInfoRecord | null;
  /** Registered but without invocations: usually left by a process that only read (storage-format.md 12.4). */
  phantom: boolean;
}

/** An opened store: a file or a server that may hold several apps. */
export interface Store {
  readonly kind: string;
  readonly location: string;
  /**
   * Real apps first, by id; then phantoms. With `soon`, a store that takes long to tell them all for the first time answers with those that
   * it found so far.
   */
  apps(soon?: boolean): Promise<DiscoveredApp[]>;
  /** As `AppStore.version`. */
  version(): Promise<string>;
  app(appId: string): AppStore;
  close(): Promise<void>;
}
