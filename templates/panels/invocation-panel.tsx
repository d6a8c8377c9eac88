import type { FamilyTree } from "../../src/api/causes.ts";
import type { EmittedEvent, HistoryEntry, InvocationDetail, RunOfInvocation } from "../../src/api/invocations.ts";
import { ACROSS_CLOCKS } from "../../src/presentation/critical-path.ts";
import { count, ELAPSED_LABELS, visible, visibleLine } from "../../src/presentation/text.ts";
import { FamilyFigure } from "../fragments/invocations/family-tree.tsx";
import { InvocationLink } from "../fragments/invocations/invocation-link.tsx";
import { InvocationStatus } from "../fragments/invocations/invocation-table.tsx";
import { StatusBadge } from "../fragments/invocations/status-badge.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { NamedRunner } from "../fragments/runners/runner-table.tsx";
import { Duration } from "../fragments/ui/duration.tsx";
import type { Fact } from "../fragments/ui/facts.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { useLinks } from "../links.ts";
import { MoreInDetails, Panel, PanelPart } from "./panel.tsx";

/** Of each list; the page has more. */
const SHOWN = 20;

interface Part {
  model: InvocationDetail;
}

/** Null where nothing led to it and it led to nothing. */
export interface InvocationPanelModel extends InvocationDetail {
  family: FamilyTree | null;
}

export function InvocationPanel({ model }: { model: InvocationPanelModel }) {
  const links = useLinks();
  const { invocation_id: id, task_id_key: task, exception, history, family } = model;
  return (
    <Panel
      kind="Invocation"
      title={task === null ? "Task not known" : <TaskName task_id_key={task} />}
      state={<InvocationStatus row={model} />}
      page={links.invocation(id)}
      timeline={model.timeline}
      actions={
        <a class="button" href={links.familyTree(id)}>
          Family tree
        </a>
      }
      facts={useFacts(model)}
    >
      <Notes notes={model.notes} tone="warn" />
      {exception !== null && (
        <PanelPart title="Exception">
          <p class="cell-text">
            <bdi class="mono">{visibleLine(exception.exception.error_name)}</bdi>
            {(exception.exception.message ?? "") !== "" && `: ${visible(beginning(exception.exception.message ?? ""))}`}
          </p>
        </PanelPart>
      )}
      <Triggers model={model} />
      <PanelPart title={`Status history (${count(model.history_count)})`}>
        <ol class="panel-list">
          {history.slice(0, SHOWN).map((entry, index) => (
            <Entry key={`${index} ${entry.timestamp}`} entry={entry} />
          ))}
        </ol>
        <MoreInDetails shown={SHOWN} of={model.history_count} />
      </PanelPart>
      {family !== null && (
        <PanelPart title="Family">
          <FamilyFigure tree={family} />
        </PanelPart>
      )}
    </Panel>
  );
}

function beginning(text: string): string {
  const characters = Array.from(text.slice(0, 1_000));
  return characters.length <= 300 ? text : `${characters.slice(0, 300).join("")}…`;
}

function useFacts(model: InvocationDetail): Fact[] {
  const links = useLinks();
  const { parent, workflow, retry_count } = model;
  return [
    { label: "Id", value: <Id value={model.invocation_id} full /> },
    { label: "Registered", value: <Time iso={model.registered_at} /> },
    { label: ELAPSED_LABELS[model.elapsed_meaning], value: <Duration seconds={model.elapsed_seconds} /> },
    ...(retry_count === null || retry_count === 0 ? [] : [{ label: "Retries", value: count(retry_count) }]),
    ...(parent === null ? [] : [{ label: "Parent", value: <InvocationLink row={parent} /> }]),
    ...(model.children_count === 0
      ? []
      : [
          {
            label: "Children",
            value: <a href={links.invocations({ parent: model.invocation_id })}>{count(model.children_count)}</a>,
          },
        ]),
    ...(workflow === null
      ? []
      : [
          {
            label: model.workflow_role === "root" ? "Defines workflow" : "In workflow",
            value: <Id value={workflow.workflow_id} href={links.workflowRun(workflow.workflow_id)} copy={false} />,
          },
        ]),
  ];
}

function Triggers({ model }: Part) {
  const { triggered_by: run, emitted_events: events, triggered_runs_caused: caused } = model;
  return (
    <>
      {run !== null && (
        <PanelPart title="Triggered by">
          <Cause model={model} run={run} />
        </PanelPart>
      )}
      {events.length > 0 && (
        <PanelPart title={`Events emitted (${count(events.length)}${model.emitted_events_truncated ? "+" : ""})`}>
          <ul class="panel-list">
            {events.slice(0, SHOWN).map((event) => (
              <Emitted key={event.event_id} event={event} />
            ))}
          </ul>
          <MoreInDetails shown={SHOWN} of={events.length} cut={model.emitted_events_truncated} />
        </PanelPart>
      )}
      {caused.length > 0 && (
        <PanelPart title={`Trigger runs caused (${count(caused.length)}${model.triggered_runs_truncated ? "+" : ""})`}>
          <ul class="panel-list">
            {caused.slice(0, SHOWN).map((one) => (
              <Caused key={one.trigger_run_id} run={one} />
            ))}
          </ul>
          <MoreInDetails shown={SHOWN} of={caused.length} cut={model.triggered_runs_truncated} />
        </PanelPart>
      )}
    </>
  );
}

function Cause({ model, run }: Part & { run: RunOfInvocation }) {
  const links = useLinks();
  return (
    <ul class="panel-list">
      <li>
        Trigger run <Id value={run.trigger_run_id} href={links.triggerRun(run.trigger_run_id)} copy={false} />
        <Time iso={run.claimed_at ?? run.executed_at} clock />
      </li>
      {run.event_ids.slice(0, SHOWN).map((id) => (
        <li key={id}>
          Event <Code model={model} id={id} />
          <Id value={id} href={links.event(id)} copy={false} />
        </li>
      ))}
      {run.source_invocation_ids.slice(0, SHOWN).map((id) => (
        <li key={id}>
          Invocation <Id value={id} href={links.invocation(id)} copy={false} />
        </li>
      ))}
    </ul>
  );
}

function Code({ model, id }: Part & { id: string }) {
  const summary = model.source_event_summaries[id];
  return summary !== undefined && "event_code" in summary ? <bdi>{visibleLine(summary.event_code)}</bdi> : null;
}

function Emitted({ event }: { event: EmittedEvent }) {
  const links = useLinks();
  return (
    <li>
      <a href={links.event(event.event_id)}>
        <bdi>{visibleLine(event.event_code) || "(empty)"}</bdi>
      </a>
      <Time iso={event.timestamp} clock />
      <span class="muted">
        {event.triggered ? "started an invocation" : event.matched ? "met a condition" : "met no condition"}
      </span>
    </li>
  );
}

function Caused({ run }: { run: RunOfInvocation }) {
  const links = useLinks();
  const started = run.triggered_invocation_id;
  return (
    <li>
      <Id value={run.trigger_run_id} href={links.triggerRun(run.trigger_run_id)} copy={false} />
      <TaskName task_id_key={run.task_id_key} />
      {started !== null && <Id value={started} href={links.invocation(started)} copy={false} />}
    </li>
  );
}

function Entry({ entry }: { entry: HistoryEntry }) {
  return (
    <li>
      <StatusBadge status={entry.status} />
      <Time iso={entry.timestamp} clock />
      {entry.across_clocks && <span class="muted">{ACROSS_CLOCKS}</span>}
      {entry.seconds_since_previous !== null && (
        <span class="muted">
          after <Duration seconds={entry.seconds_since_previous} />
        </span>
      )}
      {entry.runner !== null && <NamedRunner name={entry.runner} />}
    </li>
  );
}
