import type { AtomicRun } from "../../src/api/runners.ts";
import { runnerState } from "../../src/presentation/facts/runner.ts";
import { stuckWords } from "../../src/presentation/facts/service-run.ts";
import { count, NOTHING } from "../../src/presentation/text.ts";
import { FactValueView } from "../fragments/facts/fact-value.tsx";
import { NamedRunner } from "../fragments/facts/runner-name.tsx";
import { InvocationLink } from "../fragments/invocations/invocation-link.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { RunStatus, ServiceReason } from "../fragments/runners/service-run.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Duration } from "../fragments/ui/duration.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { type Fact, Facts } from "../fragments/ui/facts.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { amount } from "../fragments/ui/settings-table.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

export function AtomicRunContent({ model }: View<AtomicRun>) {
  const links = useLinks();
  const { execution } = model;
  return (
    <>
      <PageHeader
        trail={[
          { label: "Runners", href: links.runners() },
          { label: "Atomic service", href: links.atomicTimeline() },
        ]}
        title={
          <>
            Service run <Id value={model.atomic_service_run_id} full />
          </>
        }
        actions={
          execution !== null && (
            <>
              {model.timeline !== null && (
                <a class="button" href={links.timeline({ ...model.timeline })}>
                  Timeline
                </a>
              )}
              <a
                class="button"
                href={links.atomicTimeline({ selected_atomic_service_run_id: model.atomic_service_run_id })}
              >
                All service runs
              </a>
            </>
          )
        }
      >
        {execution !== null && <RunStatus run={execution} />}
      </PageHeader>
      {execution === null && (
        <Notice tone="warn">
          The record of this run is not stored. {retention(model)} Only the trigger runs that name it are left.
        </Notice>
      )}
      {execution !== null && execution.stuck !== null && (
        <Notice tone="error">
          {stuckWords(execution.stuck)} While it is recorded as running, every other run is blocked: no triggers, no
          recovery.
        </Notice>
      )}
      <div class="columns">
        <Card title="Execution">
          {execution === null ? (
            <p class="muted">When it ran and how it ended is not known.</p>
          ) : (
            <Facts
              rows={[
                { label: "Start", value: <Time iso={execution.start_time} /> },
                {
                  label: "End",
                  value: execution.end_time === null ? "not ended" : <Time iso={execution.end_time} />,
                },
                execution.end_time === null
                  ? { label: "Running since", value: <Time iso={execution.start_time} relative /> }
                  : { label: "Duration", value: <Duration seconds={execution.seconds} /> },
                { label: "Status", value: <RunStatus run={execution} /> },
                { label: "Reason", value: <ServiceReason run={execution} /> },
              ]}
            />
          )}
        </Card>
        <Card title="Runner">
          <Facts rows={runnerFacts(model)} />
        </Card>
      </div>
      <TriggerRuns model={model} />
    </>
  );
}

function retention({ settings }: AtomicRun): string {
  const row = settings.find((setting) => setting.field === "atomic_service_execution_retention_minutes");
  return row === undefined ? "" : `pynenc keeps such records for ${amount(row.value, row.unit)}.`;
}

function runnerFacts({ runner, runner_active, runner_last_heartbeat }: AtomicRun): Fact[] {
  if (runner === null) return [{ label: "Runner", value: <span class="muted">not known</span> }];
  return [
    { label: "Runner", value: <NamedRunner name={runner} /> },
    {
      label: "State",
      value: <FactValueView value={runnerState({ active: runner_active, last_heartbeat: runner_last_heartbeat })} />,
    },
    { label: "Last heartbeat", value: <Time iso={runner_last_heartbeat} relative /> },
  ];
}

function TriggerRuns({ model: { trigger_runs: runs, trigger_runs_truncated } }: { model: AtomicRun }) {
  const links = useLinks();
  return (
    <Card
      title="Trigger runs it executed"
      flush={runs.length > 0}
      actions={trigger_runs_truncated && <span class="muted">the newest {count(runs.length)}</span>}
    >
      <DataTable
        caption="Trigger runs executed in this service run, newest first"
        columns={[
          { label: "Trigger run", rowHeader: true },
          { label: "Started task" },
          { label: "Started invocation" },
          { label: "Executed" },
          { label: "Claimed", roomy: true },
          { label: "Trigger", roomy: true },
        ]}
        rows={runs.map((run) => ({
          key: run.trigger_run_id,
          cells: [
            <Id key="id" value={run.trigger_run_id} href={links.triggerRun(run.trigger_run_id)} />,
            <TaskName key="task" task_id_key={run.task_id_key} href={links.task(run.task_id_key)} />,
            run.triggered_invocation === null ? (
              <span key="invocation" class="muted">
                {NOTHING}
              </span>
            ) : (
              <InvocationLink key="invocation" row={{ ...run.triggered_invocation, task_id_key: null }} />
            ),
            <Time key="executed" iso={run.executed_at} />,
            <Time key="claimed" iso={run.claimed_at} />,
            <Id key="trigger" value={run.trigger_id} href={links.trigger(run.trigger_id)} copy={false} />,
          ],
        }))}
        empty={
          <Empty title="No trigger run names this service run">
            <p>Most runs have nothing to trigger, and trigger runs are removed after some time.</p>
          </Empty>
        }
      />
    </Card>
  );
}
