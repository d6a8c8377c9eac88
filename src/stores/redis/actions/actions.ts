/** The actions of a Redis store: as preview, which counts, and as action, which works in steps. */
import { randomUUID } from "node:crypto";
import { errorOfStep, RefusedError, StoreUnreachableError } from "../../../errors.ts";
import type { Actions } from "../../ports/actions.ts";
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

const REST_LEFT =
  "What is already deleted stays deleted, and nothing is half deleted. Repeat the action to delete the rest.";
const PERHAPS_DONE = "It may have been registered anyway: check the newest invocations before you repeat it.";
const SAFE_AGAIN = "Messages may be in the queue anyway. Repeat the action to add only those that are missing.";
const NOTHING_DONE = "Nothing was changed.";

/**
 * Adds to an error what was done before it.
 *
 * @param afterwards sentence for the case that a step was done or may have been done.
 * @param atomicSteps false if a refused step may have been partly done.
 */
async function done<T>(
  reading: RedisReading,
  afterwards: string,
  act: (changes: Changes, beforeStep: () => void) => Promise<T>,
  atomicSteps = true,
): Promise<T> {
  let steps = 0;
  const beforeStep = () => {
    steps++;
  };
  try {
    return await act(performedChanges(reading, beforeStep), beforeStep);
  } catch (error) {
    const refused = error instanceof RefusedError || (atomicSteps && isRejection(error));
    const nothing = steps === 0 || (steps === 1 && refused);
    if (error instanceof RefusedError) {
      if (nothing) throw error;
      // The server became a replica in between.
      throw new StoreUnreachableError("failed", `${errorOfStep(error).reason} ${afterwards}`);
    }
    if (!(error instanceof StoreUnreachableError)) throw error;
    const message = `${error.message} ${nothing ? NOTHING_DONE : afterwards}`;
    throw new StoreUnreachableError(error.reason, message, error.hint, { cause: error });
  }
}
