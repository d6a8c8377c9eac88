/** Rows behind the interface of a store: they are written into a database in memory, which the SQLite adapter reads and changes. */
import type { TableKey } from "../../../src/demo/writer/schema.ts";
import type { Row } from "../../../src/demo/writer/table-writer.ts";
import { RefusedError } from "../../../src/errors.ts";
import type { QueueMessage } from "../../../src/pynenc/records.ts";
import type { EpochSeconds } from "../../../src/pynenc/time.ts";
import type { Actions } from "../../../src/stores/ports/actions.ts";
import type { AppReads, AppStore } from "../../../src/stores/ports/store.ts";
import { type ActionCall, perform } from "../../../src/stores/sqlite/actions/actions.ts";
import { changed } from "../../../src/stores/sqlite/actions/transaction.ts";
import { inImmediateTransaction } from "../../../src/stores/sqlite/file/driver.ts";
import { inSnapshot, type Lane, LanePool, readsThrough } from "../../../src/stores/threads/lanes.ts";
import { portOver } from "../../../src/stores/threads/port-calls.ts";
import { type MemoryDatabase, type Owner, takeDatabase } from "./database.ts";
import { portWith } from "./port-with.ts";
import type { Lists, MemoryRows } from "./rows.ts";
import { readBack, WRITERS, writeAppInfo } from "./tables.ts";

const LISTS = Object.keys(WRITERS) as (keyof Lists)[];

/** Lists with tables in which services remember places. */
const PLACED = new Map<keyof Lists, TableKey>([
  ["statuses", "orchestrator_invocations"],
  ["definitions", "state_backend_invocations"],
  ["history", "state_backend_history"],
]);

export class MemoryStore implements AppStore, Owner {
  readonly kind = "memory";
  readonly location = "memory";
  readonly app_id: string;
  readonly gaps = [];
  readonly loads = [];
  readonly isolated = true;
  readonly readOnly: boolean;
  readonly actions: Actions;
  readonly #rows: MemoryRows;
  #version = 0;
  #database: MemoryDatabase | null = null;
  #writtenVersion = -1;
  /** How many records of each list are in the database; null if all are to be written again. */
  #written: Map<keyof Lists, number> | null = null;
  /** An action has changed the database since the rows were read. */
  #outdated = false;
  #busy = false;
  /** Where records stand in their tables: they stay there when others are taken away. */
  readonly #places = new WeakMap<object, number>();
  readonly #lane: Lane;
  readonly #pool: LanePool<Lane>;

  constructor(app_id: string, rows: MemoryRows, readOnly = false) {
    this.app_id = app_id;
    this.readOnly = readOnly;
    this.#rows = rows;
    this.#lane = this.#makeLane();
    this.#pool = new LanePool(1, () => this.#lane);
    this.actions = portOver<Actions>((call) => this.#act(call));
  }

  read<T>(fn: (reads: AppReads) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const read = (lane: Lane) => fn(this.#told(readsThrough(lane, signal)));
    return this.#pool.use((lane) => inSnapshot(lane, this.app_id, { signal, onBegin: () => undefined }, read), signal);
  }

  async version(): Promise<string> {
    return String(this.#version);
  }

  /** As they are now. */
  get rows(): MemoryRows {
    const copies = Object.entries(this.#current()).map(([name, kept]) => [
      name,
      Array.isArray(kept) ? [...kept] : kept,
    ]);
    return Object.fromEntries(copies) as MemoryRows;
  }

  /** Adds records behind the others. */
  add(more: Partial<Lists>): void {
    for (const name of LISTS) (this.#rows[name] as unknown[]).push(...(more[name] ?? []));
    this.#version++;
  }

  /** Changes the rows, and with them the version. */
  change(change: (rows: MemoryRows) => void): void {
    const rows = this.#current();
    this.#rememberPlaces();
    change(rows);
    this.#written = null;
    this.#version++;
  }

  get busy(): boolean {
    return this.#busy;
  }

  leave(): void {
    this.#current();
    this.#rememberPlaces();
    this.#written = null;
    this.#writtenVersion = -1;
  }

  #rememberPlaces(): void {
    if (this.#written === null || this.#database?.owner !== this) return;
    for (const [name, key] of PLACED) {
      const found = this.#database.all<{ rowid: number }>(key, "rowid");
      // As many unless some replaced others.
      if (found.length !== this.#written.get(name)) continue;
      for (const [n, { rowid }] of found.entries()) this.#places.set(this.#rows[name][n] as object, rowid);
    }
  }

  #makeLane(): Lane {
    const call: Lane["call"] = async (one) => this.#database?.session.call(one) as never;
    return {
      begin: async (appId) => {
        const gaps = this.#write().session.begin(appId);
        this.#busy = true;
        return gaps;
      },
      call,
      end: async () => {
        this.#busy = false;
        this.#database?.session.end();
      },
      abandon: () => undefined,
      close: async () => undefined,
      broken: false,
    };
  }

  /** What the store says of itself is said by the test. */
  #told(reads: AppReads): AppReads {
    const { capabilities, layout, files, queue_layout } = this.#rows;
    return {
      ...reads,
      layout: portWith(reads.layout, {
        report: async () => layout,
        capabilities: async () => capabilities,
        files: async () => files,
      }),
      broker: portWith(reads.broker, {
        layout: async () => queue_layout,
        queues: async () => (await reads.broker.queues()).map((row) => ({ ...row, oldest: exact(row.oldest) })),
        peekMessages: async (...asked) => (await reads.broker.peekMessages(...asked)).map(exactMessage),
        messagesOf: async (ids) => (await reads.broker.messagesOf(ids)).map(exactMessage),
      }),
      client_data_store: portWith(reads.client_data_store, {
        valuesByKeys: async (...asked) => (await reads.client_data_store.valuesByKeys(...asked)).map(exactValue),
        listValues: async (slice) => (await reads.client_data_store.listValues(slice)).map(exactValue),
        figures: async () => {
          const { oldest, newest, ...sizes } = await reads.client_data_store.figures();
          return { ...sizes, oldest: exact(oldest), newest: exact(newest) };
        },
      }),
    };
  }

  #act(call: ActionCall): Promise<unknown> {
    return this.#pool.use(async () => {
      if (this.readOnly) throw new RefusedError("Nothing was changed: this monitor is read-only.", null, 403);
      const { db } = this.#write();
      const answer = changed(
        db,
        ["memory"],
        () => "memory",
        this.app_id,
        (access) => perform(access, call),
      );
      this.#outdated = true;
      this.#version++;
      return answer;
    });
  }

  #current(): MemoryRows {
    if (!this.#outdated) return this.#rows;
    const database = this.#busy ? this.#database : this.#write();
    if (database === null) return this.#rows;
    if (!this.#busy) database.session.begin(this.app_id);
    Object.assign(this.#rows, readBack(database));
    if (!this.#busy) database.session.end();
    this.#written = new Map(LISTS.map((name) => [name, this.#rows[name].length]));
    this.#outdated = false;
    return this.#rows;
  }

  /** Outside of a snapshot. */
  #write(): MemoryDatabase {
    const { capabilities, queue_layout, heartbeats, app_info } = this.#rows;
    const { components, events, executions } = capabilities;
    const database = takeDatabase(this, this.#database, {
      app_id: this.app_id,
      components,
      events,
      executions,
      service_times: heartbeats.some((beat) => beat.last_service_start !== null || beat.last_service_end !== null),
      consumed_queues:
        capabilities.consumed_queues === true || heartbeats.some((beat) => beat.consumed_queues !== null),
      named: queue_layout.named,
    });
    if (database === this.#database && this.#version === this.#writtenVersion) return database;
    const written = database === this.#database ? this.#written : null;
    this.#database = database;
    inImmediateTransaction(database.db, () => {
      if (written === null) {
        database.clear();
        if (app_info !== null) writeAppInfo(app_info, database.insert);
      }
      for (const name of LISTS) {
        const write = WRITERS[name] as (record: unknown, insert: MemoryDatabase["insert"]) => void;
        const list = this.#rows[name];
        let last = 0;
        for (let n = written?.get(name) ?? 0; n < list.length; n++) {
          // Behind the others if its own place is taken; SQLite appends what has none.
          const place = written === null ? Math.max(this.#places.get(Object(list[n])) ?? 0, last + 1) : null;
          last = place ?? last;
          const insert = (key: TableKey, row: Row) => database.insert(key, { ...row, rowid: place });
          write(list[n], PLACED.has(name) ? insert : database.insert);
        }
      }
    });
    this.#written = new Map(LISTS.map((name) => [name, this.#rows[name].length]));
    this.#writtenVersion = this.#version;
    return database;
  }
}

/** Julian days are stored to a millisecond or so, and tests give whole ones. */
function exact(at: EpochSeconds | null): EpochSeconds | null {
  return at === null ? null : Math.round(at * 1_000) / 1_000;
}

const exactMessage = (row: QueueMessage) => ({ ...row, queued_at: exact(row.queued_at) });
const exactValue = <Value extends { created_at: EpochSeconds | null }>(row: Value) => ({
  ...row,
  created_at: exact(row.created_at),
});
