/** A purge of a SQLite file, row by row (storage-format.md 7.1). */
import { describe, expect, it } from "vitest";
import { tablePrefix } from "../../../../src/pynenc/identifiers.ts";
import { COMPONENTS, type ComponentName } from "../../../../src/stores/ports/common.ts";
import { FACTS, FIXTURE_NAMES } from "../../../support/fixtures.ts";
import { change, copies, integrity, rowSets, withStore } from "../rows.ts";

/** Tables that lose all their rows, as storage-format.md 7.1 lists them; the registration and the version of the schema stay. */
const EMPTIED: Record<ComponentName, readonly string[]> = {
  broker: ["broker_message_queue"],
  orchestrator: [
    "orchestrator_invocations",
    "orchestrator_invocation_args",
    "orchestrator_runner_heartbeats",
    "orchestrator_blocking_edges",
    "orchestrator_atomic_service_executions",
  ],
  state_backend: [
    "state_backend_results",
    "state_backend_exceptions",
    "state_backend_invocations",
    "state_backend_runner_contexts",
    "state_backend_history",
    "state_backend_workflows",
    "state_backend_workflow_data",
    "state_backend_workflow_sub_invocations",
  ],
  client_data_store: ["client_data"],
  trigger: [
    "trg_conditions",
    "trg_triggers",
    "trg_condition_triggers",
    "trg_valid_conditions",
    "trg_source_task_conditions",
    "trg_execution_claims",
    "trg_trigger_run_claims",
    "trg_events",
    "trg_event_conditions",
    "trg_event_triggered_invocations",
    "trg_trigger_runs",
    "trg_trigger_run_conditions",
  ],
};

const copyOf = copies();
const APPS = FIXTURE_NAMES.flatMap((fixture) => Object.keys(FACTS[fixture]).map((appId) => [fixture, appId] as const));

describe.each(APPS)("a purge in %s of %s", (fixture, appId) => {
  const cases: [string, readonly ComponentName[]][] = [
    ...COMPONENTS.map((component): [string, readonly ComponentName[]] => [component, [component]]),
    ["everything", COMPONENTS],
  ];
  it.each(cases)("of %s empties the tables of the recipe and touches nothing else", async (_, components) => {
    const path = copyOf(fixture);
    // Rows in every table, also those that the data leaves empty.
    const prefix = tablePrefix(appId);
    change(
      path,
      `INSERT INTO "${prefix}__trg_execution_claims" VALUES ('claim', '2026-01-01')`,
      `INSERT INTO "${prefix}__trg_valid_conditions" VALUES ('valid', '{}')`,
      `INSERT OR IGNORE INTO "${prefix}__state_backend_workflow_data" VALUES ('w', 'k', x'00ff')`,
    );
    const before = rowSets(path);
    const done = await withStore(path, (store) => store.app(appId).actions.purge(components));
    const emptied = components
      .flatMap((component) => EMPTIED[component])
      .map((table) => `${prefix}__${table}`)
      .filter((table) => table in before);
    expect(rowSets(path)).toEqual({ ...before, ...Object.fromEntries(emptied.map((table) => [table, []])) });
    expect(integrity(path)).toBe("ok");
    expect(done.map(({ rows, exact }) => [rows, exact])).toEqual(
      done.map(({ name, component }) => [before[`${prefix}__${wordOf(component)}_${name}`]?.length, true]),
    );
    expect(done).toHaveLength(emptied.length);
  });
});

function wordOf(component: ComponentName): string {
  return component === "trigger" ? "trg" : component === "client_data_store" ? "client" : component;
}
