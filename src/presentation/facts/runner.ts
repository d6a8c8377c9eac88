/** What is said of a runner. */
import type { RunnerName } from "../../api/model/runner-names.ts";
import type { RunnerDetail, RunnerRow } from "../../api/runners.ts";
import { TERMS } from "../terms.ts";
import { duration } from "../text.ts";
import { type Column, type Part, secondsColumn, timeColumn } from "./column.ts";
import { absent, type FactGroup, type FactValue, fact, group, unknown } from "./fact.ts";
import { invocationTable } from "./invocation.ts";

export function runnerFacts({ runner, parent, thread_id, last_service, held, idle_since }: RunnerDetail): FactGroup[] {
  const { name, silent_seconds: silent, consumed_queues: queues } = runner;
  const ahead =
    silent !== null && silent < 0 ? `its host's clock is ${duration(-silent)} ahead of the monitor's` : null;
  return [
    group(
      "Context",
      fact("runner_cls", "Class", code(name.runner_cls)),
      fact("hostname", "Host", code(name.hostname)),
      fact("pid", "Process", code(name.pid)),
      fact("thread_id", "Thread", code(thread_id)),
      fact("parent", "Parent", parentOf(parent, name.parent)),
    ),
    group(
      "Heartbeat",
      held?.length === 0 &&
        fact("idle_since", "Idle since", idle_since === null ? NOT_IN_HISTORY : { time: idle_since }),
      fact("last_heartbeat", "Last heartbeat", sinceOf(runner.last_heartbeat, silent)),
      fact("created_at", "First heartbeat", { time: runner.created_at }),
      fact("age_seconds", "Lifetime", { seconds: runner.age_seconds }),
      queues !== null && fact("consumed_queues", "Queues", consumedQueues(queues)),
      ahead !== null && fact("clock", "Clock", ahead),
    ),
    group(
      "Atomic service",
      fact("atomic_service_eligible", "In the atomic service", takesTurns(runner)),
      last_service !== null && fact("last_service_start", "Last start", { time: last_service.start_time }),
      last_service !== null && fact("last_service_end", "Last end", { time: last_service.end_time }),
    ),
  ];
}

const NOT_IN_HISTORY = unknown("not known", "The newest history entries do not show what it did last");

function code(value: string | number | null): FactValue {
  return value === null || value === "" ? null : { text: String(value), look: "code" };
}

function sinceOf(time: string | null, silent: number | null): FactValue {
  return time === null || silent === null ? { time } : { time, ago: silent };
}

function parentOf(parent: RunnerRow | null, name: RunnerName | null): FactValue {
  if (parent !== null) return { parts: [{ runner: parent.name }, runnerState(parent)] };
  return name === null ? absent("none") : { runner: name };
}

/** Whether the runner is alive, as a mark. */
export function runnerState({ active, last_heartbeat }: Pick<RunnerRow, "active" | "last_heartbeat">): FactValue {
  if (active) return { mark: "active", tone: "good" };
  if (last_heartbeat !== null) return { mark: "silent", hint: "Its last heartbeat is older than the app allows" };
  const hint = "None stored: code outside runners sends none, or it was purged";
  return { mark: "no heartbeat", hint };
}

/** Whether the runner takes turns in the atomic service: only its heartbeat says so, and a silent runner has none. */
function takesTurns({ atomic_service_eligible: eligible, active }: RunnerRow): FactValue {
  if (eligible === null) return unknown("not known");
  if (eligible) return active ? "yes" : absent("no", "Not while it is silent");
  return { text: "no", look: "muted" };
}

/** The queues of a runner: `mail, reports`, or every declared queue. */
function consumedQueues(queues: readonly string[]): string {
  return queues.length === 0 ? "every declared queue" : queues.join(", ");
}

export const RUNNER_COLUMNS: readonly Column<RunnerRow>[] = [
  { of: ["runner_id"], label: "Runner", value: ({ name }) => ({ runner: name }) },
  { of: ["active"], label: "State", value: runnerState },
  {
    of: ["now"],
    label: "Now",
    hint: "What it has taken and not finished, by the current statuses of invocations",
    page: true,
    value: () => null,
  },
  {
    of: ["parent"],
    label: "Parent",
    hint: "The runner that started this one",
    optional: true,
    sparse: true,
    value: ({ name: { parent } }) => (parent === null ? null : { runner: parent }),
  },
  { of: ["host"], label: "Host:process", page: true, roomy: true, value: ({ name }) => placeOf(name) },
  {
    of: ["consumed_queues"],
    label: "Queues",
    hint: "Queues that it takes messages from; those of a parent are for its workers",
    optional: true,
    sparse: true,
    value: ({ consumed_queues: queues }) => (queues === null ? null : consumedQueues(queues)),
  },
  {
    of: ["busy"],
    label: "Ran",
    hint: "Invocations it ran in the range; those run by its workers are in the workers' rows",
    page: true,
    value: () => null,
  },
  {
    of: ["last_heartbeat"],
    label: "Last heartbeat",
    value: (runner) => sinceOf(runner.last_heartbeat, runner.silent_seconds),
  },
  timeColumn("created_at", "First heartbeat", { page: true, extra: true }),
  secondsColumn("age_seconds", "Lifetime", {
    hint: "From the first heartbeat to the last",
    optional: true,
    extra: true,
  }),
  {
    of: ["atomic_service_eligible"],
    label: "Atomic service",
    hint: `Whether this runner takes turns at it. ${TERMS["Atomic service"]}`,
    optional: true,
    value: takesTurns,
  },
];

function placeOf({ hostname, pid }: RunnerName): FactValue {
  const parts = [hostname, pid].filter((part) => part !== null && part !== "");
  return parts.length === 0 ? null : parts.join(":");
}

/** @param most rows, for a page with more to say */
export function workedOnPart(detail: RunnerDetail, most?: number): Part {
  const { runner, invocations, invocations_note: note, children, registered } = detail;
  const alone = registered.length > 0 ? "It only registered invocations." : "Nothing of this runner is in the history.";
  const why = children.length > 0 ? "Its child runners do the work." : alone;
  return {
    ...latestInvocations(invocations, note, most),
    title: "Worked on",
    caption: "Invocations this runner worked on, latest first",
    empty: `No invocations yet. ${why}`,
    all: { label: "All of this runner", to: { invocations: { runner: runner.runner_id } } },
  };
}

/** @param most as for `workedOnPart` */
export function registeredPart({ runner, registered, registered_note: note }: RunnerDetail, most?: number): Part {
  return {
    ...latestInvocations(registered, note, most),
    title: "Registered by it",
    caption: "Invocations this runner registered, latest first",
    all: { label: "All it registered", to: { invocations: { registered_by: runner.runner_id } } },
  };
}

function latestInvocations(all: RunnerDetail["invocations"], note: string | null, most = all.length) {
  return { ...invocationTable(all.slice(0, most)), note: all.length > most ? `The latest ${most} are shown.` : note };
}

export function childRunnersPart({ children: rows, children_truncated: cut }: RunnerDetail): Part<RunnerRow> {
  return {
    title: "Runners that it started",
    caption: "Runners that this one started",
    columns: RUNNER_COLUMNS,
    rows,
    keyOf: (runner) => runner.runner_id,
    hide: ["parent", "now", "busy"],
    empty: "It started no other runner.",
    note: cut ? `Only the newest ${rows.length} are shown.` : null,
  };
}
