/** All that the ports tell of an app, for "nothing changed" and "only this changed". */
import type { AppStore, Slice } from "../../src/stores/ports.ts";

export const ALL: Slice = { limit: 100_000, offset: 0 };

export type Everything = Awaited<ReturnType<typeof everythingOf>>;

export function everythingOf(app: AppStore) {
  return app.read(async (reads) => {
    const { orchestrator, state_backend, trigger } = reads;
    const statuses = (await orchestrator.listInvocations({}, ALL)).map(({ cursor: _, ...row }) => row);
    const ids = (await state_backend.listDefined({}, ALL.limit)).map((row) => row.invocation_id);
    const events = await trigger.listEvents({}, ALL);
    const workflows = await state_backend.workflowRuns(ALL);
    return {
      rows: Object.fromEntries((await reads.layout.figures()).map((figure) => [placeOf(figure), figure.rows])),
      messages: await reads.broker.peekMessages(ALL),
      statuses,
      heartbeats: await orchestrator.heartbeats(ALL),
      edges: await orchestrator.blockingEdges(ALL),
      executions: await orchestrator.executions(ALL),
      definitions: await state_backend.invocationsByIds(ids),
      history: await state_backend.historyOf(ids, ALL.limit),
      results: await state_backend.resultsOf(ids),
      exceptions: await state_backend.exceptionsOf(ids),
      contexts: await state_backend.listRunnerContexts(ALL),
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
      triggers: await trigger.listTriggers(ALL),
      definition_counts: await trigger.countDefinitions(),
      valid_conditions: await trigger.countValidConditions(),
      app_info: await state_backend.appInfo(),
      layout: await reads.layout.report(),
    };
  });
}

/** Tables and key families of different components share names. */
export function placeOf({ component, name }: { component: string; name: string }): string {
  return `${component} ${name}`;
}
