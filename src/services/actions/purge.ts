/** Purges components of an app, and previews the consequences (storage-format.md 7.1, 7.2). */

import type { PurgeOutcome, PurgePreview, PurgeTarget } from "../../api/actions.ts";
import type { QueuedInvocation } from "../../api/model/queued-invocations.ts";
import { errorOfStep, InvalidInputError, MonitorError } from "../../errors.ts";
import { emptyQueueInput, purgedQueueInput } from "../../inputs/actions.ts";
import { counted } from "../../pynenc/numbers.ts";
import { statusInfo, WAITING_STATUSES } from "../../pynenc/statuses.ts";
import type { ComponentName } from "../../stores/ports/common.ts";
import { COMPONENTS } from "../../stores/ports/common.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { assertNamedQueues } from "../model/queue-consumers.ts";
import { queuesOf } from "../model/queue-health.ts";
import { queueLength } from "../model/queue-length.ts";
import { placed, queued } from "../model/queued-invocations.ts";
import { aliveRunners, refusalNow, total } from "./action-preview.ts";

/** Purge targets, by their names in URLs and commands. */
export const PURGES = {
  all: { title: "all data", components: COMPONENTS },
  broker: { title: "the broker queue", components: ["broker"] },
  orchestrator: { title: "the orchestrator", components: ["orchestrator"] },
  "state-backend": { title: "the state backend", components: ["state_backend"] },
  "client-data-store": { title: "the client data store", components: ["client_data_store"] },
  triggers: { title: "triggers, events and trigger runs", components: ["trigger"] },
} as const satisfies Record<PurgeTarget, { title: string; components: readonly ComponentName[] }>;

/** Targets whose purge leaves messages without the records that a runner needs, unless the queue is emptied first. */
const LEAVES_MESSAGES: readonly PurgeTarget[] = ["orchestrator", "state-backend"];

/** @throws InvalidInputError */
export async function previewPurge(app: OpenedApp, target: PurgeTarget, raw: RawInput): Promise<PurgePreview> {
  const { title, components, queue } = readPurge(target, raw);
  const counts = await app.memo(`preview purge ${components.join()} ${queue ?? ""}`, async (reads) => {
    if (queue === null) return reads.preview.purge(components);
    assertNamedQueues((await reads.broker.layout()).named, queue);
    return [await reads.preview.purgeQueue(queue)];
  });
  const { kept } = await app.inventory();
  return app.store.read(async (reads) => {
    const [{ messages }, { queue_shared, queue_peek, purge_is_atomic }] = await Promise.all([
      queueLength(reads),
      reads.layout.capabilities(),
    ]);
    const empties_queue = components.includes("broker");
    // The owners of messages in a shared queue are not known.
    const own = queue_shared && messages !== 0 ? null : messages;
    const stranded_messages = empties_queue || !LEAVES_MESSAGES.includes(target) ? 0 : own;
    // An external queue is emptied first.
    const shared = queue_shared && empties_queue;
    return {
      app_id: app.app_id,
      target,
      queue,
      title,
      messages: target === "broker" ? await firstMessages(app, reads, queue) : [],
      empties_queue,
      stranded_messages,
      queue_shared: shared,
      purge_is_atomic: purge_is_atomic && (!shared || components.length === 1),
      location: app.store.location,
      counts,
      total: total(counts),
      consequences: [
        ...queueConsequences(components, stranded_messages, { queue_shared, queue_peek }),
        ...(queue === null
          ? await consequencesOf(reads, components, kept)
          : [await queueConsequence(app, reads, queue)]),
      ],
      stays: components.includes("state_backend")
        ? ["The app's registration (app_info), so that monitors still find the app."]
        : [],
      runners_alive: await aliveRunners(app, reads, queue),
      settings: [],
      refused: await refusalNow(app, reads),
    };
  });
}

/** How many of the messages that would be deleted are listed. */
const LISTED = 10;

async function firstMessages(app: OpenedApp, reads: AppReads, queue: string | null): Promise<QueuedInvocation[]> {
  const [messages, counts] = await Promise.all([
    reads.broker.peekMessages({ limit: LISTED, offset: 0 }, queue ?? undefined),
    reads.broker.queues(),
  ]);
  const from = counts.filter(({ queue_name }) => queue === null || queue_name === queue);
  return queued(app, reads, placed(messages, from, 0));
}

/** How many rows of each list identify what would be deleted. */
const IDENTIFYING = 100;

/**
 * Identifies what a purge would delete, from a page of each list only. Together with the counts of the preview, it changes if rows were added, or removed
 * at the end from which programs take them. Rows that were replaced in the middle of a list are not noticed.
 *
 * @throws InvalidInputError
 */
export async function purgedRows(app: OpenedApp, target: PurgeTarget, raw: RawInput): Promise<readonly unknown[]> {
  const { components, queue } = readPurge(target, raw);
  const slice = { limit: IDENTIFYING, offset: 0 };
  const identify: Readonly<Record<ComponentName, (reads: AppReads) => Promise<unknown>>> = {
    // In the order in which runners take them.
    broker: ({ broker }) => broker.peekMessages(slice, queue ?? undefined),
    orchestrator: async ({ orchestrator }) =>
      (await orchestrator.listInvocations({}, slice)).map(({ invocation_id }) => invocation_id),
    // Every registration writes history.
    state_backend: ({ state_backend }) => state_backend.historyEnd(),
    client_data_store: ({ client_data_store }) => client_data_store.listValues(slice),
    trigger: async ({ trigger }) => {
      const [events, runs] = await Promise.all([trigger.listEvents({}, slice), trigger.listTriggerRuns({}, slice)]);
      return [events.map((one) => one.event_id), runs.map((one) => one.trigger_run_id)];
    },
  };
  return app.store.read((reads) => Promise.all(components.map((component) => identify[component](reads))));
}

/** @throws InvalidInputError; RefusedError, StoreUnreachableError: then nothing was changed. */
export async function purge(app: OpenedApp, target: PurgeTarget, raw: RawInput): Promise<PurgeOutcome> {
  const { title, components, queue } = readPurge(target, raw);
  if (queue !== null) {
    const { named } = await app.store.read((reads) => reads.broker.layout());
    assertNamedQueues(named, queue);
  }
  const rows = queue === null ? await app.store.actions.purge(components) : [await app.store.actions.purgeQueue(queue)];
  const deleted = total(rows);
  const { swept, failure } = mayStrand(components) ? await sweepQueue(app) : { swept: 0, failure: null };
  return {
    success: true,
    action: "purge",
    app_id: app.app_id,
    target,
    queue,
    message: [
      `Purged ${title} of ${app.app_id}: ${counted(deleted, queue === null ? "row" : "message")} deleted.`,
      ...(queue !== null && deleted > 0 ? ["Invocations that waited for them wait until they are requeued."] : []),
      ...(swept === 0
        ? []
        : [
            `${counted(swept, "message")} of calls that were being registered during the purge ${swept === 1 ? "was" : "were"} removed too.`,
          ]),
      ...(failure === null ? [] : [`Could not search for messages that arrived during the purge: ${failure}`]),
    ].join(" "),
    deleted,
    rows,
    swept_messages: swept,
  };
}

interface PurgeRequest {
  title: string;
  components: readonly ComponentName[];
  /** Only this queue of the broker; null for everything. */
  queue: string | null;
}

/** Reads a purge request. If the queue is included, it is emptied first. */
function readPurge(target: PurgeTarget, raw: RawInput): PurgeRequest {
  const { title, components } = PURGES[target];
  if (target === "broker") {
    if (raw.queue !== undefined && raw.queue.at(-1)?.trim() === "") {
      // Ignoring it would delete more than was requested.
      throw new InvalidInputError([
        { parameter: "queue", value: "", accepted: "the name of a queue; it must not be empty" },
      ]);
    }
    const { queue = null } = parseInput(purgedQueueInput, raw);
    return { title: queue === null ? title : `queue ${queue}`, components, queue };
  }
  if (!LEAVES_MESSAGES.includes(target)) {
    parseInput({}, raw);
    return { title, components, queue: null };
  }
  const { empty_queue = false } = parseInput(emptyQueueInput, raw);
  if (!empty_queue) return { title, components, queue: null };
  return { title: `the broker queue and ${title}`, components: ["broker", ...components], queue: null };
}

/** What happens to invocations whose messages are deleted with one queue. */
async function queueConsequence(app: OpenedApp, reads: AppReads, queue: string): Promise<string> {
  const { queues } = await queuesOf(app, reads);
  const waiting = queues.find((one) => one.queue_name === queue)?.waiting ?? 0;
  if (waiting === 0) return "No waiting invocation has a message in this queue. Other queues stay.";
  return `${counted(waiting, "invocation stays", "invocations stay")} as ${waiting === 1 ? "it is" : "they are"}, waiting for a runner. Without a message no runner takes ${waiting === 1 ? "it" : "them"}: recovery only handles pending and running invocations. Requeue, on ${waiting === 1 ? "its page, can make a new one for it" : "the page of each, can make new ones for them"}, with ${queue} as the chosen queue and without the priority. Other queues stay.`;
}

/** Whether a call registered during the purge may leave a message without records. */
function mayStrand(components: readonly ComponentName[]): boolean {
  return components.includes("broker") && (components.includes("orchestrator") || components.includes("state_backend"));
}

/**
 * Delays in milliseconds after which the queue is swept again. They start short, because runners poll ten times a second, and last a second,
 * because a client writes records and message one after the other and the purge may have run in between.
 */
const SWEEP_PAUSES_MS = [0, 100, 300, 600];

/** Does not throw if the store fails, because the purge itself has succeeded. */
async function sweepQueue(app: OpenedApp): Promise<{ swept: number; failure: string | null }> {
  let swept = 0;
  try {
    for (const pause of SWEEP_PAUSES_MS) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      swept += await app.store.actions.sweepQueue();
    }
  } catch (error) {
    if (error instanceof MonitorError) return { swept, failure: errorOfStep(error).reason };
    throw error;
  }
  return { swept, failure: null };
}

/** Consequences for messages, including those that the purge leaves behind. */
function queueConsequences(
  components: readonly ComponentName[],
  stranded: number | null,
  { queue_shared, queue_peek }: { queue_shared: boolean; queue_peek: boolean },
): string[] {
  const sentences: string[] = [];
  if (queue_shared && components.includes("broker")) {
    sentences.push(
      "Apps configured with the same server, virtual host and queue share this queue, so their messages are deleted too.",
    );
    if (components.length > 1) sentences.push("The queue is emptied first. If that fails, nothing else is deleted.");
  }
  if (stranded !== 0) {
    const missing = components.includes("orchestrator") ? "status" : "definition";
    const stay = stranded === null ? "Messages may stay" : counted(stranded, "message stays", "messages stay");
    sentences.push(
      `${stay} in the queue for invocations without a ${missing}. A ThreadRunner that takes one stops; a MultiThreadRunner may pause. To avoid this, empty the queue first (--empty-queue)${queue_shared ? ", but other apps may have messages there" : ""}.`,
    );
  }
  if (mayStrand(components)) {
    const afterwards = queue_peek
      ? "Such messages are removed for one second after the purge; a runner may take one first."
      : "This queue can only be counted, so such messages cannot be found.";
    sentences.push(
      `Stop the programs that register calls first: a call registered during the purge may leave a message for an invocation without a status, at which a ThreadRunner stops. ${afterwards}`,
    );
  }
  return sentences;
}

/** Whether an invocation in this status neither waits for a runner nor has ended. */
function isUnderWay(status: string): boolean {
  const { known, final, available } = statusInfo(status);
  return known && !final && !available;
}

async function consequencesOf(
  reads: AppReads,
  components: readonly ComponentName[],
  statuses: Readonly<Record<string, number>>,
): Promise<string[]> {
  const purged = new Set(components);
  const countOf = (words: readonly string[]) => words.reduce((sum, word) => sum + (statuses[word] ?? 0), 0);
  const underWay = Object.keys(statuses).filter((word) => isUnderWay(word) && countOf([word]) > 0);
  const waiting = countOf(WAITING_STATUSES);
  const sentences: string[] = [];
  if (purged.has("broker") && !purged.has("orchestrator") && waiting > 0) {
    const remedy = purged.has("state_backend") ? "" : " Requeue, on the page of each, can make new ones for them.";
    sentences.push(
      `${counted(waiting, "invocation waits", "invocations wait")} for a runner (registered, rerouted or retry). Without a message no runner takes them: recovery only handles pending and running invocations.${remedy}`,
    );
  }
  if (purged.has("orchestrator")) {
    if (underWay.length > 0) {
      sentences.push(
        `${counted(countOf(underWay), "invocation")} under way (${underWay.sort().join(", ")}) can no longer end.`,
      );
    }
    sentences.push("Active runners appear again with their next heartbeat.");
  }
  if (purged.has("state_backend")) {
    sentences.push(
      "Definitions, histories, results, exceptions and workflows are lost.",
      "Until they restart, active runners are recorded as unknown runners.",
    );
  }
  if (purged.has("client_data_store")) {
    sentences.push(
      "Large arguments, results and payloads become unreadable, and queued invocations with large arguments fail.",
    );
  }
  if (purged.has("trigger")) {
    const backlog = await reads.trigger.countValidConditions();
    sentences.push("Until runners restart, nothing is triggered and stuck invocations are not recovered.");
    if (backlog > 0) {
      sentences.push(`${counted(backlog, "condition")} met but not handled yet ${backlog === 1 ? "is" : "are"} lost.`);
    }
  }
  return sentences;
}
