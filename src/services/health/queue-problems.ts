/** Problems of queues: messages that no runner takes, or that wait for a long time. */
import type { Problem, QueueHealth } from "../../api/health.ts";
import { counted } from "../../pynenc/numbers.ts";
import { oldestWaiting, type Queues } from "./queue-health.ts";

/** A message that waits longer than this while runners are alive is reported. */
const LONG_WAIT_SECONDS = 300;

/** Limit of queues named in a sentence. */
const NAMED = 10;

/** @param active runners with a recent heartbeat. */
export function queueProblems({ queues, runners_known, unreachable }: Queues, active: number): Problem[] {
  if (unreachable !== null) {
    return [
      {
        kind: "unreachable_queue",
        severity: "error",
        title: "The queue cannot be reached",
        detail: unreachable,
        ids: [],
        count: 1,
      },
    ];
  }
  const filled = queues.filter(({ waiting }) => waiting > 0);
  if (filled.length > 0 && active === 0 && runners_known) {
    return [
      {
        kind: "unconsumed_queue",
        severity: "error",
        title: `${counted(waitingIn(filled), "message")} in the queue and no active runner`,
        detail: "Nothing will be executed until a runner is started.",
        ids: [],
        count: waitingIn(filled),
      },
    ];
  }
  const watched = filled.filter(({ active_consumers, health }) => active_consumers > 0 || health === "unknown");
  const inState = (state: QueueHealth["health"]) => filled.filter(({ health }) => health === state);
  const undeclared = inState("not_configured").filter(({ active_consumers }) => active_consumers === 0);
  return [...unconsumed(inState("not_consumed"), active), ...notDeclared(undeclared), ...longWait(watched, active)];
}

function unconsumed(queues: readonly QueueHealth[], active: number): Problem[] {
  if (queues.length === 0) return [];
  return [
    {
      kind: "unconsumed_queue",
      severity: "error",
      title: `${waits(queues)} ${place(queues)} that no active runner takes from`,
      detail: `${counted(active, "runner")} active, but ${active === 1 ? "it takes" : "they take"} from other queues (runner.queues)${several(queues)}. A runner with the queue in its runner.queues would take them; so would one without that setting, if the queue is declared.`,
      ids: [],
      count: waitingIn(queues),
    },
  ];
}

function notDeclared(queues: readonly QueueHealth[]): Problem[] {
  if (queues.length === 0) return [];
  return [
    {
      kind: "undeclared_queue",
      severity: "error",
      title: `${waits(queues)} ${place(queues)} that broker.queues does not declare`,
      detail: `A runner takes from an undeclared queue only if its runner.queues names it, and no active one does${several(queues)}. Start a runner that names it, or declare the queue and restart the runners that take from every declared queue.`,
      ids: [],
      count: waitingIn(queues),
    },
  ];
}

function longWait(queues: readonly QueueHealth[], active: number): Problem[] {
  const oldest = oldestWaiting(queues);
  const age = oldest?.oldest_seconds ?? 0;
  if (oldest === undefined || age <= LONG_WAIT_SECONDS) return [];
  const where = oldest.queue_name === null ? "" : ` in queue ${oldest.queue_name}`;
  const takers = oldest.queue_name === null ? active : oldest.active_consumers;
  return [
    {
      kind: "unconsumed_queue",
      severity: "warning",
      title: `The oldest message${where} has waited for ${Math.round(age / 60)} min`,
      detail: `${counted(takers, "active runner is", "active runners are")} known${oldest.queue_name === null ? "" : " to take from it"}. ${takers === 1 ? "It" : "All of them"} may be busy, or waiting for invocations that are behind this one in the queue.`,
      ids: [],
      count: waitingIn(queues),
    },
  ];
}

function waitingIn(queues: readonly QueueHealth[]): number {
  return queues.reduce((sum, { waiting }) => sum + waiting, 0);
}

function waits(queues: readonly QueueHealth[]): string {
  return counted(waitingIn(queues), "message waits", "messages wait");
}

function place(queues: readonly QueueHealth[]): string {
  const [only] = queues;
  return queues.length === 1 ? `in queue ${only?.queue_name}` : `in ${queues.length} queues`;
}

/** Which queues, if the title does not say. */
function several(queues: readonly QueueHealth[]): string {
  if (queues.length === 1) return "";
  const named = queues.slice(0, NAMED).map(({ queue_name, waiting }) => `${queue_name} (${waiting})`);
  const more = queues.length > NAMED ? ` and ${counted(queues.length - NAMED, "more queue")}` : "";
  return `: ${named.join(", ")}${more}`;
}
