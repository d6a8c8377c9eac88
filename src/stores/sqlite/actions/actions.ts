/** The actions of a SQLite store: as preview in a snapshot, and as action in a transaction. */
import { randomUUID } from "node:crypto";
import type { Actions } from "../../ports/actions.ts";
import { answerTo, type MethodCall } from "../../threads/port-calls.ts";
import type { Sync } from "../calls/sync.ts";
import { autoPurgeEvents } from "./auto-purge-events.ts";
import { autoPurgeOrchestrator } from "./auto-purge-orchestrator.ts";
import type { Access } from "./changes.ts";
import { purge, purgeQueue } from "./purge.ts";
import { requeue } from "./requeue.ts";
import { rerun } from "./rerun.ts";
import { sweepQueue } from "./sweep-queue.ts";
import { inTransaction, type TransactionInput } from "./transaction.ts";

/** Counts what the actions would do. */
export function previewActions(access: Access): Sync<Actions> {
  return actionsOn(access, null);
}

/** One action, as sent to the thread that executes it. */
export type ActionCall = MethodCall<Actions>;

/** Performs one action in its own transaction. */
export function performAction(input: TransactionInput, call: ActionCall): unknown {
  return inTransaction(input, (access) => perform(access, call));
}

/** Performs one action in the transaction that gives this access. */
export function perform(access: Access, call: ActionCall): unknown {
  return answerTo<Actions>(actionsOn(access, randomUUID), call);
}

function actionsOn(access: Access, newId: (() => string) | null): Sync<Actions> {
  return {
    purge: (components) => purge(access, components),
    purgeQueue: (queueName) => purgeQueue(access, queueName),
    autoPurgeOrchestrator: (retention) => autoPurgeOrchestrator(access, retention),
    autoPurgeEvents: (retention) => autoPurgeEvents(access, retention),
    rerun: (invocationIds, request) => rerun(access, invocationIds, request, newId),
    requeue: (invocationIds, request) => requeue(access, invocationIds, request),
    sweepQueue: () => sweepQueue(access),
  };
}
