/** Registers the call of an invocation again (storage-format.md 7.4). */

import { hostname } from "node:os";
import type { AliveRunners, ShownRoute } from "../../api/actions.ts";
import type { RerunOutcome, RerunPreview } from "../../api/reruns.ts";
import { NotFoundError, RefusedError } from "../../errors.ts";
import { rerunInput } from "../../inputs/actions.ts";
import { grouped } from "../../pynenc/numbers.ts";
import { externalCaller } from "../../pynenc/rerun.ts";
import type { Rerun, RerunRequest } from "../../stores/ports/actions.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { aliveRunners, answersOrRefusal, refusalNow } from "./action-preview.ts";
import { calledAgain } from "./called-again.ts";
import { type RoutePlan, routeGroups, routeNotes, routePlan, routeWords } from "./message-routes.ts";
import { lostAmong } from "./requeue.ts";
import { earlierRerunNotes, effectNotes, laterSuccessNotes, reuseNotes } from "./rerun-notes.ts";

/** @throws InvalidInputError; NotFoundError. */
export async function previewRerun(app: OpenedApp, invocationId: string, raw: RawInput): Promise<RerunPreview> {
  const { force = false, ...requested } = parseInput(rerunInput, raw);
  return app.store.read(async (reads) => {
    const [row] = await invocationRows(reads, [invocationId]);
    if (row === undefined || row.task_id_key === null) throw new NotFoundError("invocation", invocationId);
    const plan = await routePlan(app, reads, [row.task_id_key], requested);
    const preview = reads.preview.rerun([invocationId], rerunRequest(app, force, plan));
    const { answers: reruns, refused } = await answersOrRefusal(preview);
    const [one] = reruns;
    const refusal = one?.refusal ?? null;
    const runners_alive = await aliveRunners(app, reads);
    const { of: _, ...again } = await calledAgain(reads, [invocationId]);
    return {
      ...again,
      app_id: app.app_id,
      location: app.store.location,
      invocation: row,
      force,
      own_workflow: one?.own_workflow ?? false,
      indexed_arguments: one?.indexed_arguments ?? 0,
      control: one?.control ?? "unknown",
      notes: [
        ...(await earlierRerunNotes(app, reads, invocationId)),
        ...(await laterSuccessNotes(reads, row)),
        ...independenceNotes("The new invocation is", runners_alive),
        ...(await effectNotes(reads, [invocationId])),
        ...(row.final ? [] : [`The invocation has not ended yet: it is ${row.status}.`]),
        ...(await routeNotes(app, reads, routeGroups(plan, reruns))),
        ...reuseNotes(app, reruns),
      ],
      route: shownRoute(plan, one),
      runners_alive,
      refused: (await refusalNow(app, reads)) ?? refused ?? (one === undefined ? null : refusalText(one)),
      forcible: refusal?.kind === "duplicate",
      requeue_instead: (await lostAmong(app, reads, waitingOf(reruns)))[0] ?? null,
    };
  });
}

/** @throws InvalidInputError; NotFoundError; RefusedError, StoreUnreachableError: then nothing was registered. */
export async function rerun(app: OpenedApp, invocationId: string, raw: RawInput): Promise<RerunOutcome> {
  const { force = false, ...requested } = parseInput(rerunInput, raw);
  const plan = await app.store.read(async (reads) => {
    const [definition] = await reads.state_backend.invocationsByIds([invocationId]);
    return routePlan(app, reads, definition === undefined ? [] : [definition.task_id_key], requested);
  });
  const [done] = await app.store.actions.rerun([invocationId], rerunRequest(app, force, plan));
  if (done === undefined || done.refusal?.kind === "unknown") throw new NotFoundError("invocation", invocationId);
  if (done.refusal !== null || done.new_invocation_id === null) {
    const waiting = waitingOf([done]);
    const lost = await app.store.read((reads) => lostAmong(app, reads, waiting));
    const hint = waiting.length > 0 ? duplicateHint(lost, "force=1 (--force) registers it anyway.") : null;
    throw new RefusedError(`Nothing was registered: ${refusalText(done) ?? "no id was made"}.`, hint, 409);
  }
  return {
    success: true,
    action: "rerun",
    app_id: app.app_id,
    invocation_id: invocationId,
    new_invocation_id: done.new_invocation_id,
    route: shownRoute(plan, done),
    message: `Registered ${done.task_id_key} again as ${done.new_invocation_id}${routeWords(shownRoute(plan, done))}.`,
  };
}

/** Already waiting calls that prevent these from being registered. */
export function waitingOf(reruns: readonly Rerun[]): string[] {
  return reruns.flatMap(({ refusal }) => (refusal?.kind === "duplicate" ? [refusal.invocation_id] : []));
}

const HINTED = 3;

/** The remedy if calls wait already. @param lost those without a message; @param force how to register them anyway. */
export function duplicateHint(lost: readonly string[], force: string): string {
  const [first] = lost;
  if (first === undefined) return force;
  const command = `monitor requeue ${lost.slice(0, HINTED).join(" ")}${lost.length > HINTED ? " ..." : ""}`;
  return lost.length === 1
    ? `${first} is waiting but missing from the queue: requeue it instead (${command}). ${force}`
    : `${grouped(lost.length)} of the waiting calls are missing from the queue: requeue them instead (${command}). ${force}`;
}

/** A request with this process as the caller. */
export function rerunRequest(
  { settings, writes_at: at }: Pick<OpenedApp, "settings" | "writes_at">,
  force: boolean,
  { routing }: Pick<RoutePlan, "routing">,
): RerunRequest {
  const workflow_tasks = Object.keys(routing.tasks).filter(
    (task) => settings.ofTask(task, "is_workflow_task")?.value === true,
  );
  return { caller: externalCaller(hostname(), process.pid), force, at, routing, workflow_tasks };
}

function shownRoute(plan: RoutePlan, one: Rerun | undefined): ShownRoute | null {
  return one?.task_id_key == null || one.route === null ? null : plan.shown(one.task_id_key);
}

/** Notes about invocations to register again. @param what the subject of the first sentence. */
export function independenceNotes(
  what: "The new invocation is" | "New invocations are",
  alive: AliveRunners,
): string[] {
  return [
    `${what} independent: without a parent, and not started by an event. Triggers on the status registered do not run.`,
    ...(alive.count === 0 ? ["No runner is active: registered calls wait in the queue."] : []),
  ];
}

/** Why a call is not registered, as a sentence fragment without ids; null if it is. */
export function reasonOf(one: Rerun | undefined): string | null {
  switch (one?.refusal?.kind) {
    case "unknown":
      return "no definition is stored";
    case "unreadable":
      return "the stored arguments cannot be read";
    case "dangling":
      return "some arguments are client data that is not in this store";
    case "duplicate":
      return one.control === "some"
        ? "the task has concurrency control and the same call is already waiting"
        : "it is not known whether the task has concurrency control, and the same call is already waiting";
    default:
      return null;
  }
}

/** Like `reasonOf`, with the ids of what is missing or in the way. */
function refusalText(one: Rerun): string | null {
  const { refusal } = one;
  if (refusal?.kind === "dangling") return `${reasonOf(one)}: ${refusal.references.join(", ")}`;
  if (refusal?.kind === "duplicate") return `${reasonOf(one)} as ${refusal.invocation_id}`;
  return reasonOf(one);
}
