/** Why a queue is as it is: verdicts on the app that concern it, then who waits, who takes from it, and what would help. */
import type { QueueHealth } from "../../api/health.ts";
import { counted, grouped, lasting } from "../../pynenc/numbers.ts";
import { heldWords } from "../../pynenc/occupancy.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { takenInvocations } from "../app/taken.ts";
import { takesFrom } from "../model/queue-consumers.ts";
import { queuesOf } from "../model/queue-health.ts";
import { deadBefore } from "../model/runner-liveness.ts";
import { readTakers } from "../model/takers.ts";
import { FRONT, frontOf, helpWords, idleTakers, takerWords, waitingAmong } from "../model/waiting-place.ts";
import type { FoundVerdict } from "../verdicts/verdicts.ts";
import { explanation, link, piece, ranked, type ThingWhy } from "./thing-verdict.ts";

/** Tasks, invocations and runners that are named. */
const NAMED = 10;

/** Verdicts that already say that messages wait in a queue, and who takes them. */
const WAITS: ReadonlySet<string> = new Set(["old_message", "unconsumed_queue", "undeclared_queue"]);

/** @param by verdicts on the app that concern it. */
export async function whyQueue(
  app: OpenedApp,
  reads: AppReads,
  name: string,
  by: readonly FoundVerdict[],
): Promise<ThingWhy> {
  const nothing = { label: "queue", phases: null, critical_path: null };
  const { queues } = await queuesOf(app, reads);
  const queue = queues.find(({ queue_name }) => queue_name === name);
  if (queue === undefined) return { ...nothing, chain: [], ...ranked(by, null) };
  const [dead, { queue_peek }] = await Promise.all([deadBefore(app, reads), reads.layout.capabilities()]);
  const [{ waiting, by_task }, idle, takers, taken] = await Promise.all([
    (queue_peek ? frontOf(reads, name) : Promise.resolve([])).then((front) => waitingAmong(reads, front)),
    idleTakers(app, reads, dead, name),
    readTakers(reads, dead),
    takenInvocations(reads.orchestrator),
  ]);
  const own = explanation({
    code: queue.waiting > 0 ? "queue_waits" : "queue_empty",
    sentence: waitingWords(queue),
    detail: [...takerWords(queue, idle), ...(queue.waiting > 0 ? helpWords(queue, idle) : [])].join(" "),
    since: queue.oldest_queued_at,
    evidence: [
      piece("queue", name),
      ...waiting.slice(0, NAMED).map((id, at) => piece("invocation", id, at === 0 ? "taken next" : "waits")),
    ],
    count: Math.max(1, queue.waiting),
  });
  const front = queue.waiting > FRONT ? ` of the next ${grouped(FRONT)}` : "";
  const chain = [
    ...by_task.slice(0, NAMED).map(({ task_id_key: task, invocations }) => {
      const about = task === null ? {} : ({ kind: "task", id: task } as const);
      return link(`${counted(invocations, "invocation waits", "invocations wait")}${front}`, about);
    }),
    ...(takers?.takers ?? [])
      .filter(({ queues: own }) => takesFrom(app, name)(own) === true)
      .slice(0, NAMED)
      .map(({ runner_id }) => {
        const held = taken?.filter((one) => one.status_runner_id === runner_id);
        const now = held === undefined ? "" : `; now: ${heldWords(held)}`;
        return link(`takes from it${now}`, { kind: "runner", id: runner_id });
      }),
  ];
  return { ...nothing, chain, ...ranked(by, by.some(({ code }) => WAITS.has(code)) ? null : own) };
}

function waitingWords({ queue_name, waiting, oldest_seconds: oldest }: QueueHealth): string {
  if (waiting === 0) return `Nothing waits in queue ${queue_name}.`;
  const longest = oldest === null ? "" : `, the oldest for ${lasting(oldest)}`;
  return `${counted(waiting, "message")} waiting in queue ${queue_name}${longest}.`;
}
