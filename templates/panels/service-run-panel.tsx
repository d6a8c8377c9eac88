import type { AtomicRun } from "../../src/api/runners.ts";
import { count } from "../../src/presentation/text.ts";
import { InvocationLink } from "../fragments/invocations/invocation-link.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { NamedRunner } from "../fragments/runners/runner-table.tsx";
import { RunStatus, ServiceReason } from "../fragments/runners/service-run.tsx";
import { Duration } from "../fragments/ui/duration.tsx";
import type { Fact } from "../fragments/ui/facts.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { useLinks } from "../links.ts";
import { MoreInDetails, Panel, PanelPart } from "./panel.tsx";

const SHOWN = 20;

export function ServiceRunPanel({ model }: { model: AtomicRun }) {
  const links = useLinks();
  const { execution, trigger_runs: runs } = model;
  return (
    <Panel
      kind="Atomic service"
      title="Run of the atomic service"
      state={execution === null ? <span class="mark">not recorded</span> : <RunStatus run={execution} />}
      page={links.atomicRun(model.atomic_service_run_id)}
      timeline={model.timeline}
      facts={useFacts(model)}
    >
      <PanelPart title={`Trigger runs it executed (${count(runs.length)}${model.trigger_runs_truncated ? "+" : ""})`}>
        {runs.length === 0 ? (
          <p class="muted">
            No stored trigger run names it. Most runs have nothing to trigger, and trigger runs are removed after some
            time.
          </p>
        ) : (
          <ul class="panel-list">
            {runs.slice(0, SHOWN).map((run) => (
              <li key={run.trigger_run_id}>
                <Id value={run.trigger_run_id} href={links.triggerRun(run.trigger_run_id)} copy={false} />
                <TaskName task_id_key={run.task_id_key} />
                {run.triggered_invocation !== null && (
                  <InvocationLink row={{ ...run.triggered_invocation, task_id_key: null }} />
                )}
              </li>
            ))}
          </ul>
        )}
        <MoreInDetails shown={SHOWN} of={runs.length} cut={model.trigger_runs_truncated} />
      </PanelPart>
    </Panel>
  );
}

function useFacts({ atomic_service_run_id, execution, runner }: AtomicRun): Fact[] {
  return [
    { label: "Id", value: <Id value={atomic_service_run_id} full /> },
    { label: "Runner", value: runner === null ? "not known" : <NamedRunner name={runner} /> },
    ...(execution === null
      ? []
      : [
          { label: "Start", value: <Time iso={execution.start_time} /> },
          { label: "End", value: execution.end_time === null ? "not ended" : <Time iso={execution.end_time} /> },
          { label: "Took", value: <Duration seconds={execution.seconds} /> },
          { label: "Reason", value: <ServiceReason run={execution} /> },
        ]),
  ];
}
