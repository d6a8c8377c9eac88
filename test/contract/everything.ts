/**
 * All that the ports tell of an app, for "nothing changed" and "only this changed". Where one component orders by what another knows, the
 * order is not looked at: it may change when the other is emptied.
 */
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { Slice } from "../../src/stores/ports/common.ts";
import type { AppStore } from "../../src/stores/ports/store.ts";

export const ALL: Slice = { limit: 100_000, offset: 0 };

export type Everything = Awaited<ReturnType<typeof everythingOf>>;

export function everythingOf(app: AppStore) {
  return app.read(async (reads) => {
    const { orchestrator, state_backend, trigger } = reads;
    const statuses = (await orchestrator.listInvocations({}, ALL)).map(({ cursor: _, ...row }) => row);
    const ids = (await state_backend.listDefined({}, ALL)).map((row) => row.invocation_id);
    const events = await trigger.listEvents({}, ALL);
    const workflows = sorted(await state_backend.workflowRuns(ALL), (run) => run.workflow_id);
    return {
      rows: Object.fromEntries((await reads.layout.figures()).map((figure) => [placeOf(figure), figure.rows])),
      messages: await reads.broker.peekMessages(ALL),
      statuses,
      heartbeats: await orchestrator.heartbeats(ALL),
      edges: await orchestrator.blockingEdges(ALL),
      executions: await orchestrator.executions(ALL),
      definitions: sorted(await state_backend.invocationsByIds(ids), (row) => row.invocation_id),
      history: sorted(await state_backend.historyOf(ids, ALL.limit), (row) => `${row.invocation_id} ${row.written_at}`),
      results: sorted(await state_backend.outcomesOf(["result"], ids), (row) => row.invocation_id),
      exceptions: sorted(await state_backend.outcomesOf(["exception"], ids), (row) => row.invocation_id),
      contexts: sorted(await state_backend.listRunnerContexts(ALL), (row) => row.runner_id),
      workflows,
      workflow_data: await Promise.all(workflows.map((run) => state_backend.workflowData(run.workflow_id, ALL))),
      values: await reads.client_data_store.listValues(ALL),
      events,
      event_records: await trigger.eventsByIds(events.map((event) => event.event_id)),
      triggered: await trigger.triggeredBy(
        events.map((event) => event.event_id),
        ALL.limit,
      ),
      trigger_runs: await trigger.listTriggerRuns({}, ALL),
      triggers: await trigger.triggers({}, ALL),
      definition_counts: await trigger.countDefinitions(),
      valid_conditions: await trigger.countValidConditions(),
      app_info: await state_backend.appInfo(),
      layout: await reads.layout.report(),
    };
  });
}

function sorted<T>(rows: readonly T[], key: (row: T) => string): T[] {
  return rows
    .map((row) => ({ row, key: key(row) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ row }) => row);
}

/** As `expect(actual).toEqual(expected)`, which takes long for so much and is needed only to tell what differs. */
export function expectEqual(actual: Everything, expected: Everything): void {
  expect(isDeepStrictEqual(actual, expected) ? expected : actual).toEqual(expected);
}

/** Tables and key families of different components share names. */
export function placeOf({ component, name }: { component: string; name: string }): string {
  return `${component} ${name}`;
}
