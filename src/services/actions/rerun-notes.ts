/**
 * Notes on what pynenc itself would do with calls that are registered again. Registration control is usually set in code, but only configuration files
 * and variables can be read.
 */
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { counted } from "../../pynenc/numbers.ts";
import { epochFromIso, utcText } from "../../pynenc/time.ts";
import type { Rerun } from "../../stores/ports/actions.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";

/** Calls of one task that would be registered. */
interface CallsOfTask {
  task: string;
  calls: number;
  /** Another invocation of this call that already waits, or null. */
  waiting: string | null;
}

const TASKS_NAMED = 5;

/** Successes of the same call, newest first, of which one that came later is looked for. */
const SUCCESSES_READ = 100;

/** Old invocations, and events and trigger runs of these, that are read. */
const EFFECTS_READ = 500;

/** Event codes that are named. */
const CODES_NAMED = 3;

/** Sentences about what the old runs emitted and started through triggers, which the new ones may do again. Four reads at most. */
export async function effectNotes({ trigger, layout }: AppReads, invocationIds: readonly string[]): Promise<string[]> {
  if (!(await layout.capabilities()).events) return [];
  const ids = invocationIds.slice(0, EFFECTS_READ);
  const [events, caused] = await Promise.all([
    trigger.eventsEmittedBy(ids, EFFECTS_READ),
    trigger.triggerRunsOf("source_invocation", ids, EFFECTS_READ),
  ]);
  const eventIds = events.map(({ event_id }) => event_id);
  const [started, byEvents] =
    eventIds.length === 0
      ? [[], []]
      : await Promise.all([
          trigger.triggeredBy(eventIds, EFFECTS_READ),
          trigger.triggerRunsOf("event", eventIds, EFFECTS_READ),
        ]);
  const ofEvents = new Set(byEvents.map(({ trigger_run_id }) => trigger_run_id));
  const ofStatuses = new Set(caused.map(({ trigger_run_id }) => trigger_run_id).filter((id) => !ofEvents.has(id)));
  const old = invocationIds.length === 1 ? "The old run" : "The old runs";
  const more = invocationIds.length > ids.length;
  const atLeast = (n: number) => (more || n >= EFFECTS_READ ? "at least " : "");
  const notes: string[] = [];
  if (events.length > 0) {
    const codes = [...new Set(events.map(({ event_code }) => event_code))];
    const named = `${codes.slice(0, CODES_NAMED).join(", ")}${codes.length > CODES_NAMED ? ", …" : ""}`;
    const invocations = new Set(started.map(({ invocation_id }) => invocation_id)).size;
    const work =
      invocations === 0 ? "" : `, which started ${atLeast(started.length)}${counted(invocations, "invocation")}`;
    notes.push(
      `${old} emitted ${atLeast(events.length)}${counted(events.length, "event")} (${named})${work}. A new run may emit them again.`,
    );
  }
  if (ofStatuses.size > 0) {
    notes.push(
      `${old} caused ${atLeast(caused.length)}${counted(ofStatuses.size, "trigger run")} by status, result or exception. A new run may cause such runs again.`,
    );
  }
  return notes;
}

/** Sentences about waiting calls that pynenc would, or might, return instead of registering new ones. */
export function reuseNotes({ settings }: Pick<OpenedApp, "settings">, reruns: readonly Rerun[]): string[] {
  const several = callsByTask(reruns).filter(({ calls, waiting }) => calls > 1 || waiting !== null);
  const undecided: CallsOfTask[] = [];
  const notes: string[] = [];
  for (const of of several) {
    const setting = settings.ofTask(of.task, "registration_concurrency");
    const mode = String(setting?.value ?? "").toLowerCase();
    if (setting === null) undecided.push(of);
    else if (mode === "task" || mode === "keys") {
      notes.push(`${insteadOf(of, mode)}: registration_concurrency of the task is ${mode} (${setting.origin}).`);
    }
  }
  return undecided.length === 0 ? notes : [...notes, undecidedNote(undecided)];
}

/** A sentence about the newest success of the same call after this one ended; none where no index finds the invocations of a call. */
export async function laterSuccessNotes(
  { orchestrator }: Pick<AppReads, "orchestrator">,
  { call_id_key, status_at, final }: Pick<InvocationRow, "call_id_key" | "status_at" | "final">,
): Promise<string[]> {
  const ended = epochFromIso(status_at ?? "");
  if (!final || ended === null || call_id_key === null || !(await orchestrator.isIndexed({ call_id_key }))) return [];
  const succeeded = await orchestrator.listInvocations(
    { call_id_key, statuses: ["success"] },
    { limit: SUCCESSES_READ, offset: 0 },
  );
  const later = succeeded.find(({ status_timestamp }) => status_timestamp > ended);
  if (later === undefined) return [];
  return [`The same call has succeeded since: ${later.invocation_id} at ${utcText(later.status_timestamp)}.`];
}

function callsByTask(reruns: readonly Rerun[]): CallsOfTask[] {
  const tasks = new Map<string, CallsOfTask>();
  for (const { task_id_key: task, refusal, control, waiting_of_task: waiting } of reruns) {
    if (task === null || refusal !== null || control === "none_at_registration") continue;
    const known = tasks.get(task);
    if (known === undefined) tasks.set(task, { task, calls: 1, waiting });
    else known.calls++;
  }
  return [...tasks.values()];
}

function insteadOf({ task, calls, waiting }: CallsOfTask, mode: "task" | "keys"): string {
  const keys = mode === "keys" ? " with the same key arguments" : "";
  if (calls > 1)
    return `pynenc itself would keep one waiting call of ${task}${keys} and not register ${counted(calls, "call")}`;
  return `pynenc itself would return ${waiting}, which is already waiting, and not register another call of ${task}${keys}`;
}

function undecidedNote(tasks: readonly CallsOfTask[]): string {
  const control = "If its registration_concurrency is TASK, or KEYS with equal keys, pynenc would";
  const unknown = "The task's setting is not stored.";
  const [first] = tasks;
  if (tasks.length === 1 && first?.calls === 1) {
    return `Another call of ${first.task} is already waiting: ${first.waiting}. ${control} return that one and register nothing. ${unknown}`;
  }
  const named = tasks
    .slice(0, TASKS_NAMED)
    .map(
      ({ task, calls, waiting }) =>
        `${task} (${counted(calls, "call")}${waiting === null ? "" : ", one is already waiting"})`,
    );
  const more = tasks.length - named.length;
  const all = more > 0 ? [...named, counted(more, "more task")] : named;
  return `${control} let only one call of a task wait: ${all.join(", ")}. ${unknown}`;
}
