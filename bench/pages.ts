/** What is measured: each page that a person looks at, with ids from the data. */
import { isoFromEpoch } from "../src/pynenc/time.ts";
import type { Store } from "../src/stores/ports/store.ts";
import { BULK_APP, BULK_NOW } from "./bulk-file.ts";

/** Addresses of pages about old and new things of the store's bulk app. */
export async function pagesOf(store: Store): Promise<string[]> {
  const found = await samplesOf(store);
  const e = encodeURIComponent;
  const hourAgo = isoFromEpoch(BULK_NOW - 3600).slice(0, 19);
  return [
    "/",
    "/broker/",
    "/broker/queue",
    "/orchestrator/",
    "/runners/",
    "/runners/?show=all",
    `/runners/${e(found.runner)}`,
    "/tasks/",
    `/tasks/${e(found.task)}`,
    "/invocations/",
    "/invocations/?page=1000",
    "/invocations/?status=failed",
    "/invocations/?status=failed&page=200",
    "/invocations/?status=failed&status=retry&status=killed",
    `/invocations/?task_id=${e(found.task)}&status=failed`,
    "/invocations/?id_prefix=abc",
    `/invocations/?start_date=${hourAgo}`,
    `/invocations/?workflow_id=${e(found.workflow)}`,
    `/invocations/${e(found.newest)}`,
    `/invocations/${e(found.old)}`,
    `/invocations/${e(found.newest)}/history`,
    `/calls/?call_id_key=${e(found.call)}`,
    "/workflows/",
    "/workflows/runs",
    `/workflows/${e(found.workflowType)}`,
    `/workflows/runs/${e(found.workflow)}`,
    "/state-backend/",
    "/client-data-store/",
    "/events/",
    "/events/?matched=no&triggered=no",
    "/events/?page=400",
    `/events/${e(found.event)}`,
    `/events/${e(found.triggered)}/trace`,
    `/events/api/markers?start=${hourAgo}&end=${isoFromEpoch(BULK_NOW).slice(0, 19)}`,
    "/trigger-runs/",
    "/trigger-runs/?kind=status",
    `/trigger-runs/${e(found.triggerRun)}`,
    "/triggers/",
    `/triggers/${e(found.trigger)}`,
    "/runners/atomic-service/timeline",
    "/runners/atomic-service/scheduling",
  ];
}

/** Things to look at: an old and a new invocation, a common task ... taken from the data. */
function samplesOf(store: Store) {
  return store.app(BULK_APP).read(async ({ orchestrator, state_backend, trigger }) => {
    const first = { limit: 1, offset: 0 };
    const [newest] = await orchestrator.listInvocations({}, first);
    const [old] = await state_backend.historyBetween({}, 1, "earliest");
    const [runner] = await orchestrator.heartbeats(first);
    const [workflow] = await state_backend.workflowRuns(first);
    const [event] = await trigger.listEvents({}, first);
    const [triggered] = await trigger.listEvents({ triggered: true }, first);
    const [run] = await trigger.listTriggerRuns({}, first);
    const [definition] = await trigger.triggers({}, first);
    return {
      newest: newest?.invocation_id ?? "",
      task: newest?.task_id_key ?? "",
      call: newest?.call_id_key ?? "",
      old: old?.invocation_id ?? "",
      runner: runner?.runner_id ?? "",
      workflow: workflow?.workflow_id ?? "",
      workflowType: workflow?.workflow_type_key ?? "",
      event: event?.event_id ?? "",
      triggered: triggered?.event_id ?? "",
      triggerRun: run?.trigger_run_id ?? "",
      trigger: definition?.trigger_id ?? "",
    };
  });
}
