/** Lets a script wait for invocations to end, to succeed or to run. */

import type { WaitAnswer, WaitedInvocation, WaitGoal } from "../../api/wait.ts";
import { waitInput } from "../../inputs/invocations.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { type InvocationLife, lifeOf } from "../model/invocation-life.ts";

/** Limit of invocations that one command waits for. */
export const MAX_WAITED = 1_000;

/** Interval for checking whether the store changed. */
const POLL_MS = 500;

/** Statuses that imply a run (storage-format.md 2.2). A short run can start and end between two checks. */
const RAN: ReadonlySet<string> = new Set([
  "running",
  "running_recovery",
  "paused",
  "resumed",
  "retry",
  "success",
  "failed",
]);

export interface WaitClock {
  /** Milliseconds. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/**
 * Checks the invocations whenever the store changed, until all have reached the goal, one has ended otherwise, one is not stored, or the time is up.
 * Without a timeout it waits indefinitely.
 *
 * @throws InvalidInputError
 */
export async function waitFor(
  app: OpenedApp,
  invocationIds: readonly string[],
  raw: RawInput,
  clock: WaitClock,
): Promise<WaitAnswer> {
  const { goal, timeout } = parseInput(waitInput, raw);
  const began = clock.now();
  const ends = timeout === undefined ? Number.POSITIVE_INFINITY : began + timeout * 1_000;
  let [token, invocations]: [string | null, WaitedInvocation[]] = [null, []];
  for (;;) {
    const current = await app.store.version();
    if (current !== token) {
      invocations = await statesOf(app, invocationIds, goal);
      token = current;
    }
    const outcome = outcomeOf(invocations) ?? (clock.now() >= ends ? "timed_out" : null);
    if (outcome !== null) {
      const waited_seconds = (clock.now() - began) / 1_000;
      return { app_id: app.app_id, waited_for: goal, outcome, waited_seconds, invocations };
    }
    await clock.sleep(Math.min(POLL_MS, ends - clock.now()));
  }
}

/** Null while waiting must continue. */
function outcomeOf(invocations: readonly WaitedInvocation[]): WaitAnswer["outcome"] | null {
  const some = (wanted: WaitedInvocation["state"]) => invocations.some(({ state }) => state === wanted);
  if (some("not_known")) return "not_known";
  if (some("ended_otherwise")) return "ended_otherwise";
  return some("waiting") ? null : "reached";
}

async function statesOf(app: OpenedApp, invocationIds: readonly string[], goal: WaitGoal): Promise<WaitedInvocation[]> {
  const [statuses, spans, definitions] = await app.store.read((reads) =>
    Promise.all([
      reads.orchestrator.statusesByIds(invocationIds),
      reads.state_backend.historySpanOf(invocationIds),
      reads.state_backend.invocationsByIds(invocationIds, 0),
    ]),
  );
  const statusOf = new Map(statuses.map((row) => [row.invocation_id, row]));
  const spanOf = new Map(spans.map((span) => [span.invocation_id, span]));
  const definitionOf = new Map(definitions.map((row) => [row.invocation_id, row]));
  return invocationIds.map((invocation_id) => {
    const status = statusOf.get(invocation_id);
    const life = lifeOf(status, spanOf.get(invocation_id));
    const task_id_key = (status ?? definitionOf.get(invocation_id))?.task_id_key ?? null;
    return { invocation_id, task_id_key, status: life.status, state: stateOf(life, goal) };
  });
}

function stateOf({ status, status_source, info }: InvocationLife, goal: WaitGoal): WaitedInvocation["state"] {
  if (status_source === "none") return "not_known";
  const reached = { final: info.final, success: status === "success", running: RAN.has(status) }[goal];
  if (reached) return "reached";
  return info.final ? "ended_otherwise" : "waiting";
}
