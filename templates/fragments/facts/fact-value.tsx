import type { ComponentChildren } from "preact";
import { type FactValue, isAbsent, targetHref } from "../../../src/presentation/facts/fact.ts";
import { markedParts } from "../../../src/presentation/invocation-filters.ts";
import { count, NOTHING, visible, visibleLine } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { InvocationLink } from "../invocations/invocation-link.tsx";
import { InvocationStatus } from "../invocations/invocation-status.tsx";
import { StatusBadge } from "../invocations/status-badge.tsx";
import { TaskName } from "../invocations/task-name.tsx";
import { Count } from "../ui/count.tsx";
import { Duration } from "../ui/duration.tsx";
import { Id } from "../ui/id.tsx";
import { Time } from "../ui/time.tsx";
import { ArgumentsList } from "../values/arguments-list.tsx";
import { ShownValueView } from "../values/shown-value.tsx";
import { RunnerName } from "./runner-name.tsx";

export interface FactValueProps {
  value: FactValue;
  /** A cell of a table: times are ages, and texts wrap. */
  cell?: boolean;
  /** False leaves copy buttons out. */
  copy?: boolean;
  /** Why there is no value, if there is none. */
  without?: string | undefined;
}

/** A value of any kind, as pages, panels and bundles show it. */
export function FactValueView({ value, cell = false, copy = true, without }: FactValueProps): ComponentChildren {
  const links = useLinks();
  const linked = (words: ComponentChildren, to: Parameters<typeof targetHref>[1] | null | undefined) =>
    to == null ? words : <a href={targetHref(links, to)}>{words}</a>;
  if (value === null || (without !== undefined && isAbsent(value))) return <Unknown why={without} />;
  if (typeof value === "string") return <Text value={{ text: value }} cell={cell} />;
  if ("text" in value) return linked(<Text value={value} cell={cell} />, value.to);
  if ("mark" in value) {
    return linked(
      <span class={value.tone === undefined ? "mark" : `mark mark-${value.tone}`} title={value.hint}>
        {visibleLine(value.mark) || "(empty)"}
      </span>,
      value.to,
    );
  }
  if ("time" in value) {
    const relative = cell && !value.of_day && (value.due ? "due" : true);
    return <Time iso={value.time} relative={relative} clock={value.of_day} />;
  }
  if ("seconds" in value) return <Duration seconds={value.seconds} atLeast={value.at_least} />;
  if ("count" in value) return linked(<Count value={value.count} capped={value.capped} />, value.to);
  if ("id" in value) {
    const href = value.to == null ? undefined : targetHref(links, value.to);
    return <Id value={value.id} href={href} full={value.full} copy={copy} />;
  }
  if ("task" in value) {
    return (
      <TaskName
        task_id_key={value.task}
        href={value.to === null ? undefined : targetHref(links, value.to ?? { kind: "task", id: value.task })}
      />
    );
  }
  if ("call" in value) return <Id value={argumentsIdOf(value.call)} href={links.call(value.call)} copy={copy} />;
  if ("runner" in value) {
    const { runner_id, runner_cls, hostname, pid, context_missing } = value.runner;
    const place = value.short ? {} : { hostname, pid };
    return <RunnerName runner_id={runner_id} runner_cls={runner_cls} missing={context_missing} {...place} />;
  }
  if ("status" in value) return <StatusBadge status={value.status} />;
  if ("status_of" in value) return <InvocationStatus row={value.status_of} />;
  if ("invocation" in value) return <InvocationLink row={value.invocation} copy={copy} />;
  if ("stored" in value) return <ShownValueView value={value.stored} />;
  if ("values" in value) {
    if (value.values.length === 0) return <span class="muted">{value.none}</span>;
    return <ArgumentsList values={value.values} unreadable={null} stored />;
  }
  if ("parts" in value) {
    return (
      <span class="with-mark">
        {value.parts.map((part, index) => (
          <FactValueView key={String(index)} value={part} cell={cell} copy={copy} />
        ))}
      </span>
    );
  }
  const { list, more = 0, all, joint } = value;
  return (
    <ul class="plain-list">
      {list.map((one, index) => (
        <li key={String(index)}>
          {index > 0 && joint !== undefined && <span class="muted">{joint} </span>}
          <FactValueView value={one} cell={cell} copy={copy} />
        </li>
      ))}
      {more > 0 && <li class="muted">{linked(`and ${count(more)} more`, all)}</li>}
    </ul>
  );
}

/** In place of a value that is not known. */
function Unknown({ why = "Not known" }: { why?: string | undefined }) {
  return (
    <span class="muted" title={why}>
      {NOTHING}
    </span>
  );
}

const CLASSES = {
  muted: "muted",
  code: "mono",
  failed: "row-details failed",
  details: "row-details muted",
  event_code: "event-code",
  // Never cut.
  sentence: "cell-text",
} as const;

/** Longer texts may be cut by the width of their column, so their title has all of it. */
const SURELY_WHOLE = 44;
/** Texts of so few characters never wrap in a cell. */
const SHORT = 24;

function Text({
  value: { text, look, hint, marked = [] },
  cell,
}: {
  value: Extract<FactValue, { text: string }>;
  cell: boolean;
}) {
  const shown = ((look === undefined || look === "sentence") && !cell ? visible(text) : visibleLine(text)) || "(empty)";
  const wraps = cell && look !== "sentence" && shown.length > SHORT && "cell-text";
  const name = look === undefined ? wraps : look === "muted" && wraps ? `muted ${wraps}` : CLASSES[look];
  const mayBeCut = wraps || ((look === "details" || look === "failed") && shown.length > SURELY_WHOLE);
  const title = hint ?? (mayBeCut ? shown : undefined);
  if (!name && title === undefined) return <bdi>{shown}</bdi>;
  const parts =
    marked.length === 0
      ? shown
      : markedParts(shown, marked).map(({ text, match }) => (match ? <mark>{text}</mark> : text));
  return (
    <span class={name || undefined} title={title}>
      {look === "muted" ? shown : <bdi>{parts}</bdi>}
    </span>
  );
}

/** It identifies a call within its task. */
function argumentsIdOf(call_id_key: string): string {
  return call_id_key.slice(call_id_key.lastIndexOf(":") + 1);
}
