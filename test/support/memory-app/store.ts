/** Rows behind the interface of a store, with the manners of a real one: answers are copies, and reads end with their snapshot. */
import { AsyncLocalStorage } from "node:async_hooks";
import { AbandonedError, RefusedError } from "../../../src/errors.ts";
import type { EpochSeconds } from "../../../src/pynenc/time.ts";
import type { Actions } from "../../../src/stores/ports/actions.ts";
import { COMPONENTS } from "../../../src/stores/ports/common.ts";
import type { LayoutReads } from "../../../src/stores/ports/layout.ts";
import type { AppReads, AppStore } from "../../../src/stores/ports/store.ts";
import type { Sync } from "../../../src/stores/sqlite/calls/sync.ts";
import { actionsOn, asPreview } from "./actions.ts";
import { brokerReads } from "./broker.ts";
import { clientDataReads } from "./client-data.ts";
import { rowCounts } from "./figures.ts";
import { forgottenReads } from "./forgotten.ts";
import { idReads } from "./ids.ts";
import { orchestratorReads } from "./orchestrator.ts";
import { type MemoryRows, snapshotOf } from "./rows.ts";
import { stateBackendReads } from "./state-backend.ts";
import { triggerReads } from "./trigger.ts";

/** The stores whose snapshots are open around the caller. One for all stores: Node asks every storage there ever was whenever a promise is made. */
const snapshots = new AsyncLocalStorage<readonly MemoryStore[]>();

export class MemoryStore implements AppStore {
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
  /** The ports of the newest snapshot: some sort all rows when they are made, and most snapshots are of the same rows. */
  #newest: { version: number; ports: Ports } | null = null;

  constructor(app_id: string, rows: MemoryRows, now: () => EpochSeconds, readOnly = false) {
    this.app_id = app_id;
    this.readOnly = readOnly;
    this.#rows = rows;
    this.actions = asynchronous(
      once(() => actionsOn(rows, now)),
      () => {
        if (readOnly) throw new RefusedError("Nothing was changed: this monitor is read-only.", null, 403);
        this.#version++;
      },
    );
  }

  async read<T>(fn: (reads: AppReads) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) throw new AbandonedError();
    const outer = snapshots.getStore() ?? [];
    if (outer.includes(this)) throw new Error("a snapshot inside a snapshot");
    let ended = false;
    const reads = readsOf(this.#ports(), () => {
      if (ended) throw new Error("a read outside a snapshot");
      if (signal?.aborted) throw new AbandonedError();
    });
    try {
      return await snapshots.run([...outer, this], () => fn(reads));
    } finally {
      ended = true;
    }
  }

  #ports(): Ports {
    if (this.#newest?.version !== this.#version)
      this.#newest = { version: this.#version, ports: portsOf(snapshotOf(this.#rows)) };
    return this.#newest.ports;
  }

  async version(): Promise<string> {
    return String(this.#version);
  }

  get rows(): MemoryRows {
    return snapshotOf(this.#rows);
  }

  /** Changes the rows, and with them the version. */
  change(change: (rows: MemoryRows) => void): void {
    change(this.#rows);
    this.#version++;
  }
}

/** Each is made when it is asked for. */
type Ports = { readonly [Name in keyof AppReads]: () => Sync<AppReads[Name]> };

function portsOf(rows: MemoryRows): Ports {
  const preview: Sync<Actions> = {
    purge: (components) => rowCounts(rows, components),
    purgeQueue: (queueName) => actionsOn(snapshotOf(rows), Date.now).purgeQueue(queueName),
    autoPurgeOrchestrator: (retention) => actionsOn(snapshotOf(rows), Date.now).autoPurgeOrchestrator(retention),
    autoPurgeEvents: (retention) => actionsOn(snapshotOf(rows), Date.now).autoPurgeEvents(retention),
    sweepQueue: () => actionsOn(snapshotOf(rows), Date.now).sweepQueue(),
    requeue: (ids, request) => actionsOn(snapshotOf(rows), Date.now).requeue(ids, request),
    rerun: (ids, request) => asPreview(actionsOn(snapshotOf(rows), Date.now).rerun(ids, request)),
  };
  return {
    broker: once(() => brokerReads(rows)),
    orchestrator: once(() => orchestratorReads(rows)),
    state_backend: once(() => stateBackendReads(rows)),
    client_data_store: once(() => clientDataReads(rows)),
    trigger: once(() => triggerReads(rows)),
    forgotten: once(() => forgottenReads(rows)),
    ids: once(() => idReads(rows)),
    layout: once(
      (): Sync<LayoutReads> => ({
        report: () => rows.layout,
        capabilities: () => rows.capabilities,
        figures: () => rowCounts(rows, COMPONENTS).map((count) => ({ ...count, bytes: null })),
        files: () => rows.files,
      }),
    ),
    preview: () => preview,
  };
}

function once<T>(make: () => T): () => T {
  let made: { it: T } | null = null;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}

function readsOf(ports: Ports, before: () => void): AppReads {
  return {
    broker: asynchronous(ports.broker, before),
    orchestrator: asynchronous(ports.orchestrator, before),
    state_backend: asynchronous(ports.state_backend, before),
    client_data_store: asynchronous(ports.client_data_store, before),
    trigger: asynchronous(ports.trigger, before),
    forgotten: asynchronous(ports.forgotten, before),
    ids: asynchronous(ports.ids, before),
    layout: asynchronous(ports.layout, before),
    preview: asynchronous(ports.preview, before),
  };
}

/** @param before is called first by every method. */
function asynchronous<Port extends object>(port: () => Sync<Port>, before: () => void): Port {
  return new Proxy({} as Port, {
    get:
      (_, name) =>
      async (...args: unknown[]) => {
        before();
        const method = Reflect.get(port(), name) as (...args: unknown[]) => unknown;
        return copyOf(method(...args));
      },
    // Tests spread a port to put a method of their own in the place of one.
    ownKeys: () => Reflect.ownKeys(port()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(port(), name),
  });
}

/** What `structuredClone` does; of arrays and plain objects, which answers are made of, in much less time. */
function copyOf<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  if (Object.getPrototypeOf(value) !== Object.prototype) return structuredClone(value);
  const copy = { ...value } as Record<string, unknown>;
  for (const name in copy) if (typeof copy[name] === "object") copy[name] = copyOf(copy[name]);
  return copy as T;
}
