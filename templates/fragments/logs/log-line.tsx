import type { ComponentChildren } from "preact";
import type { LogLine, LogLineReference, LogLineStatus } from "../../../src/api/logs.ts";
import type { Links } from "../../../src/presentation/links.ts";
import { count, shortId, visible, visibleLine } from "../../../src/presentation/text.ts";
import { thingHref } from "../../../src/presentation/thing-links.ts";
import { statusClass } from "../../assets/status-css.ts";
import { useLinks } from "../../links.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { logReferenceTitle } from "./log-words.ts";

/** One entry of a log: its full text, with everything it names linked in place (client/log-lines.ts highlights both ends). */
export function LogLineView({ line }: { line: LogLine }) {
  return (
    <li class={`log-line log-${line.level ?? "plain"}`} data-line={line.line}>
      <span class="log-number muted" title={line.lines > 1 ? `${count(line.lines)} lines` : undefined}>
        {line.line}
      </span>
      <div class="log-body">
        <p class="log-text">
          <Words line={line} />
        </p>
        <Remarks line={line} />
      </div>
      <Actions line={line} />
    </li>
  );
}

function Words({ line }: { line: LogLine }) {
  const { text, message_start, references, statuses } = line;
  const marks: (LogLineReference | LogLineStatus)[] = [...references, ...statuses].sort((a, b) => a.start - b.start);
  const head: ComponentChildren[] = [];
  const message: ComponentChildren[] = [];
  let at = 0;
  const words = (end: number) => {
    if (at < message_start) head.push(visible(text.slice(at, Math.min(end, message_start))));
    if (end > message_start) message.push(visible(text.slice(Math.max(at, message_start), end)));
    at = end;
  };
  for (const mark of marks) {
    words(mark.start);
    const shown = text.slice(mark.start, mark.end);
    const part = mark.start < message_start ? head : message;
    part.push(
      "kind" in mark ? (
        <Named key={mark.start} reference={mark} shown={shown} />
      ) : (
        <Status key={mark.start} status={mark.status} shown={shown} />
      ),
    );
    at = mark.end;
  }
  words(text.length);
  return (
    <>
      {message_start > 0 && <span class="muted">{head}</span>}
      {message}
    </>
  );
}

function Status({ status, shown }: { status: string; shown: string }) {
  return (
    <span class={`status ${statusClass(status)}`}>
      <span class="status-dot" />
      {visible(shown)}
    </span>
  );
}

/** Known things are links, with the colour of their current status; a shortened id that several runners have offers them all. */
function Named({ reference, shown }: { reference: LogLineReference; shown: string }) {
  const links = useLinks();
  const { kind, id, state, status, candidates } = reference;
  const data = { "data-kind": kind, "data-id": visibleLine(id) === id ? id : undefined };
  const title = logReferenceTitle(reference);
  if (state === "ambiguous") {
    return (
      <details class="log-candidates">
        <summary title="Several runners match this shortened id">{visible(shown)}</summary>
        <span class="log-choices stack">
          {candidates.map((one) => (
            <a key={one} href={links.runner(one)}>
              <bdi>{visibleLine(one)}</bdi>
            </a>
          ))}
        </span>
      </details>
    );
  }
  const dot = status === null ? null : <span class={`status-dot ${statusClass(status)}`} />;
  return state === "unknown" ? (
    <span class="log-unknown" title={title} {...data}>
      {visible(shown)}
    </span>
  ) : (
    <a class="log-reference" href={thingHref(links, reference)} title={title} {...data}>
      {dot}
      {visible(shown)}
    </a>
  );
}

function Remarks({ line: { characters_left_out, marks_cut, zone_assumed, raw } }: { line: LogLine }) {
  const remarks = [
    ...(zone_assumed ? ["no time zone, read as UTC"] : []),
    ...(marks_cut ? ["mentions more ids than are linked here"] : []),
    ...(characters_left_out > 0 ? [`${count(characters_left_out)} more characters are not shown`] : []),
  ];
  return (
    <>
      {remarks.length > 0 && <p class="small">{remarks.join("; ")}</p>}
      {raw !== null && (
        <details>
          <summary>JSON</summary>
          <p class="log-text">{visible(raw)}</p>
        </details>
      )}
    </>
  );
}

/** The subject of the line: the first event, trigger run or invocation in its message, else the invocation that wrote it. */
function subjectOf({ references, message_start }: LogLine): LogLineReference | null {
  const known = references.filter((one) => one.state === "known" && TRACED.includes(one.kind));
  return known.find((one) => one.start >= message_start) ?? known[0] ?? null;
}

const TRACED: readonly string[] = ["event", "trigger_run", "invocation"];

function Actions({ line }: { line: LogLine }) {
  const links = useLinks();
  const subject = subjectOf(line);
  if (subject === null) return <span class="log-actions row small" />;
  const { kind, id } = subject;
  return (
    <span class="log-actions row small">
      <CopyButton text={id} what={`id ${visibleLine(shortId(id))}`} />
      <a href={traceHref(links, subject)} title="What led to it, and what it caused">
        Trace
      </a>
      {kind === "invocation" && (
        <a href={links.family(id)} title="Its callers and the invocations it called">
          Tree
        </a>
      )}
    </span>
  );
}

/** The part of its page with causes and effects. */
function traceHref(links: Links, { kind, id }: LogLineReference): string {
  if (kind === "event") return `${links.event(id)}#card-what-it-caused`;
  return kind === "trigger_run" ? links.triggerRun(id) : `${links.invocation(id)}#card-origin`;
}
