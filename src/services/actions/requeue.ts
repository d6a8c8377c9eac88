/** Restores the message of an invocation that waits for a runner but has no message. Nothing else changes. */

import type {
  AliveRunners,
  RefusedRequeue,
  RequeueCandidate,
  RequeueOutcome,
  RequeuePreview,
} from "../../api/actions.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { InvalidInputError, NotFoundError, RefusedError } from "../../errors.ts";
import { MAX_REQUEUED, requeueInput, requeueManyInput } from "../../inputs/actions.ts";
import { addTo } from "../../pynenc/groups.ts";
import { counted, grouped } from "../../pynenc/numbers.ts";
import { ascending } from "../../pynenc/order.ts";
import { PASSING_STATUSES, statusInfo } from "../../pynenc/statuses.ts";
import {
  DEFAULT_ROUTING,
  type Requeue,
  type RequeueRefusal,
  type RequeueRequest,
  type Routing,
} from "../../stores/ports/actions.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { REQUEUE_GRACE_SECONDS } from "../../stores/requeue-rule.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { invocationRows, isStored } from "../model/invocation-rows.ts";
import { deadBefore } from "../model/runner-liveness.ts";
import { aliveRunners, answersOrRefusal, refusalNow } from "./action-preview.ts";
import { routeGroups, routeNotes, routePlan, routeWords } from "./message-routes.ts";

/** The ids of a request, given like in the list's filter, and the rest of its input. */
export function readRequeueList(raw: RawInput): { ids: string[]; rest: RawInput } {
  const { inv_ids: given, ...rest } = raw;
  const { inv_ids } = parseInput(requeueManyInput, raw);
  if (inv_ids.length === 0) {
    throw new InvalidInputError([{ parameter: "inv_ids", value: "", accepted: "ids of invocations are needed" }]);
  }
  return { ids: inv_ids, rest };
}

/** @throws InvalidInputError; NotFoundError if none of the ids is known. */
export async function previewRequeue(
  app: OpenedApp,
  invocationIds: readonly string[],
  raw: RawInput,
): Promise<RequeuePreview> {
  const { force = false, ...requested } = parseInput(requeueInput, raw);
  return app.store.read(async (reads) => {
    const rows = await longestWaitingFirst(reads, invocationIds);
    const plan = await routePlan(app, reads, tasksOf(rows), requested);
    const request = await requestOf(app, reads, force, plan.routing);
    const { answers: requeues, refused } = await answersOrRefusal(reads.preview.requeue(idsOf(rows), request));
    const refusals = new Map(requeues.map((one) => [one.invocation_id, one.refusal]));
    const candidates = rows.map((invocation): RequeueCandidate => {
      const refusal = refusals.get(invocation.invocation_id) ?? null;
      return { invocation, refusal: refusal === null ? null : refusedRequeue(refusal) };
    });
    const requeued = requeues.filter(({ refusal }) => refusal === null).length;
    const [{ queue_peek }, { named }] = await Promise.all([reads.layout.capabilities(), reads.broker.layout()]);
    const runners_alive = await aliveRunners(app, reads);
    const routes = routeGroups(plan, withTasks(rows, requeues));
    return {
      app_id: app.app_id,
      location: app.store.location,
      candidates,
      requeued,
      force,
      notes: [...notesOn(requeued, runners_alive, queue_peek, named), ...(await routeNotes(app, reads, routes))],
      routes,
      runners_alive,
      refused: (await refusalNow(app, reads)) ?? refused ?? (requeued > 0 ? null : refusalOfAll(requeues)),
      forcible: requeues.some(({ refusal }) => refusal?.kind === "unlisted"),
    };
  });
}

/**
 * @throws InvalidInputError; NotFoundError if no id is known; RefusedError if no message is added; StoreUnreachableError. Nothing was changed then.
 */
export async function requeue(
  app: OpenedApp,
  invocationIds: readonly string[],
  raw: RawInput,
): Promise<RequeueOutcome> {
  const { force = false, ...requested } = parseInput(requeueInput, raw);
  const { rows, plan, request } = await app.store.read(async (reads) => {
    const rows = await longestWaitingFirst(reads, invocationIds);
    const plan = await routePlan(app, reads, tasksOf(rows), requested);
    return { rows, plan, request: await requestOf(app, reads, force, plan.routing) };
  });
  const requeues = await app.store.actions.requeue(idsOf(rows), request);
  const done = requeues.flatMap(({ invocation_id, refusal }) => (refusal === null ? [invocation_id] : []));
  if (done.length === 0) {
    const forcible = requeues.some(({ refusal }) => refusal?.kind === "unlisted");
    throw new RefusedError(refusalOfAll(requeues), forcible ? "force=1 (--force) does it anyway." : null, 409);
  }
  const routes = routeGroups(plan, withTasks(rows, requeues));
  const refused = requeues.flatMap(({ invocation_id, refusal }) =>
    refusal === null ? [] : [{ invocation_id, ...refusedRequeue(refusal) }],
  );
  return {
    success: true,
    action: "requeue",
    app_id: app.app_id,
    message: [
      done.length === 1
        ? `Put the message of ${done[0]} back${routes.length === 0 ? " into the queue" : routeWords(routes[0] ?? null)}.`
        : `Put ${counted(done.length, "message")} back${routes.length === 1 ? routeWords(routes[0] ?? null) : ` into ${routes.length > 1 ? "their queues" : "the queue"}`}.`,
      ...reasonsOf(requeues).map(countedRefusal),
    ].join(" "),
    invocation_ids: done,
    routes,
    refused,
  };
}

function tasksOf(rows: readonly InvocationRow[]): string[] {
  return rows.flatMap((row) => row.task_id_key ?? []);
}

function withTasks(rows: readonly InvocationRow[], requeues: readonly Requeue[]) {
  const tasks = new Map(rows.map((row) => [row.invocation_id, row.task_id_key]));
  return requeues.map(({ invocation_id, route }) => ({ task_id_key: tasks.get(invocation_id) ?? null, route }));
}

/**
 * The invocations that wait for a runner but have no message in the queue, in the order of the ids, by the same rule as the action. Empty if this
 * is not known because the queue can only be counted or is not fully scanned.
 */
export async function lostAmong(app: OpenedApp, reads: AppReads, invocationIds: readonly string[]): Promise<string[]> {
  const ids = [...new Set(invocationIds)].slice(0, MAX_REQUEUED);
  if (ids.length === 0) return [];
  const [{ queue_peek }, { complete }] = await Promise.all([reads.layout.capabilities(), reads.broker.layout()]);
  if (!queue_peek || !complete) return [];
  const requeues = await answersOrRefusal(reads.preview.requeue(ids, await requestOf(app, reads, false)));
  return requeues.answers.flatMap(({ invocation_id, refusal }) => (refusal === null ? [invocation_id] : []));
}

async function requestOf(
  app: OpenedApp,
  reads: AppReads,
  force: boolean,
  routing: Routing = DEFAULT_ROUTING,
): Promise<RequeueRequest> {
  const active_since = await deadBefore(app, reads);
  const settled_until = app.now() - REQUEUE_GRACE_SECONDS;
  return { settled_until, active_since, force, at: app.writes_at, routing };
}

/** Sorts them in the order in which runners would have taken them. @throws NotFoundError if none of the ids is known. */
async function longestWaitingFirst(reads: AppReads, invocationIds: readonly string[]): Promise<InvocationRow[]> {
  const rows = await invocationRows(reads, [...new Set(invocationIds)]);
  if (!rows.some(isStored)) throw new NotFoundError("invocation", idsOf(rows).join(", "));
  const since = ({ status_at }: InvocationRow) => status_at ?? "";
  return rows.sort((a, b) => ascending(since(a), since(b)));
}

function idsOf(rows: readonly InvocationRow[]): string[] {
  return rows.map((row) => row.invocation_id);
}

function notesOn(requeued: number, alive: AliveRunners, queueCanBeListed: boolean, named: boolean): string[] {
  if (requeued === 0) return [];
  const one = requeued === 1;
  const notes = [
    `${one ? "The message goes" : "The messages go"} ${named ? "behind others of the same priority" : "to the end of the queue"}. Status, history and arguments do not change.`,
  ];
  if (!queueCanBeListed) {
    notes.push(
      `This queue can only be counted: ${one ? "the message" : "a message"} may still be in it. With two messages an invocation may run twice.`,
    );
  }
  if (alive.count === 0) notes.push(`No runner is active: ${one ? "it waits" : "they wait"} in the queue.`);
  return notes;
}

function refusalOfAll(requeues: readonly Requeue[]): string {
  const reasons = reasonsOf(requeues);
  const [only] = reasons;
  const one = requeues.length === 1 || (only !== undefined && only.count === requeues.length);
  if (only !== undefined && one) return `No message can be put into the queue: ${only.reason}.`;
  return ["No message can be put into the queue.", ...reasons.map(countedRefusal)].join(" ");
}

interface CountedRefusal {
  count: number;
  /** About one invocation or about all of them, by their number. */
  reason: string;
}

function countedRefusal({ count, reason }: CountedRefusal): string {
  return `${grouped(count)} refused: ${reason}.`;
}

/** Why some are refused, each reason once. */
function reasonsOf(requeues: readonly Requeue[]): CountedRefusal[] {
  const byReason = new Map<string, RequeueRefusal[]>();
  for (const { refusal } of requeues) {
    if (refusal === null) continue;
    addTo(byReason, reasonOf(refusal, false), refusal);
  }
  return [...byReason.values()].flatMap((alike) => {
    const [first] = alike;
    return first === undefined ? [] : [{ count: alike.length, reason: reasonOf(first, alike.length > 1) }];
  });
}

function refusedRequeue(refusal: RequeueRefusal): RefusedRequeue {
  return { kind: refusal.kind, reason: reasonOf(refusal, false) };
}

/** @param many it is said of several invocations. */
function reasonOf(refusal: RequeueRefusal, many: boolean): string {
  const say = (one: string, several: string) => (many ? several : one);
  switch (refusal.kind) {
    case "unknown":
      return "neither a status nor a definition is stored";
    case "without_records":
      return `no ${refusal.missing} is stored, and a runner may stop at such a message`;
    case "not_waiting":
      return notWaiting(refusal.status, say);
    case "unsettled":
      return `${say("its status", "their statuses")} must be at least ${REQUEUE_GRACE_SECONDS} s old: ${say("the message", "the messages")} may still be on ${say("its", "their")} way`;
    case "queued":
      return say("its message is in the queue", "their messages are in the queue");
    case "unlisted":
      return `this queue can only be counted: it has ${counted(refusal.messages, "message")} and ${counted(refusal.runners, "runner")} ${refusal.runners === 1 ? "is" : "are"} active, so the message may be there or just taken`;
    case "undelivered":
      return `the queue did not accept the ${say("message", "messages")}: ${refusal.reason.replace(/\.$/, "")}`;
  }
}

function notWaiting(status: string, say: (one: string, several: string) => string): string {
  const its = say(`its status is ${status}`, `their status is ${status}`);
  if (statusInfo(status).final) return `${say("it is", "they are")} final: ${its}`;
  // A runner that takes such a message drops it (storage-format.md 7.8).
  if (PASSING_STATUSES.includes(status)) {
    return `${its}, and runners ignore its message; rerun ${say("it", "them")} instead`;
  }
  return `${say("it is", "they are")} not waiting for a message: ${its}`;
}
