import type { ComponentChildren } from "preact";
import type { EmittedEvent, RunOfInvocation, TriggerContext } from "../../../src/api/invocations.ts";
import { count, NOTHING, visibleLine } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { Card } from "../ui/card.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Id } from "../ui/id.tsx";
import { Time } from "../ui/time.tsx";
import { InvocationStatus } from "./invocation-table.tsx";
import { TaskName } from "./task-name.tsx";

interface Part {
  context: TriggerContext;
}

/** What started an invocation and what it set off, through events and triggers. */
export function InvocationTriggers({ context }: Part) {
  const { events_recorded, triggered_by, emitted_events, triggered_runs_caused } = context;
  if (!events_recorded) {
    return (
      <Card title="Triggers">
        <p class="muted">This layout is older than 0.2.4: it records neither events nor trigger runs.</p>
      </Card>
    );
  }
  if (triggered_by === null && emitted_events.length === 0 && triggered_runs_caused.length === 0) {
    return (
      <Card title="Triggers">
        <p class="muted">No trigger started it, it emitted no event, and no trigger run names it as a cause.</p>
      </Card>
    );
  }
  return (
    <>
      {triggered_by !== null && <TriggeredBy context={context} run={triggered_by} />}
      {emitted_events.length > 0 && <Emitted context={context} />}
      {triggered_runs_caused.length > 0 && <Caused context={context} />}
    </>
  );
}

function TriggeredBy({ context, run }: Part & { run: RunOfInvocation }) {
  const links = useLinks();
  return (
    <Card title="Triggered by" flush>
      <DataTable
        caption="What took part in the trigger run that started this invocation"
        columns={[
          { label: "Trigger run", rowHeader: true },
          { label: "Cause" },
          { label: "Details" },
          { label: "Time", zoned: true },
        ]}
        rows={participantsOf(run).map((participant, index) => ({
          key: String(index),
          cells: [
            index === 0 ? (
              <Id key="run" value={run.trigger_run_id} href={links.triggerRun(run.trigger_run_id)} />
            ) : (
              <span key="run" class="muted">
                same
              </span>
            ),
            <Participant key="cause" context={context} participant={participant} />,
            <span key="summary" class="cell-text">
              {visibleLine(participant.context_summary) || NOTHING}
            </span>,
            <Time key="at" iso={participant.context_timestamp} />,
          ],
        }))}
        empty={null}
      />
    </Card>
  );
}

type Participant = Pick<
  RunOfInvocation["participants"][number],
  "event_id" | "source_invocation_id" | "context_summary" | "context_timestamp" | "context_type"
>;

/** Rows for one card: a run with more participants shows them on its own page. */
const PARTICIPANTS_SHOWN = 20;

/** Old records name events and invocations and no participants; a run that names nothing still has its line. */
function participantsOf(run: RunOfInvocation): Participant[] {
  if (run.participants.length > 0) return run.participants.slice(0, PARTICIPANTS_SHOWN);
  const nothing = { context_type: null, context_summary: "", context_timestamp: null };
  const named = [
    ...run.event_ids.map((event_id) => ({ ...nothing, event_id, source_invocation_id: null })),
    ...run.source_invocation_ids.map((id) => ({ ...nothing, event_id: null, source_invocation_id: id })),
  ];
  return named.length > 0
    ? named.slice(0, PARTICIPANTS_SHOWN)
    : [{ ...nothing, event_id: null, source_invocation_id: null }];
}

function Participant({ context, participant }: Part & { participant: Participant }) {
  const { event_id: event, source_invocation_id: source, context_type } = participant;
  if (source !== null) return <Invocation context={context} id={source} />;
  if (event !== null) return <Event context={context} id={event} />;
  return <span class="muted">{context_type === "CronContext" ? "a schedule" : "not named"}</span>;
}

/** An event with its code, linked while it is stored. */
function Event({ context, id }: Part & { id: string }) {
  const links = useLinks();
  const summary = context.source_event_summaries[id];
  const stored = summary !== undefined && "event_code" in summary;
  return (
    <span class="with-mark">
      {stored && <bdi>{visibleLine(summary.event_code)}</bdi>}
      <Id value={id} href={stored ? links.event(id) : undefined} copy={false} />
    </span>
  );
}

/** An invocation with task and status, as far as they are known. */
function Invocation({ context, id }: Part & { id: string }) {
  const links = useLinks();
  const summary = context.source_inv_summaries[id];
  const known = summary !== undefined && "status" in summary;
  return (
    <span class="invocation-link">
      <Id value={id} href={known ? links.invocation(id) : undefined} copy={false} />
      {known && summary.task_id_key !== null && <TaskName task_id_key={summary.task_id_key} />}
      {known && <InvocationStatus row={summary} />}
    </span>
  );
}

/** `12`, or `200+` of a list that was cut. */
function total(list: readonly unknown[], truncated: boolean): string {
  return `${count(list.length)}${truncated ? "+" : ""}`;
}

function Emitted({ context }: Part) {
  const links = useLinks();
  const { emitted_events: events, emitted_events_truncated: cut } = context;
  return (
    <Card title={`Events emitted (${total(events, cut)})`} flush>
      <Cut shown={events.length} cut={cut} what="events" />
      <DataTable
        caption="Events that this invocation emitted, oldest first"
        columns={[
          { label: "Event", rowHeader: true },
          { label: "Code" },
          { label: "Time", zoned: true },
          { label: "Outcome" },
          { label: "Invocations started" },
        ]}
        rows={events.map((event) => ({
          key: event.event_id,
          cells: [
            <Id key="id" value={event.event_id} href={links.event(event.event_id)} />,
            <bdi key="code">{visibleLine(event.event_code)}</bdi>,
            <Time key="at" iso={event.timestamp} />,
            <Outcome key="outcome" event={event} />,
            <Started key="started" context={context} ids={event.triggered_invocation_ids} />,
          ],
        }))}
        empty={null}
      />
    </Card>
  );
}

function Outcome({ event }: { event: EmittedEvent }): ComponentChildren {
  if (event.triggered) return "started an invocation";
  if (event.matched) return "met a condition";
  return <span class="muted">met no condition</span>;
}

const STARTED_SHOWN = 3;

function Started({ context, ids }: Part & { ids: readonly string[] }) {
  const more = ids.length - STARTED_SHOWN;
  if (ids.length === 0) return <span class="muted">{NOTHING}</span>;
  return (
    <ul class="plain-list">
      {ids.slice(0, STARTED_SHOWN).map((id) => (
        <li key={id}>
          <Invocation context={context} id={id} />
        </li>
      ))}
      {more > 0 && <li class="muted">and {count(more)} more</li>}
    </ul>
  );
}

function Caused({ context }: Part) {
  const links = useLinks();
  const { triggered_runs_caused: runs, triggered_runs_truncated: cut } = context;
  return (
    <Card title={`Trigger runs caused (${total(runs, cut)})`} flush>
      <Cut shown={runs.length} cut={cut} what="trigger runs" />
      <DataTable
        caption="Trigger runs in which this invocation's status, result or exception took part"
        columns={[
          { label: "Trigger run", rowHeader: true },
          { label: "Task", hint: "The task that the run started" },
          { label: "Invocation", hint: "What the run started" },
          { label: "Executed", zoned: true },
        ]}
        rows={runs.map((run) => ({
          key: run.trigger_run_id,
          cells: [
            <Id key="run" value={run.trigger_run_id} href={links.triggerRun(run.trigger_run_id)} />,
            <TaskName key="task" task_id_key={run.task_id_key} href={links.task(run.task_id_key)} />,
            run.triggered_invocation_id === null ? (
              <span key="started" class="muted">
                {NOTHING}
              </span>
            ) : (
              <Invocation key="started" context={context} id={run.triggered_invocation_id} />
            ),
            <Time key="at" iso={run.executed_at ?? run.claimed_at} />,
          ],
        }))}
        empty={null}
      />
    </Card>
  );
}

function Cut({ shown, cut, what }: { shown: number; cut: boolean; what: string }) {
  if (!cut) return null;
  return (
    <p class="card-foot">
      Only the first {count(shown)} {what} are shown; more follow.
    </p>
  );
}
