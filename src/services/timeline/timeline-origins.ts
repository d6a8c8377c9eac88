/** What started the invocations of a timeline, in a few words: the lanes of `group=cause`. */
import type { RunCause } from "../../api/model/trigger-objects.ts";
import type { InvocationRecord } from "../../pynenc/records.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { TrackedInvocation } from "../../timeline/histories.ts";
import { causesOf } from "../model/run-causes.ts";

/** Trigger runs and events read; what others started has no cause that is known. */
const MOST_READ = 2_000;

/**
 * As a family has it: the parent, otherwise the trigger run that started it, otherwise the event that its definition names. At most four reads.
 *
 * @param definitions of all that are stored.
 */
export async function withOrigins(
  reads: AppReads,
  tracked: readonly TrackedInvocation[],
  definitions: readonly InvocationRecord[],
): Promise<TrackedInvocation[]> {
  const parents = new Set(definitions.flatMap((row) => row.parent_invocation_id ?? []));
  const orphans = definitions.filter((row) => row.parent_invocation_id === null);
  const [tasks, links, events] = await Promise.all([
    reads.state_backend.tasksOf([...parents]),
    reads.trigger.triggerRunsOf(
      "triggered_invocation",
      orphans.map((row) => row.invocation_id),
      MOST_READ,
    ),
    reads.trigger.eventsByIds([...new Set(orphans.flatMap((row) => row.parent_event_id ?? []))].slice(0, MOST_READ), 0),
  ]);
  const runs = await reads.trigger.triggerRunsByIds([...new Set(links.map((link) => link.trigger_run_id))]);
  const taskOf = new Map(tasks.map((row) => [row.invocation_id, row.task_id_key]));
  const codeOf = new Map(events.map((event) => [event.event_id, event.event_code]));
  const causeOf = new Map(runs.map((run) => [run.trigger_run_id, causesOf(run)[0]]));
  const runOf = new Map(links.map((link) => [link.of, link.trigger_run_id]));
  const definitionOf = new Map(definitions.map((row) => [row.invocation_id, row]));
  const originOf = (id: string): string => {
    const definition = definitionOf.get(id);
    if (definition === undefined) return "definition not stored";
    const { parent_invocation_id: parent, parent_event_id: event } = definition;
    if (parent !== null) return `called by ${taskOf.get(parent) ?? "an invocation that is not stored"}`;
    const cause = causeOf.get(runOf.get(id) ?? "");
    if (cause !== undefined) return causeWords(cause);
    return event === null ? "no cause stored" : eventWords(codeOf.get(event));
  };
  return tracked.map((one) => ({ ...one, origin: originOf(one.invocation_id) }));
}

function causeWords({ kind, event_code, task_id_key }: RunCause): string {
  if (kind === "event") return eventWords(event_code);
  if (kind === "cron") return "schedule";
  return `${kind ?? "trigger"} of ${task_id_key ?? "a task that is not stored"}`;
}

function eventWords(code: string | null | undefined): string {
  return code == null ? "event that is not stored" : `event ${code}`;
}
