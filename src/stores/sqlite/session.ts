/** State of one thread: handles for the files of a store, the five components of the app being read, and previews of actions. */
import type { ComponentName } from "../ports/common.ts";
import { COMPONENTS } from "../ports/common.ts";
import type { StorageFigure, StoreFile } from "../ports/layout.ts";
import type { AppReads } from "../ports/store.ts";
import { answerCall, type PortCall } from "../threads/port-calls.ts";
import { previewActions } from "./actions/actions.ts";
import { previewChanges } from "./actions/changes.ts";
import { brokerReads } from "./broker/broker.ts";
import type { Sync } from "./calls/sync.ts";
import { clientDataReads } from "./client-data/client-data.ts";
import type { ComponentPaths } from "./file/component-paths.ts";
import { describeFile } from "./file/files.ts";
import { openFile } from "./file/opened-file.ts";
import { idReads } from "./ids.ts";
import { orchestratorReads } from "./orchestrator/orchestrator.ts";
import { forgottenReads } from "./state-backend/forgotten.ts";
import { stateBackendReads } from "./state-backend/state-backend.ts";
import { bytesByTable, storageFigures } from "./tables/figures.ts";
import { SqliteHandle } from "./tables/handle.ts";
import { type AppRow, registeredApps } from "./tables/registry.ts";
import { type AppTables, capabilitiesOf, layoutGaps, layoutOf } from "./tables/tables.ts";
import { triggerReads } from "./trigger/trigger.ts";

/** Apps registered in the file, independent of a single app. */
export interface RegistryReads {
  apps(): Promise<AppRow[]>;
}

/** All ports of one thread. */
export type SessionReads = AppReads & { registry: RegistryReads };

type SessionPorts = { [Port in keyof SessionReads]: Sync<SessionReads[Port]> };

/** One read, as sent to the thread. */
export type ReadCall = PortCall<SessionReads>;

/**
 * One snapshot at a time: `begin(app)`, any number of `call`s, `end`. Everything is synchronous; a lane decides in which thread it runs.
 */
export class SqliteSession {
  readonly #handles = new Map<string, SqliteHandle>();
  readonly #paths: ComponentPaths;
  #current: SessionPorts | null = null;

  constructor(paths: ComponentPaths, open = openFile) {
    this.#paths = paths;
    for (const path of new Set(Object.values(paths))) this.#handles.set(path, new SqliteHandle(open(path)));
  }

  /** @returns what cannot be shown of the app (`LayoutReport.gaps`). */
  begin(appId: string): readonly string[] {
    this.end();
    try {
      for (const handle of this.#handles.values()) handle.beginSnapshot();
    } catch (error) {
      this.#endSnapshots();
      throw error;
    }
    const tablesOf = (component: ComponentName): AppTables => this.#handle(component).tables(appId);
    const of = (component: ComponentName) => ({ queries: this.#handle(component), tables: tablesOf(component) });
    this.#current = madeWhenRead<SessionPorts>({
      broker: () => brokerReads(this.#handle("broker"), tablesOf("broker")),
      orchestrator: () => orchestratorReads(this.#handle("orchestrator"), tablesOf("orchestrator")),
      state_backend: () => stateBackendReads(this.#handle("state_backend"), tablesOf("state_backend")),
      client_data_store: () => clientDataReads(this.#handle("client_data_store"), tablesOf("client_data_store")),
      trigger: () => triggerReads(this.#handle("trigger"), tablesOf("trigger")),
      forgotten: ({ state_backend }) =>
        forgottenReads(of("state_backend"), of("orchestrator"), state_backend.historySpanOf),
      ids: () => idReads(of),
      layout: () => ({
        report: () => layoutOf(tablesOf, triggerSchema(this.#handle("trigger"), tablesOf("trigger"))),
        capabilities: () => capabilitiesOf(tablesOf),
        files: () => this.#files(),
        figures: () => this.#figures(tablesOf),
      }),
      preview: () =>
        previewActions((component) => ({
          changes: previewChanges(this.#handle(component)),
          tables: tablesOf(component),
        })),
      registry: () => ({ apps: () => registeredApps(this.#handle("state_backend")) }),
    });
    return layoutGaps(tablesOf);
  }

  call(call: ReadCall): unknown {
    if (this.#current === null) throw new Error("a read outside a snapshot");
    return answerCall<SessionReads>(this.#current, call);
  }

  end(): void {
    this.#current = null;
    this.#endSnapshots();
  }

  close(): void {
    this.end();
    for (const handle of this.#handles.values()) handle.close();
  }

  #endSnapshots(): void {
    for (const handle of this.#handles.values()) handle.endSnapshot();
  }

  #figures(tablesOf: (component: ComponentName) => AppTables): StorageFigure[] {
    const bytes = new Map([...this.#handles.values()].map((handle) => [handle, bytesByTable(handle)]));
    return COMPONENTS.flatMap((component) => {
      const handle = this.#handle(component);
      return storageFigures(handle, component, tablesOf(component), bytes.get(handle) ?? null);
    });
  }

  #files(): StoreFile[] {
    const componentsOf = (path: string) => COMPONENTS.filter((component) => this.#paths[component] === path);
    return [...this.#handles].map(([path, handle]) => describeFile(path, componentsOf(path), handle.journalMode()));
  }

  #handle(component: ComponentName): SqliteHandle {
    const handle = this.#handles.get(this.#paths[component]);
    if (handle === undefined) throw new Error(`no handle for ${component}`);
    return handle;
  }
}

/** Ports that are made when they are first read: a snapshot reads one or two, and most of the work is to put together their SQL. */
function madeWhenRead<Ports extends object>(make: { [Name in keyof Ports]: (ports: Ports) => Ports[Name] }): Ports {
  const made: Partial<Ports> = {};
  const ports: Ports = new Proxy({} as Ports, {
    get(_, name) {
      const port = name as keyof Ports;
      made[port] ??= make[port](ports);
      return made[port];
    },
  });
  return ports;
}

function triggerSchema(handle: SqliteHandle, tables: AppTables): number | null {
  if (!tables.has("trigger", "schema_version", "value")) return null;
  const version = handle.number(`SELECT value FROM ${tables.sql("trigger", "schema_version")} WHERE key = 'version'`);
  return version === 0 ? null : version;
}
