import type { RunnerDetail } from "../../src/api/runners.ts";
import { count, duration, NOTHING, visibleLine } from "../../src/presentation/text.ts";
import { VerdictsHere } from "../fragments/health/verdicts.tsx";
import { InvocationTable } from "../fragments/invocations/invocation-table.tsx";
import { consumedQueues } from "../fragments/queue/queue-health-table.tsx";
import { AtomicEligibility, RunnerState } from "../fragments/runners/runner-state.tsx";
import { NamedRunner, RunnerTable } from "../fragments/runners/runner-table.tsx";
import { ServiceStatus } from "../fragments/runners/service-run.tsx";
import { SilenceNote } from "../fragments/runners/silence-note.tsx";
import { Lately } from "../fragments/stats/lately.tsx";
import { MiniTimeline } from "../fragments/timeline/mini-timeline.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Duration } from "../fragments/ui/duration.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { type Fact, Facts } from "../fragments/ui/facts.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View, WithVerdicts } from "./view.ts";

export function RunnerContent({ model }: View<WithVerdicts<RunnerDetail>>) {
  const links = useLinks();
  const { runner } = model;
  return (
    <>
      <PageHeader
        trail={[{ label: "Runners", href: links.runners() }]}
        title={
          <>
            {runner.name.runner_cls === null ? "Runner" : visibleLine(runner.name.runner_cls)}{" "}
            <Id value={runner.runner_id} full />
          </>
        }
      >
        <RunnerState runner={runner} />
      </PageHeader>
      <VerdictsHere of={model} />
      {runner.name.context_missing && (
        <Notice tone="warn">
          No context is stored under this id, so class, host and process are unknown. The state backend may have been
          purged while the runner was active, or another program wrote this id.
        </Notice>
      )}
      {!runner.active && runner.last_heartbeat !== null && <SilenceNote silence={model.silence} />}
      <div class="columns">
        <Card title="Context">
          <Facts rows={contextFacts(model)} />
        </Card>
        <Card title="Heartbeat">
          {runner.last_heartbeat === null ? (
            <Empty title="No heartbeat is stored">
              <p>
                Code outside any runner never sends one. A runner without one has just started, or its heartbeat was
                purged.
              </p>
            </Empty>
          ) : (
            <Facts
              rows={[
                { label: "Last seen", value: <Time iso={runner.last_heartbeat} relative /> },
                { label: "Last heartbeat", value: <Time iso={runner.last_heartbeat} /> },
                { label: "First heartbeat", value: <Time iso={runner.created_at} /> },
                { label: "Lifetime", value: <Duration seconds={runner.age_seconds} /> },
                ...(runner.consumed_queues === null
                  ? []
                  : [{ label: "Takes messages from", value: consumedQueues(runner.consumed_queues) }]),
                ...(runner.silent_seconds !== null && runner.silent_seconds < 0
                  ? [{ label: "Clock", value: <span class="skewed">{ahead(runner.silent_seconds)}</span> }]
                  : []),
              ]}
            />
          )}
        </Card>
      </div>
      <Lately lately={model.lately} of={{ runner: runner.runner_id }} charts={["finished", "failed", "run"]} />
      <MiniTimeline query={model.timeline} title="Latest activity" />
      <Card
        title="Worked on"
        flush
        actions={<a href={links.invocations({ runner: runner.runner_id })}>All of this runner</a>}
      >
        <InvocationTable
          invocations={model.invocations}
          caption="Invocations this runner worked on, latest first"
          hide={["owner"]}
          empty={
            <Empty title="It has worked on no invocation">
              <p>
                {model.children.length > 0
                  ? "Its child runners do the work; see below."
                  : model.registered.length > 0
                    ? "It only registered invocations: see below."
                    : "No history entry is by this runner, or the history was purged."}
              </p>
            </Empty>
          }
        />
        {model.invocations_note !== null && <p class="card-note">{visibleLine(model.invocations_note)}</p>}
      </Card>
      {model.registered.length > 0 && (
        <Card
          title="Registered by it"
          flush
          actions={<a href={links.invocations({ registered_by: runner.runner_id })}>All it registered</a>}
        >
          <InvocationTable
            invocations={model.registered}
            caption="Invocations this runner registered, latest first"
            empty={null}
          />
          {model.registered_note !== null && <p class="card-note">{visibleLine(model.registered_note)}</p>}
        </Card>
      )}
      {(model.children.length > 0 || model.parent === null) && <Children model={model} />}
      <AtomicService model={model} />
    </>
  );
}

function contextFacts({ runner, parent, thread_id }: RunnerDetail): Fact[] {
  const { name } = runner;
  return [
    { label: "Class", value: textOrNothing(name.runner_cls) },
    { label: "Id", value: <Id value={runner.runner_id} full /> },
    { label: "Host", value: textOrNothing(name.hostname) },
    { label: "Process", value: textOrNothing(name.pid) },
    { label: "Thread", value: textOrNothing(thread_id) },
    {
      label: "Parent",
      value:
        parent !== null ? (
          <span class="with-mark">
            <NamedRunner name={parent.name} />
            <RunnerState runner={parent} />
          </span>
        ) : name.parent !== null ? (
          <NamedRunner name={name.parent} />
        ) : (
          <span class="muted">none</span>
        ),
    },
  ];
}

function textOrNothing(value: string | number | null) {
  return value === null || value === "" ? (
    <span class="muted">{NOTHING}</span>
  ) : (
    <bdi class="mono">{visibleLine(String(value))}</bdi>
  );
}

/** The last heartbeat lies in the future. */
function ahead(silentSeconds: number): string {
  return `its host's clock is ${duration(-silentSeconds)} ahead of this machine's`;
}

function Children({ model: { children, children_truncated } }: { model: RunnerDetail }) {
  return (
    <Card
      title="Children"
      flush={children.length > 0}
      actions={children_truncated && <span class="muted">the newest {count(children.length)}</span>}
    >
      <RunnerTable
        runners={children}
        caption="Runners that this one started"
        hide={["parent"]}
        empty={<p class="muted">It started no other runner.</p>}
      />
    </Card>
  );
}

function AtomicService({ model: { runner, service_runs, last_service } }: { model: RunnerDetail }) {
  const links = useLinks();
  const runs = service_runs ?? [];
  return (
    <Card
      title="Atomic service"
      flush={runs.length > 0}
      actions={
        service_runs === null ? (
          <a href={links.atomicScheduling()}>Turn schedule</a>
        ) : (
          <a href={links.atomicTimeline({ runner_id: runner.runner_id })}>All service runs</a>
        )
      }
    >
      <div class={runs.length > 0 ? "card-part" : undefined}>
        <Facts
          rows={[
            { label: "Takes turns", value: <AtomicEligibility eligible={runner.atomic_service_eligible} /> },
            ...(last_service === null
              ? []
              : [
                  { label: "Last start", value: <Time iso={last_service.start_time} /> },
                  { label: "Last end", value: <Time iso={last_service.end_time} /> },
                ]),
          ]}
        />
      </div>
      {service_runs === null && (
        <p class="muted">This layout keeps only the last run of each runner; pynenc records all runs since 0.2.4.</p>
      )}
      {service_runs !== null && (
        <DataTable
          caption="Newest runs of the atomic service by this runner"
          columns={[
            { label: "Service run", rowHeader: true },
            { label: "Status" },
            { label: "Start" },
            { label: "End" },
            { label: "Duration", align: "end" },
            { label: "Reason" },
          ]}
          rows={runs.map((run) => ({
            key: run.atomic_service_run_id,
            cells: [
              <Id key="id" value={run.atomic_service_run_id} href={links.atomicRun(run.atomic_service_run_id)} />,
              <ServiceStatus key="status" status={run.status} />,
              <Time key="start" iso={run.start_time} />,
              run.end_time === null ? "not ended" : <Time key="end" iso={run.end_time} />,
              <Duration key="seconds" seconds={run.seconds} />,
              <span key="reason" class="cell-text">
                {run.reason === "" ? <span class="muted">{NOTHING}</span> : visibleLine(run.reason)}
              </span>,
            ],
          }))}
          empty={<p class="muted">No run of the atomic service by this runner is recorded.</p>}
        />
      )}
    </Card>
  );
}
