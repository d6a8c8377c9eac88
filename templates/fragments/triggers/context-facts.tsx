import type { ContextView } from "../../../src/api/conditions.ts";
import type { InvocationRow } from "../../../src/api/model/invocation-rows.ts";
import { visible, visibleLine } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { InvocationLink } from "../invocations/invocation-link.tsx";
import { StatusBadge } from "../invocations/status-badge.tsx";
import { TaskName } from "../invocations/task-name.tsx";
import { type Fact, Facts } from "../ui/facts.tsx";
import { Id } from "../ui/id.tsx";
import { Time } from "../ui/time.tsx";
import { ArgumentsList } from "../values/arguments-list.tsx";
import { ShownValueView } from "../values/shown-value.tsx";

export interface ContextFactsProps {
  context: ContextView;
  /** The invocation that met the condition. */
  source: InvocationRow | null;
  /** The event has a page. */
  eventStored: boolean;
}

/** What met a condition: event, status, result, exception or time, as far as it is still known. */
export function ContextFacts({ context, source, eventStored }: ContextFactsProps) {
  return <Facts rows={useContextFacts(context, source, eventStored)} />;
}

function useContextFacts(context: ContextView, source: InvocationRow | null, eventStored: boolean): Fact[] {
  const links = useLinks();
  const facts: Fact[] = [];
  const add = (label: string, value: Fact["value"] | null) => {
    if (value !== null) facts.push({ label, value });
  };
  const { event_id: event, event_code: code, invocation_id: invocation, emitted_by_invocation_id: emitter } = context;
  add("Event code", code === null ? null : <a href={links.events({ event_code: code })}>{visibleLine(code)}</a>);
  add(
    "Event",
    event === null ? null : (
      <span class="with-mark">
        <Id value={event} href={eventStored ? links.event(event) : undefined} />
        {!eventStored && <span class="mark mark-warn">not stored</span>}
      </span>
    ),
  );
  add("Emitted by", emitter === null ? null : <Id value={emitter} href={links.invocation(emitter)} />);
  if (source !== null) add("Invocation", <InvocationLink row={source} />);
  else if (invocation !== null) add("Invocation", <Id value={invocation} href={links.invocation(invocation)} />);
  if (source?.task_id_key !== context.task_id_key) {
    add("Task", context.task_id_key === null ? null : <TaskName task_id_key={context.task_id_key} />);
  }
  add("Status then", context.status === null ? null : <StatusBadge status={context.status} />);
  add(
    "Exception",
    context.exception_type === null ? null : (
      <span class="cell-text">
        <bdi class="mono">{visibleLine(context.exception_type)}</bdi>
        {context.exception_message !== null && `: ${visible(context.exception_message)}`}
      </span>
    ),
  );
  add("Last execution", context.last_execution === null ? null : <Time iso={context.last_execution} />);
  add("Result", context.result === null ? null : <ShownValueView value={context.result} />);
  add("Payload", context.payload === null ? null : <Named values={context.payload} none="Without payload." />);
  add("Arguments", context.arguments === null ? null : <Named values={context.arguments} none="Without arguments." />);
  add(
    context.type === "CronContext" ? "Checked at" : "At",
    <span class="with-mark">
      <Time iso={context.timestamp} />
      {context.timestamp_is_local && (
        <span class="mark mark-warn" title="pynenc before 0.2.4 stored this time without a time zone">
          local time of the writer
        </span>
      )}
    </span>,
  );
  return facts;
}

function Named({ values, none }: { values: NonNullable<ContextView["payload"]>; none: string }) {
  if (values.length === 0) return <span class="muted">{none}</span>;
  return <ArgumentsList values={values} unreadable={null} stored />;
}
