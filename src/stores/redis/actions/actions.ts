/** The actions of a Redis store: once counted (preview), once done in steps. */
import { randomUUID } from "node:crypto";
import { StoreUnreachableError } from "../../../errors.ts";
import type { Actions } from "../../ports.ts";
import type { RedisReading } from "../keys/reading.ts";
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
      done(reading, SAFE_AGAIN, (changes) => requeue(reading, changes, invocationIds, request)),
    sweepQueue: () => done(reading, REST_LEFT, (_, beforeStep) => sweepQueue(reading, beforeStep)),
  };
}

const REST_LEFT =
  "What is already deleted stays deleted, and nothing is half deleted. Repeat the action to delete the rest.";
const PERHAPS_DONE = "It may have been registered anyway: check the newest invocations before you repeat it.";
const SAFE_AGAIN = "Messages may be in the queue anyway. Repeat the action to add only those that are missing.";

/** @param afterwards what has to be known when the server is lost after the first step was sent. */
async function done<T>(
  reading: RedisReading,
  afterwards: string,
  act: (changes: Changes, beforeStep: () => void) => Promise<T>,
): Promise<T> {
  let begun = false;
  const beforeStep = () => {
    begun = true;
  };
  try {
    return await act(performedChanges(reading, beforeStep), beforeStep);
  } catch (error) {
    if (!begun || !(error instanceof StoreUnreachableError)) throw error;
    throw new StoreUnreachableError(error.reason, `${error.message} ${afterwards}`, error.hint, { cause: error });
  }
}
