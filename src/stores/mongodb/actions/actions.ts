/** The actions of a MongoDB store: as preview, which counts, and as action, which works in steps. */
import { randomUUID } from "node:crypto";
import type { Actions } from "../../ports/actions.ts";
import { doneInSteps, PERHAPS_DONE, REST_LEFT, SAFE_AGAIN } from "../../server/action-steps.ts";
import type { MongoReading } from "../collections/reading.ts";
import { isRejection } from "../server/failures.ts";
import { autoPurgeEvents } from "./auto-purge-events.ts";
import { autoPurgeOrchestrator } from "./auto-purge-orchestrator.ts";
import { type Changes, performedChanges, previewChanges } from "./changes.ts";
import { purge, purgeQueue } from "./purge.ts";
import { requeue } from "./requeue.ts";
import { rerun } from "./rerun.ts";
import { sweepQueue } from "./sweep-queue.ts";

/** Counts what the actions would do. */
export function previewActions(reading: MongoReading): Actions {
  return actionsWith(reading, (_, act) => act(previewChanges(reading)), null);
}

export function actionsOf(reading: MongoReading): Actions {
  return actionsWith(
    reading,
    (afterwards, act) =>
      doneInSteps(afterwards, isRejection, (beforeStep) => act(performedChanges(reading, beforeStep))),
    randomUUID,
  );
}

/** Executes one action. @param afterwards sentence for the case that it failed and a step was done or may have been done. */
type Execute = <T>(afterwards: string, act: (changes: Changes) => Promise<T>) => Promise<T>;

function actionsWith(reading: MongoReading, execute: Execute, newId: (() => string) | null): Actions {
  return {
    purge: (components) => execute(REST_LEFT, (changes) => purge(reading, changes, components)),
    purgeQueue: (queueName) => execute(REST_LEFT, (changes) => purgeQueue(reading, changes, queueName)),
    autoPurgeOrchestrator: (retention) =>
      execute(REST_LEFT, (changes) => autoPurgeOrchestrator(reading, changes, retention)),
    autoPurgeEvents: (retention) => execute(REST_LEFT, (changes) => autoPurgeEvents(reading, changes, retention)),
    rerun: (invocationIds, request) =>
      execute(PERHAPS_DONE, (changes) => rerun(reading, changes, invocationIds, request, newId)),
    requeue: (invocationIds, request) =>
      execute(SAFE_AGAIN, (changes) => requeue(reading, changes, invocationIds, request)),
    sweepQueue: () => execute(REST_LEFT, (changes) => sweepQueue(reading, changes)),
  };
}
