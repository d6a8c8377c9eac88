/** Emptying components of an app: what that breaks, and doing it (storage.md 7.1, 7.2). */

import { counted } from "../pynenc/numbers.ts";
import type { AppReads, ComponentName } from "../stores/ports.ts";
import { COMPONENTS } from "../stores/ports.ts";
import type { ActionOutcome } from "./action-log.ts";
import { type ActionCount, type ActionPreview, aliveRunners, refusalNow, total } from "./action-preview.ts";
import type { OpenedApp } from "./opened-app.ts";
import { queueLength } from "./queue-length.ts";

/** What can be purged, by the words of addresses and commands. */
export const PURGE_TARGETS = {
  all: { title: "all data", components: COMPONENTS },
  broker: { title: "the broker queue", components: ["broker"] },
  orchestrator: { title: "the orchestrator", components: ["orchestrator"] },
  "state-backend": { title: "the state backend", components: ["state_backend"] },
  "client-data-store": { title: "the client data store", components: ["client_data_store"] },
  triggers: { title: "triggers, events and trigger runs", components: ["trigger"] },
} as const satisfies Record<string, { title: string; components: readonly ComponentName[] }>;

export type PurgeTarget = keyof typeof PURGE_TARGETS;

export interface PurgePreview extends ActionPreview {
  target: PurgeTarget;
  /** What would be emptied: `the broker queue`. */
  title: string;
  /** The queue that would be emptied is kept apart and may hold messages of other apps. */
  queue_shared: boolean;
  /** As in `Capabilities`. */
  purge_is_atomic: boolean;
}

export interface PurgeOutcome extends ActionOutcome {
  target: PurgeTarget;
  deleted: number;
  rows: ActionCount[];
}

export async function previewPurge(app: OpenedApp, target: PurgeTarget): Promise<PurgePreview> {
  const { title, components } = PURGE_TARGETS[target];
  const counts = await app.memo(`preview purge ${target}`, (reads) => reads.preview.purge(components));
  const { kept } = await app.census();
  return app.store.read(async (reads) => ({
    app_id: app.app_id,
    target,
    title,
    ...(await manner(reads, components)),
    location: app.store.location,
    counts,
    total: total(counts),
    consequences: await consequencesOf(reads, components, kept),
    stays: components.includes("state_backend" as never)
      ? [
          "The app's registration (app_info), so that monitors still find the app: pynenc would write it again only at its next start.",
        ]
      : [],
    runners_alive: await aliveRunners(app, reads),
    settings: [],
    refused: await refusalNow(app, reads),
  }));
}

/** @throws RefusedError, StoreUnreachableError: then nothing was changed. */
export async function purge(app: OpenedApp, target: PurgeTarget): Promise<PurgeOutcome> {
  const { title, components } = PURGE_TARGETS[target];
  const rows = await app.store.actions.purge(components);
  const deleted = total(rows);
  return {
    success: true,
    action: "purge",
    app_id: app.app_id,
    target,
    message: `Purged ${title} of ${app.app_id}: ${counted(deleted, "row")} deleted.`,
    deleted,
    rows,
  };
}

/** Statuses of invocations that wait for a runner to take their message. */
const WAITING = ["registered", "rerouted", "retry"];
/** Statuses that only the owner may move on. */
const OWNED = ["pending", "running", "paused"];

async function consequencesOf(
  reads: AppReads,
  components: readonly ComponentName[],
  statuses: Readonly<Record<string, number>>,
): Promise<string[]> {
  const purged = new Set(components);
  const countOf = (words: readonly string[]) => words.reduce((sum, word) => sum + (statuses[word] ?? 0), 0);
  const [waiting, owned] = [countOf(WAITING), countOf(OWNED)];
  const [{ messages }, { queue_shared, queue_needs_records }] = await Promise.all([
    queueLength(reads),
    reads.layout.capabilities(),
  ]);
  const sentences: string[] = [];
  if (purged.has("broker") && !purged.has("orchestrator") && waiting > 0) {
    sentences.push(
      `${counted(waiting, "invocation waits", "invocations wait")} for a runner (registered, rerouted or retry). Without a message none takes them up again: recovery looks only at those that are pending or running.`,
    );
  }
  if (purged.has("broker") && queue_shared) {
    sentences.push(
      "Apps whose settings name the same server, virtual host and queue share this queue: their messages are deleted as well.",
    );
    if (purged.size > 1) sentences.push("The queue is emptied first. The rest follows, and does not if that fails.");
  }
  if (!purged.has("broker") && messages !== 0 && (purged.has("orchestrator") || purged.has("state_backend"))) {
    const missing = purged.has("orchestrator") ? "status" : "definition";
    const stay = messages === null ? "Messages may stay" : counted(messages, "message stays", "messages stay");
    const harm = queue_needs_records ? "stops working" : "reports an error";
    sentences.push(
      `${stay} in the queue for invocations without a ${missing}: a runner that takes one ${harm}. Purge the broker too.`,
    );
  }
  if (purged.has("orchestrator")) {
    if (owned > 0) {
      sentences.push(
        `${counted(owned, "invocation is", "invocations are")} pending, running or paused and can no longer change ${owned === 1 ? "its" : "their"} status.`,
      );
    }
    sentences.push("Runners that are alive show up again with their next heartbeat.");
  }
  if (purged.has("state_backend")) {
    sentences.push(
      "Definitions, histories, results, exceptions and workflows are gone: what happened can no longer be looked up.",
      "Runners that are alive do not write their context again: what they do from now on is recorded under a runner that nobody knows, until they restart.",
    );
  }
  if (purged.has("client_data_store")) {
    sentences.push(
      "Every stored reference dangles: large arguments, results and payloads become unreadable, and queued invocations with large arguments fail.",
    );
  }
  if (purged.has("trigger")) {
    const backlog = await reads.trigger.countValidConditions();
    sentences.push(
      "Triggers and conditions are gone until runners restart and register them again. Until then nothing is triggered, and the two schedules that recover stuck invocations do not run either.",
    );
    if (backlog > 0) {
      sentences.push(
        `${counted(backlog, "condition")} that ${backlog === 1 ? "was" : "were"} met and not handled yet ${backlog === 1 ? "is" : "are"} lost.`,
      );
    }
  }
  return sentences;
}

async function manner(
  reads: AppReads,
  components: readonly ComponentName[],
): Promise<Pick<PurgePreview, "queue_shared" | "purge_is_atomic">> {
  const { queue_shared, purge_is_atomic } = await reads.layout.capabilities();
  const shared = queue_shared && components.includes("broker");
  // A queue that is kept apart is emptied before the rest.
  return { queue_shared: shared, purge_is_atomic: purge_is_atomic && (!shared || components.length === 1) };
}
