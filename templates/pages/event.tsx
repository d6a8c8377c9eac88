import type { FamilyPicture } from "../../src/api/causes.ts";
import type { EventCounts, EventDetail } from "../../src/api/events.ts";
import { count, NOTHING, visibleLine } from "../../src/presentation/text.ts";
import type { EventFacts } from "../../src/services/triggers/event-detail.ts";
import { VerdictsHere } from "../fragments/health/verdicts.tsx";
import { InvocationLink } from "../fragments/invocations/invocation-link.tsx";
import { InvocationTable } from "../fragments/invocations/invocation-table.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { RunnerName } from "../fragments/runners/runner-name.tsx";
import { EventsOverTime } from "../fragments/stats/events-over-time.tsx";
import { FamilyPictureCard } from "../fragments/timeline/family-figure.tsx";
import { PendingTable } from "../fragments/triggers/pending-table.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { type Fact, Facts } from "../fragments/ui/facts.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { ArgumentsList } from "../fragments/values/arguments-list.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View, WithVerdicts } from "./view.ts";

/** The JSON has the chains of the event, and leaves the picture of them to its own address. */
export interface EventPage extends EventFacts {
  picture?: FamilyPicture | null;
}

interface Part {
  model: EventFacts;
}

/** One event: what it carried, what it met, what it caused, and what led to it. */
export function EventContent({ model }: View<WithVerdicts<EventPage>>) {
  return (
    <>
      <Head model={model} />
      <VerdictsHere of={model} />
      <Notes notes={model.notes} tone="warn" />
      <div class="columns columns-even">
        <Card title="Event">
          <Facts rows={useEventFacts(model)} />
        </Card>
        <Card title="Payload">
          {model.payload_too_large !== null ? (
            <p class="muted">The payload has {count(model.payload_too_large)} bytes: too large to show.</p>
          ) : model.payload.length === 0 ? (
            <p class="muted">Emitted without a payload.</p>
          ) : (
            <ArgumentsList values={model.payload} unreadable={null} stored />
          )}
        </Card>
      </div>
      {model.around !== null && <Around model={model} counts={model.around} />}
      <Family model={model} />
      <Pending model={model} />
      <Conditions model={model} />
      <TriggerRuns model={model} />
      {model.triggered && <Triggered model={model} />}
    </>
  );
}

function Around({ model: { event_code }, counts }: Part & { counts: EventCounts }) {
  const links = useLinks();
  return (
    <EventsOverTime
      label="Events of this code, from twelve hours before to twelve hours after"
      events={counts}
      href={(range) => links.events({ event_code, ...range })}
    />
  );
}

function Head({ model }: Part) {
  const links = useLinks();
  return (
    <PageHeader
      title={<bdi>{visibleLine(model.event_code) || "(empty)"}</bdi>}
      trail={[{ label: "Events", href: links.events() }]}
      summary={<Id value={model.event_id} full />}
      actions={
        <>
          <a class="button" href={links.events({ event_code: model.event_code })}>
            Events of this code
          </a>
          {model.timeline !== null && (
            <a class="button" href={links.timeline({ ...model.timeline })}>
              Timeline
            </a>
          )}
          <a class="button" href={links.eventApi(model.event_id)}>
            JSON
          </a>
        </>
      }
    >
      {model.matched ? (
        <span class="mark mark-info">met a condition</span>
      ) : (
        <span
          class="mark"
          title="Its record names no condition: none was registered for it, or none accepted its payload"
        >
          met no condition
        </span>
      )}
      {model.triggered && <span class="mark mark-good">started an invocation</span>}
      {waitingConditions(model) > 0 && (
        <span class="mark mark-warn" title="A condition that it met has a trigger that has not run yet">
          a trigger is waiting
        </span>
      )}
    </PageHeader>
  );
}

function useEventFacts(model: EventFacts): Fact[] {
  const links = useLinks();
  const { emitter, emitter_runner: runner, emitted_by_task_id: task } = model;
  const nothing = <span class="muted">{NOTHING}</span>;
  return [
    { label: "Time", value: <Time iso={model.timestamp} /> },
    { label: "Event code", value: <bdi class="event-code">{visibleLine(model.event_code) || "(empty)"}</bdi> },
    {
      label: "Emitted by",
      value:
        emitter === null ? (
          <span class="muted">external: code outside any invocation</span>
        ) : (
          <InvocationLink row={emitter} />
        ),
    },
    // The emitter names its task, unless it is gone.
    ...(task === null || task === emitter?.task_id_key
      ? []
      : [{ label: "Emitter's task", value: <TaskName task_id_key={task} href={links.task(task)} /> }]),
    { label: "Emitter's runner", value: runner === null ? nothing : <Runner runner={runner} /> },
  ];
}

function Runner({ runner: { context_missing, ...runner } }: { runner: NonNullable<EventDetail["emitter_runner"]> }) {
  return <RunnerName {...runner} missing={context_missing} />;
}

/** Conditions that it met and for which a trigger is still to run. */
function waitingConditions({ pending }: EventFacts): number {
  return pending.filter(({ triggers }) => triggers.some(({ state }) => state !== "ran")).length;
}

function Pending({ model: { pending } }: Part) {
  if (pending.length === 0) return null;
  return (
    <Card title={`Met conditions still stored (${count(pending.length)})`} id="card-pending" flush>
      <PendingTable rows={pending} caption="Conditions that the event met and that are still stored" hide={["cause"]} />
    </Card>
  );
}

/** What led to it and what it caused. */
function Family({ model }: { model: EventPage }) {
  const { event_id, picture } = model;
  if (picture == null) return null;
  const caused = picture.edges.some((edge) => edge.from_kind === "event" && edge.from === event_id);
  const nothing =
    waitingConditions(model) > 0
      ? "It caused nothing yet: the conditions it met are waiting for their triggers, as shown below."
      : "No trigger run or invocation is recorded for it.";
  return <FamilyPictureCard picture={picture} note={caused ? undefined : nothing} />;
}

function Conditions({ model: { conditions, event_code } }: Part) {
  const links = useLinks();
  return (
    <Card title="Conditions" flush={conditions.length > 0}>
      <DataTable
        caption="Conditions on events of this code"
        columns={[
          { label: "Condition", rowHeader: true },
          { label: "Matched" },
          { label: "Condition id" },
          { label: "Valid condition", hint: "The record of this match" },
        ]}
        rows={conditions.map((condition) => ({
          key: condition.condition_id,
          cells: [
            <span key="words" class="cell-text">
              {condition.known ? visibleLine(condition.sentence) : <span class="muted">no definition is stored</span>}
            </span>,
            condition.matched ? (
              <span key="matched" class="mark mark-good">
                matched
              </span>
            ) : (
              <span
                key="matched"
                class="mark"
                title="Registered now; it did not accept the event, or was registered later"
              >
                not matched
              </span>
            ),
            <Id
              key="id"
              value={condition.condition_id}
              href={condition.known ? links.condition(condition.condition_id) : undefined}
            />,
            condition.valid_condition_id === null ? (
              <span key="valid" class="muted">
                {NOTHING}
              </span>
            ) : (
              <Id
                key="valid"
                value={condition.valid_condition_id}
                href={
                  condition.valid_condition_retained ? links.validCondition(condition.valid_condition_id) : undefined
                }
              />
            ),
          ],
        }))}
        empty={
          <p class="muted">
            No registered trigger listens to <bdi class="event-code">{visibleLine(event_code)}</bdi>.
          </p>
        }
      />
    </Card>
  );
}

function TriggerRuns({ model: { trigger_runs, trigger_runs_truncated } }: Part) {
  const links = useLinks();
  return (
    <Card
      title="Trigger runs"
      flush={trigger_runs.length > 0}
      actions={trigger_runs_truncated && <span class="muted">the first {count(trigger_runs.length)}</span>}
    >
      <DataTable
        caption="Trigger runs in which the event took part"
        columns={[
          { label: "Trigger run", rowHeader: true },
          { label: "Task", hint: "The task that was started" },
          { label: "Logic", hint: "Whether all conditions must be met, or any one" },
          { label: "Trigger" },
          { label: "Executed" },
          { label: "Invocation", hint: "The invocation that was started" },
        ]}
        rows={trigger_runs.map((run) => ({
          key: run.trigger_run_id,
          cells: [
            <Id key="run" value={run.trigger_run_id} href={links.triggerRun(run.trigger_run_id)} />,
            <TaskName key="task" task_id_key={run.task_id_key} href={links.task(run.task_id_key)} />,
            visibleLine(run.logic_value),
            <Id key="trigger" value={run.trigger_id} href={links.trigger(run.trigger_id)} copy={false} />,
            <Time key="time" iso={run.executed_at ?? run.claimed_at} relative />,
            run.triggered_invocation_id === null ? (
              <span key="invocation" class="muted">
                none
              </span>
            ) : (
              <Id
                key="invocation"
                value={run.triggered_invocation_id}
                href={links.invocation(run.triggered_invocation_id)}
                copy={false}
              />
            ),
          ],
        }))}
        empty={<p class="muted">The event took part in no trigger run.</p>}
      />
    </Card>
  );
}

function Triggered({ model }: Part) {
  const { triggered_invocations: rows, triggered_invocations_count: all, triggered_invocations_capped } = model;
  const total = `${triggered_invocations_capped ? "more than " : ""}${count(all)}`;
  return (
    <Card
      title={`Triggered invocations (${total})`}
      actions={all > rows.length && <span class="muted">the first {count(rows.length)}</span>}
      flush
    >
      <InvocationTable invocations={rows} caption="Invocations that the event helped to start" empty={null} />
    </Card>
  );
}
