import type { CountedReference, ReferenceGroup } from "../../../src/api/logs.ts";
import { count, visibleLine } from "../../../src/presentation/text.ts";
import { thingHref } from "../../../src/presentation/thing-links.ts";
import { useLinks } from "../../links.ts";
import { StatusBadge } from "../invocations/status-badge.tsx";
import { TaskName } from "../invocations/task-name.tsx";
import { Id } from "../ui/id.tsx";
import { KIND_TITLES } from "./log-words.ts";

/** Everything that a log names, by kind, with the number of entries that do. `form` is the id of the form that filters. */
export function LogReferences({ groups, form }: { groups: readonly ReferenceGroup[]; form: string }) {
  return (
    <>
      {groups.map((group) => (
        <details key={group.kind} class="log-group">
          <summary>
            <span>
              {KIND_TITLES[group.kind]} <span class="number">{count(group.count)}</span>
              {group.unknown > 0 && <span class="muted">, {count(group.unknown)} not in this app</span>}
            </span>
          </summary>
          <ul class="stack">
            {group.references.map((one) => (
              <Reference key={one.id} reference={one} form={form} />
            ))}
          </ul>
          {group.count > group.references.length && (
            <p class="muted">
              The {count(group.references.length)} named most often; {count(group.count - group.references.length)}{" "}
              more.
            </p>
          )}
        </details>
      ))}
    </>
  );
}

function Reference({ reference, form }: { reference: CountedReference; form: string }) {
  const links = useLinks();
  const { kind, id, state, status, task_id_key, detail, candidates, entries } = reference;
  const href = state === "known" || state === "unchecked" ? thingHref(links, reference) : undefined;
  return (
    <li class="log-item stack">
      <span class="row apart">
        {kind === "task" ? (
          <TaskName task_id_key={id} href={href} />
        ) : (
          <Id value={id} href={href} copy={state !== "ambiguous"} />
        )}
        <button class="button quiet" type="submit" form={form} name="reference" value={`${kind}:${id}`}>
          {count(entries)} {entries === 1 ? "entry" : "entries"}
        </button>
      </span>
      <span class="row">
        {task_id_key !== null && kind !== "task" && (
          <TaskName task_id_key={task_id_key} href={links.task(task_id_key)} />
        )}
        {status !== null && <StatusBadge status={status} />}
        {detail !== null && <bdi class="muted">{visibleLine(detail)}</bdi>}
        {state === "unknown" && <span class="mark">not in this app</span>}
        {state === "ambiguous" && <span class="mark mark-warn">one of {count(candidates.length)} or more</span>}
      </span>
      {candidates.map((one) => (
        <Id key={one} value={one} href={links.runner(one)} />
      ))}
    </li>
  );
}
