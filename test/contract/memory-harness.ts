/** The apps of a fixture in memory: what the SQLite store answers about them, as rows of the model. */

import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { connectStore } from "../../src/stores/connect.ts";
import { COMPONENTS } from "../../src/stores/ports/common.ts";
import type { AppReads, AppStore, DiscoveredApp, Store } from "../../src/stores/ports/store.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { copyFixture, type FixtureName, temporaryFolder } from "../support/fixtures.ts";
import { emptyRows, type MemoryRows } from "../support/memory-app/rows.ts";
import { MemoryStore } from "../support/memory-app/store.ts";
import { ALL } from "./everything.ts";
import type { Harness } from "./store-contract.ts";

interface FixtureApps {
  discovered: DiscoveredApp[];
  rows: [app_id: string, MemoryRows][];
}

/** Each fixture is read once. */
const loaded = new Map<FixtureName, Promise<FixtureApps>>();

export async function memoryHarness(fixture: FixtureName): Promise<Harness> {
  const reading = loaded.get(fixture) ?? load(fixture);
  loaded.set(fixture, reading);
  const { discovered, rows } = await reading;
  const present = () => Date.now() / 1000;
  const kept = rows.map(([id, read]) => [id, structuredClone(read)] as const);
  const apps = new Map(kept.map(([id, own]) => [id, new MemoryStore(id, own, present)]));
  const store: Store = {
    kind: "memory",
    location: "memory",
    apps: async () => discovered,
    version: async () => (await Promise.all([...apps.values()].map((app) => app.version()))).join("-"),
    app: (appId): AppStore => apps.get(appId) ?? nobodys(appId),
    close: async () => undefined,
  };
  return {
    store,
    keeps: {
      queue_times: true,
      value_times: true,
      link_times: true,
      link_runs: true,
      empty_families: true,
      layout: true,
    },
    grownBy: (registered) => ({
      "state_backend invocations": registered.length,
      "state_backend history": registered.length,
      "state_backend runner_contexts": 1,
      "orchestrator invocations": registered.length,
      "orchestrator invocation_args": registered.reduce((n, one) => n + one.indexed_arguments, 0),
      "broker message_queue": registered.length,
    }),
    stored: async () =>
      new Map(
        kept.flatMap(([id, own]) =>
          Object.entries(structuredClone(own)).map(([name, held]) => [`${id} ${name}`, held]),
        ),
      ),
    queuePlaces: (appId) => ({ messages: [`${appId} messages`], besides: [] }),
    setStatus: async (appId, id, status) =>
      apps.get(appId)?.change((own) => {
        const row = own.statuses.find((one) => one.invocation_id === id);
        if (row === undefined) return;
        if (status === null) own.statuses.splice(own.statuses.indexOf(row), 1);
        else Object.assign(row, { status: status.word, auto_purge_timestamp: status.final_since });
      }),
    argument_index: "orchestrator invocation_args",
    close: async () => undefined,
  };
}

async function load(fixture: FixtureName): Promise<FixtureApps> {
  const folder = temporaryFolder();
  const path = copyFixture(fixture, folder.path);
  const sqlite = await connectStore(
    { kind: "sqlite", path, components: new Map() },
    { threads: 0, lockWait: 1, readOnly: true },
  );
  try {
    const discovered = await sqlite.apps();
    const rows: FixtureApps["rows"] = [];
    for (const { app_id } of discovered) {
      const listed = await sqlite.app(app_id).read(rowsOf);
      rows.push([app_id, Object.assign(listed, unlistedRows(path, tablePrefix(app_id)))]);
    }
    return { discovered, rows };
  } finally {
    await sqlite.close();
    folder.remove();
  }
}

/** An app that the store does not hold. */
function nobodys(appId: string): MemoryStore {
  const rows = emptyRows();
  for (const component of COMPONENTS) rows.capabilities.components[component] = false;
  rows.capabilities.events = rows.capabilities.executions = false;
  return new MemoryStore(appId, rows, () => 0);
}

/** What the ports list, oldest first. */
async function rowsOf({ broker, orchestrator, state_backend, client_data_store, trigger, layout }: AppReads) {
  const rows = emptyRows();
  rows.capabilities = await layout.capabilities();
  rows.layout = await layout.report();
  rows.workflow_required = !rows.layout.evidence.includes("workflow_id may be empty");

  rows.queue_layout = await broker.layout();
  rows.messages = await broker.peekMessages(ALL);

  rows.statuses = (await orchestrator.listInvocations({}, ALL)).map(({ cursor: _, ...row }) => row).reverse();
  rows.heartbeats = await orchestrator.heartbeats(ALL);
  rows.edges = (await orchestrator.blockingEdges(ALL)).reverse();
  rows.executions = (await orchestrator.executions(ALL)).reverse();

  const ids = (await state_backend.listDefined({}, ALL)).map((row) => row.invocation_id).reverse();
  const definitions = new Map((await state_backend.invocationsByIds(ids)).map((row) => [row.invocation_id, row]));
  rows.definitions = ids.flatMap((id) => definitions.get(id) ?? []);
  rows.history = await state_backend.historyBetween({}, ALL.limit, "earliest");
  rows.results = await state_backend.resultsOf(ids);
  rows.exceptions = await state_backend.exceptionsOf(ids);
  rows.contexts = (await state_backend.listRunnerContexts(ALL)).reverse();
  rows.workflows = (await state_backend.workflowRuns(ALL)).reverse();
  for (const { workflow_id } of rows.workflows) {
    const members = await state_backend.workflowMembers(workflow_id, ALL);
    rows.members.push(...members.map((invocation_id) => ({ workflow_id, invocation_id })));
    const data = await state_backend.workflowData(workflow_id, ALL);
    rows.workflow_data.push(...data.map((row) => ({ workflow_id, ...row })));
  }
  rows.app_info = await state_backend.appInfo();

  const references = (await client_data_store.listValues(ALL)).map((value) => value.data_key);
  rows.values = await client_data_store.valuesByKeys(references, Number.MAX_SAFE_INTEGER / 4);

  rows.triggers = await trigger.listTriggers(ALL);
  const events = (await trigger.listEventsForward({}, ALL)).map((event) => event.event_id);
  rows.events = await trigger.eventsByIds(events);
  rows.links = await trigger.triggeredBy(events, ALL.limit);
  rows.runs = (await trigger.listTriggerRuns({}, ALL)).reverse();
  return rows;
}

/** What no port lists. */
function unlistedRows(
  path: string,
  prefix: string,
): Pick<MemoryRows, "conditions" | "valid_conditions" | "watched_tasks" | "indexed_arguments"> {
  const db = openDatabase(path, { mode: "read" });
  const all = <Row>(columns: string, table: string): Row[] =>
    db.prepare("SELECT 1 FROM sqlite_master WHERE name = ?").get(`${prefix}__${table}`) === undefined
      ? []
      : (db.prepare(`SELECT ${columns} FROM "${prefix}__${table}"`).all() as Row[]);
  try {
    return {
      conditions: all("condition_id, condition_json, NULL AS last_cron_execution", "trg_conditions"),
      valid_conditions: all("valid_condition_id, valid_condition_json", "trg_valid_conditions"),
      watched_tasks: all<{ task: string }>("DISTINCT task_id_key AS task", "trg_source_task_conditions").map(
        (row) => row.task,
      ),
      indexed_arguments: all("invocation_id, arg_key, arg_value", "orchestrator_invocation_args"),
    };
  } finally {
    db.close();
  }
}
