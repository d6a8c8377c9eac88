import type { FamilyPicture } from "../../src/api/causes.ts";
import type { ParticipantView } from "../../src/api/conditions.ts";
import type { TriggerRunDetail } from "../../src/api/trigger-runs.ts";
import { count, NOTHING, visibleLine } from "../../src/presentation/text.ts";
import { InvocationLink } from "../fragments/invocations/invocation-link.tsx";
import { InvocationTable } from "../fragments/invocations/invocation-table.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { RunnerName } from "../fragments/runners/runner-name.tsx";
import { FamilyPictureCard } from "../fragments/timeline/family-figure.tsx";
import { ConditionWords } from "../fragments/triggers/condition-words.tsx";
import { ContextFacts } from "../fragments/triggers/context-facts.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { type Fact, Facts } from "../fragments/ui/facts.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

/** The page shows the family over time too; the JSON leaves it to its own address. */
export interface TriggerRunPage extends TriggerRunDetail {
  picture?: FamilyPicture | null;
}

interface Part {
  model: TriggerRunDetail;
}

/** One run of a trigger: what it started, and what met its conditions. */
export function TriggerRunContent({ model }: View<TriggerRunPage>) {
  const { participant_views: participants } = model;
  return (
    <>
      <Head model={model} />
      <Notes notes={model.notes} />
      <div class="columns columns-even">
        <Card title="Trigger run">
          <Facts rows={useIdentity(model)} />
        </Card>
        <Card title="Outcome">
          <Facts rows={useOutcome(model)} />
        </Card>
      </div>
      {model.picture != null && <FamilyPictureCard picture={model.picture} />}
      {participants.map((participant, index) => (
        <Participant key={String(index)} view={participant} number={participants.length > 1 ? index + 1 : null} />
      ))}
      <Conditions model={model} />
      {model.sources.length > 0 && (
        <Card title="Source invocations" flush>
          <InvocationTable
            invocations={model.sources}
            caption="Invocations whose status, result or exception took part"
            hide={["owner"]}
            empty={null}
          />
        </Card>
      )}
      <Events model={model} />
    </>
  );
}

function Head({ model }: Part) {
  const links = useLinks();
  const { triggered_invocation: started } = model;
  return (
    <PageHeader
      title={
        <>
          Trigger run of <TaskName task_id_key={model.task_id_key} />
        </>
      }
      trail={[{ label: "Trigger runs", href: links.triggerRuns() }]}
      summary={<Id value={model.trigger_run_id} full />}
      actions={
        <>
          {started !== null && (
            <a class="button" href={links.invocation(started.invocation_id)}>
              Invocation
            </a>
          )}
          {model.trigger_registered && (
            <a class="button" href={links.trigger(model.trigger_id)}>
              Trigger
            </a>
          )}
          {model.timeline !== null && (
            <a class="button" href={links.timeline({ ...model.timeline })}>
              Timeline
            </a>
          )}
          <a class="button" href={links.triggerRunApi(model.trigger_run_id)}>
            JSON
          </a>
        </>
      }
    />
  );
}

function useIdentity(model: TriggerRunDetail): Fact[] {
  const links = useLinks();
  const { atomic_service_run_id: serviceRun, atomic_service_runner: runner } = model;
  const nothing = <span class="muted">{NOTHING}</span>;
  return [
    {
      label: "Trigger",
      value: (
        <span class="with-mark">
          <Id value={model.trigger_id} href={model.trigger_registered ? links.trigger(model.trigger_id) : undefined} />
          {!model.trigger_registered && (
            <span class="mark mark-warn" title="No trigger is registered under this id">
              not registered
            </span>
          )}
        </span>
      ),
    },
    { label: "Task", value: <TaskName task_id_key={model.task_id_key} href={links.task(model.task_id_key)} /> },
    { label: "Logic", value: visibleLine(model.logic_value) },
    { label: "Claimed", value: <Time iso={model.claimed_at} /> },
    { label: "Executed", value: <Time iso={model.executed_at} /> },
    {
      label: "Atomic service run",
      value: serviceRun === null ? nothing : <Id value={serviceRun} href={links.atomicRun(serviceRun)} />,
    },
    {
      label: "By runner",
      value:
        runner === null ? (
          nothing
        ) : (
          <RunnerName
            runner_id={runner.runner_id}
            runner_cls={runner.runner_cls}
            hostname={runner.hostname}
            pid={runner.pid}
            missing={runner.context_missing}
          />
        ),
    },
  ];
}

function useOutcome(model: TriggerRunDetail): Fact[] {
  const links = useLinks();
  const { triggered_invocation: started, events, events_gone, sources } = model;
  const runs = links.triggerRuns({ trigger: model.trigger_id });
  return [
    {
      label: "Started",
      value: started === null ? <span class="muted">nothing recorded</span> : <InvocationLink row={started} />,
    },
    { label: "Participants", value: amountOf(model.participant_views.length) },
    { label: "Source invocations", value: amountOf(sources.length) },
    { label: "Events", value: amountOf(events.length + events_gone.length) },
    { label: "Other runs", value: <a href={runs}>All runs of this trigger</a> },
  ];
}

function amountOf(value: number) {
  return value === 0 ? <span class="muted">none</span> : count(value);
}

function Participant({ view, number }: { view: ParticipantView; number: number | null }) {
  const { condition, context } = view;
  return (
    <Card
      title={number === null ? "What met the condition" : `Participant ${number}`}
      id={`participant-${number ?? 1}`}
      actions={
        context.source === "live" ? (
          <span class="mark mark-info" title="The valid condition is still stored, with all details">
            from the valid condition
          </span>
        ) : (
          <span
            class="mark"
            title="The valid condition was cleared after its triggers ran; these details come from the trigger run and the event"
          >
            from the run's snapshot
          </span>
        )
      }
    >
      <div class="columns columns-even">
        <Facts
          rows={[
            {
              label: "Condition",
              value:
                condition === null ? <span class="muted">not named</span> : <ConditionWords {...wordsOf(condition)} />,
            },
            { label: "Kind", value: visibleLine(context.type ?? NOTHING) },
            { label: "Condition id", value: condition === null ? NOTHING : <Id value={condition.condition_id} full /> },
            { label: "Valid condition", value: <ValidCondition view={view} /> },
          ]}
        />
        <ContextFacts context={context} source={view.source} eventStored={view.event_stored} />
      </div>
    </Card>
  );
}

function wordsOf({ condition_id, sentence, registered }: NonNullable<ParticipantView["condition"]>) {
  return { condition_id, sentence, registered };
}

function ValidCondition({
  view: { valid_condition_id: id, valid_condition_retained: live },
}: {
  view: ParticipantView;
}) {
  const links = useLinks();
  if (id === null) return <span class="muted">not named</span>;
  return <Id value={id} href={live ? links.validCondition(id) : undefined} full />;
}

/** Of records that name conditions and no participants. */
function Conditions({ model: { conditions } }: Part) {
  if (conditions.length === 0) return null;
  return (
    <Card title={`Conditions (${count(conditions.length)})`}>
      <ul class="plain-list">
        {conditions.map((condition) => (
          <li key={condition.condition_id}>
            <ConditionWords {...wordsOf(condition)} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Events({ model: { events, events_gone } }: Part) {
  const links = useLinks();
  if (events.length === 0 && events_gone.length === 0) return null;
  return (
    <Card title={`Related events (${count(events.length + events_gone.length)})`} flush>
      <DataTable
        caption="Events that took part"
        columns={[{ label: "Event", rowHeader: true }, { label: "Code" }, { label: "Emitted" }, { label: "State" }]}
        rows={[
          ...events.map((event) => ({
            key: event.event_id,
            cells: [
              <Id key="id" value={event.event_id} href={links.event(event.event_id)} />,
              <bdi key="code">{visibleLine(event.event_code)}</bdi>,
              <Time key="at" iso={event.timestamp} />,
              stateOf(event),
            ],
          })),
          ...events_gone.map((id) => ({
            key: id,
            cells: [
              <Id key="id" value={id} />,
              <span key="code" class="muted">
                {NOTHING}
              </span>,
              <span key="at" class="muted">
                {NOTHING}
              </span>,
              <span key="state" class="mark mark-warn">
                not stored
              </span>,
            ],
          })),
        ]}
        empty={null}
      />
    </Card>
  );
}

function stateOf({ triggered, matched }: TriggerRunDetail["events"][number]): string {
  return triggered ? "started an invocation" : matched ? "met a condition" : "recorded";
}
