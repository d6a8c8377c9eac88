/** The actions of a Redis store: as preview, which counts, and as action, which works in steps. */
import { randomUUID } from "node:crypto";
import type { Actions } from "../../ports/actions.ts";
import { doneInSteps, PERHAPS_DONE, REST_LEFT, SAFE_AGAIN } from "../../server/action-steps.ts";
import type { RedisReading } from "../keys/reading.ts";
import { isRejection } from "../server/failures.ts";
import { autoPurgeEvents } from "./auto-purge-events.ts";
import { autoPurgeOrchestrator } from "./auto-purge-orchestrator.ts";
import { type Changes, performedChanges, previewChanges } from "./changes.ts";
import { purge, purgeable, purgeableQueue, purgeQueue } from "./purge.ts";
import { requeue } from "./requeue.ts";
import { rerun } from "./rerun.ts";
import { messagesWithoutRecords, sweepQueue } from "./sweep-queue.ts";

/** Counts what the actions would do. */
export function previewActions(reading: RedisReading): Actions {
  const changes = previewChanges(reading);
  return {
    purge: (components) => purgeable(reading, components),
    purgeQueue: (queueName) => purgeableQueue(reading, queueName),
    autoPurgeOrchestrator: (retention) => autoPurgeOrchestrator(reading, changes, retention),
    autoPurgeEvents: (retention) => autoPurgeEvents(reading, changes, retention),
    rerun: (invocationIds, request) => rerun(reading, changes, invocationIds, request, null),
    requeue: (invocationIds, request) => requeue(reading, changes, invocationIds, request),
    sweepQueue: async () => (await messagesWithoutRecords(reading)).length,
  };
}

export function actionsOf(reading: RedisReading): Actions {
  return {
    purge: (components) => done(reading, REST_LEFT, (_, beforeStep) => purge(reading, components, beforeStep)),
    purgeQueue: (queueName) => done(reading, REST_LEFT, (_, beforeStep) => purgeQueue(reading, queueName, beforeStep)),
    autoPurgeOrchestrator: (retention) =>
      done(reading, REST_LEFT, (changes) => autoPurgeOrchestrator(reading, changes, retention)),
    autoPurgeEvents: (retention) => done(reading, REST_LEFT, (changes) => autoPurgeEvents(reading, changes, retention)),
    rerun: (invocationIds, request) =>
      done(reading, PERHAPS_DONE, (changes) => rerun(reading, changes, invocationIds, request, randomUUID)),
    requeue: (invocationIds, request) =>
      // One script per message.
      done(reading, SAFE_AGAIN, (changes) => requeue(reading, changes, invocationIds, request), false),
    sweepQueue: () => done(reading, REST_LEFT, (_, beforeStep) => sweepQueue(reading, beforeStep)),
  };
}

/** @param atomicSteps false if a refused step may have been partly done. */
function done<T>(
  reading: RedisReading,
  afterwards: string,
  act: (changes: Changes, beforeStep: () => void) => Promise<T>,
  atomicSteps = true,
): Promise<T> {
  return doneInSteps(
    afterwards,
    (error) => atomicSteps && isRejection(error),
    (beforeStep) => act(performedChanges(reading, beforeStep), beforeStep),
  );
}
