/**
 * Notes on what pynenc itself would do with calls that are registered again. Registration control is usually set in code, but only configuration files
 * and variables can be read.
 */
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { outgoing } from "../../config/masking.ts";
import { EXCEPTION_PART, failedConditionsOf } from "../../pynenc/identifiers.ts";
import { counted, grouped } from "../../pynenc/numbers.ts";
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

/** Old invocations and those they led to, and rows of each generation, that are read. */
const EFFECTS_READ = 500;
const GENERATIONS_READ = 20;

/** Conditions of each task that are looked at. */
const CONDITIONS_READ = 50;

/** Event codes that are named. */
const CODES_NAMED = 3;

/** A sentence about what the old runs, and all that they led to, emitted and started through triggers, which the new ones may do again. */
export async function effectNotes(reads: AppReads, invocationIds: readonly string[]): Promise<string[]> {
  if (!(await reads.layout.capabilities()).events) return [];
  const { codes, events, runs, started, reached, cut } = await effectsOf(reads, invocationIds);
  const overwritten = (await mayBeOverwritten(reads, reached)) ? [OVERWRITTEN] : [];
  if (events + runs + started.size === 0) return overwritten;
  const said = (n: number, one: string) => `${cut ? "at least " : ""}${counted(n, one)}`;
  const named = `${codes.slice(0, CODES_NAMED).join(", ")}${codes.length > CODES_NAMED ? ", …" : ""}`;
  const did = [
    ...(events === 0 ? [] : [`emitted ${said(events, "event")} (${named})`]),
    ...(runs === 0 ? [] : [`caused ${said(runs, "trigger run")}`]),
  ].join(" and ");
  const old =
    invocationIds.length === 1 ? "The old run, with all that it led to," : "The old runs, with all that they led to,";
  const work =
    started.size === 0
      ? ""
      : ` Triggers started ${said(started.size, "invocation")}, calls below included: ${await tasksOf(reads, started)}.`;
  return [`${old} ${did}.${work} A new run may do all this again.`, ...overwritten];
}

const OVERWRITTEN =
  "Of a trigger on an exception only the latest run is stored, so earlier failures may have started more than is known.";

/** Whether any of them failed and a condition waits for exceptions of its task: runs on one type of exception share an id (storage-format.md 1.6). */
async function mayBeOverwritten({ orchestrator, ids }: AppReads, reached: ReadonlySet<string>): Promise<boolean> {
  const rows = await orchestrator.statusesByIds([...reached]);
  const tasks = new Set(rows.flatMap(({ status, task_id_key }) => (status === "failed" ? [task_id_key] : [])));
  if (tasks.size === 0) return false;
  const conditions = [...tasks].map((task) => ({
    kind: "condition" as const,
    beginning: failedConditionsOf(task),
    ending: "",
  }));
  const found = await ids.matching(conditions, CONDITIONS_READ);
  return found.some((of) => of.ids.some((id) => id.includes(EXCEPTION_PART)));
}

interface Effects {
  codes: string[];
  events: number;
  runs: number;
  /** Invocations that triggers started, and calls below them. */
  started: ReadonlySet<string>;
  /** They and all that they led to, as far as it was read. */
  reached: ReadonlySet<string>;
  /** Not all was read. */
  cut: boolean;
}

/** Follows calls, events and trigger runs a generation at a time, six reads each. */
async function effectsOf({ trigger, state_backend }: AppReads, invocationIds: readonly string[]): Promise<Effects> {
  const reached = new Set<string>();
  const started = new Set<string>();
  const codes = new Map<string, string>();
  const runs = new Set<string>();
  let cut = false;
  let next: readonly string[] = invocationIds;
  for (let generation = 0; next.length > 0; generation++) {
    const level = generation < GENERATIONS_READ ? next.slice(0, EFFECTS_READ - reached.size) : [];
    cut ||= level.length < next.length;
    if (level.length === 0) break;
    for (const id of level) reached.add(id);
    const [calls, emitted, ofStatuses] = await Promise.all([
      state_backend.childrenOf(level, EFFECTS_READ),
      trigger.eventsEmittedBy(level, EFFECTS_READ),
      trigger.triggerRunsOf("source_invocation", level, EFFECTS_READ),
    ]);
    const eventIds = emitted.map(({ event_id }) => event_id);
    const [byEvents, ofEvents] =
      eventIds.length === 0
        ? [[], []]
        : await Promise.all([
            trigger.triggeredBy(eventIds, EFFECTS_READ),
            trigger.triggerRunsOf("event", eventIds, EFFECTS_READ),
          ]);
    cut ||= [calls, emitted, ofStatuses, byEvents, ofEvents].some((rows) => rows.length >= EFFECTS_READ);
    for (const { event_id, event_code } of emitted) codes.set(event_id, event_code);
    const fired = new Set([...ofStatuses, ...ofEvents].map(({ trigger_run_id }) => trigger_run_id));
    for (const id of fired) runs.add(id);
    const records = fired.size === 0 ? [] : await trigger.triggerRunsByIds([...fired]);
    const triggered = [
      ...byEvents.map(({ invocation_id }) => invocation_id),
      ...records.flatMap(({ triggered_invocation_id }) => triggered_invocation_id ?? []),
      ...calls.flatMap(({ invocation_id, parent_id }) => (started.has(parent_id) ? [invocation_id] : [])),
    ].filter((id) => !reached.has(id));
    for (const id of triggered) started.add(id);
    next = [...new Set([...calls.map(({ invocation_id }) => invocation_id), ...triggered])].filter(
      (id) => !reached.has(id),
    );
  }
  return { codes: [...new Set(codes.values())], events: codes.size, runs: runs.size, started, reached, cut };
}

/** `2 of shop.mail, 1 of shop.pack` */
async function tasksOf({ state_backend }: AppReads, ids: ReadonlySet<string>): Promise<string> {
  const definitions = await state_backend.invocationsByIds([...ids].slice(0, EFFECTS_READ));
  const tasks = new Map<string, number>();
  for (const { task_id_key } of definitions) tasks.set(task_id_key, (tasks.get(task_id_key) ?? 0) + 1);
  const ordered = [...tasks].sort(([, a], [, b]) => b - a).map(([task, n]) => `${grouped(n)} of ${task}`);
  const unknown = ids.size - definitions.length;
  return [
    ...ordered.slice(0, TASKS_NAMED),
    ...(ordered.length > TASKS_NAMED ? [counted(ordered.length - TASKS_NAMED, "more task")] : []),
    ...(unknown > 0 ? [`${grouped(unknown)} of tasks that are not known`] : []),
  ].join(", ");
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

/** That the record of actions has a rerun of this invocation already. */
export async function earlierRerunNotes(app: OpenedApp, reads: AppReads, invocationId: string): Promise<string[]> {
  const of = outgoing({ app_id: app.app_id, location: app.store.location });
  const [last] = (await app.reruns.of(of, invocationId)).reruns;
  if (last === undefined) return [];
  const id = last.new_invocation_id;
  const [made] = await reads.orchestrator.statusesByIds([id]);
  const now = made === undefined ? "" : `, which is ${made.status} now`;
  const at = epochFromIso(last.at);
  return [`It was already rerun${at === null ? "" : ` at ${utcText(at)}`}, as ${id}${now}.`];
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
