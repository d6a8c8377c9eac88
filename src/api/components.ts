/** Broker, orchestrator, state backend and client data store. */
import { z } from "zod";
import { QueueHealth, queueNote, queuesComplete } from "./health.ts";
import {
  InvocationTotals,
  instant,
  PageInfo,
  ServerLoad,
  SettingRow,
  StatusCount,
  StorageFigure,
  seconds,
} from "./model/common.ts";
import { InvocationRow } from "./model/invocation-rows.ts";
import { RunnerCounts } from "./model/runner-names.ts";
import { StoreFacts } from "./model/store-facts.ts";
import { DisplayValue } from "./model/values.ts";
import { Lately } from "./stats.ts";

export const QueuedInvocation = InvocationRow.extend({
  queue_name: z.string().nullable().describe("Null where the one queue has no name."),
  priority: z.number().nullable().describe("Greater is taken sooner; null where there are none."),
  place: z.int().describe("Its place in its queue; 1 is taken next."),
  queued_at: instant.nullable().describe("Null where the queue does not keep it."),
  queued_seconds: seconds.nullable(),
}).meta({ id: "QueuedInvocation" });
export type QueuedInvocation = z.infer<typeof QueuedInvocation>;

export const BrokerOverview = z
  .object({
    settings: z.array(SettingRow),
    present: z.boolean().describe("False when the app's broker is not in this store (kept in memory or elsewhere)."),
    queue_peek: z.boolean().describe("False when the messages can only be counted."),
    queue_shared: z.boolean().describe("Messages of other apps may be among them."),
    named_queues: z.boolean().describe("Queues have names and messages priorities (since 0.4)."),
    queue_note: queueNote,
    queues_complete: queuesComplete,
    messages: z.int(),
    queues: z
      .array(QueueHealth)
      .describe("One without a name before 0.4; the first of them where there are very many."),
    more_queues: z.int(),
    waiting: z.int().describe("Messages of all queues that wait, as in QueueHealth."),
    oldest_queued_at: instant.nullable().describe("Of messages that wait: of those whose invocation is not final."),
    oldest_seconds: seconds.nullable(),
    active_runners: z.int(),
    next: z
      .array(QueuedInvocation)
      .describe("Messages that wait and are taken next, of each queue. There is no order over several queues."),
    lately: Lately.nullable().describe(
      "Null where figures over time are switched off, while the last hour has not been read, and in the answer of a command.",
    ),
  })
  .meta({ id: "BrokerOverview", description: "Queues, and the messages that are taken next." });
export type BrokerOverview = z.infer<typeof BrokerOverview>;

export const QueuePage = z
  .object({
    present: z.boolean().describe("As in `BrokerOverview`."),
    queue_peek: z.boolean(),
    named_queues: z.boolean(),
    queue_note: queueNote,
    queues_complete: queuesComplete,
    queue: z.string().nullable().describe("The one that was asked for; null for all."),
    queues: z.array(QueueHealth).describe("As in `BrokerOverview`."),
    more_queues: z.int(),
    messages: z.array(QueuedInvocation),
    page: PageInfo,
  })
  .meta({ id: "QueuePage", description: "Waiting messages, in the order they will be taken." });
export type QueuePage = z.infer<typeof QueuePage>;

export const BlockingPair = z
  .object({ waiter: InvocationRow, waited: InvocationRow })
  .meta({ id: "BlockingPair", description: "`waiter` waits for the result of `waited`." });
export type BlockingPair = z.infer<typeof BlockingPair>;

export const OrchestratorOverview = z
  .object({
    present: z.boolean(),
    statuses: z.array(StatusCount).describe("Of all invocations, also of those that the orchestrator no longer keeps."),
    totals: InvocationTotals,
    runners: RunnerCounts.extend({ eligible_for_atomic_service: z.int() }),
    blocking: z.array(BlockingPair).describe("Waits that hold now, the latest first; the first 50."),
    blocking_count: z.int(),
    stale_blocking: z
      .array(BlockingPair)
      .describe(
        "Recorded waits that hold no more: one side is final, or the orchestrator has no status of it; the first 50.",
      ),
    stale_blocking_count: z.int(),
    blocking_complete: z
      .boolean()
      .describe("False where more waits are recorded than are looked at (1,000): both counts are then of the latest."),
    recovery: z
      .object({ pending: z.array(InvocationRow), running: z.array(InvocationRow) })
      .describe("Invocations that recovery will reroute at its next turn; at most 100 of each."),
    stuck_after: z
      .object({ pending: z.string(), running: z.string() })
      .describe(
        "From when on an invocation counts as stuck, and how that is known: settings that were not found are pynenc's defaults.",
      ),
    atomic_service_executions: z
      .record(z.string(), z.int())
      .nullable()
      .describe("Null where executions are not recorded."),
    settings: z.array(SettingRow),
    crons: z.object({ pending: z.string(), running: z.string() }).describe("The recovery crons as English text."),
  })
  .meta({ id: "OrchestratorOverview", description: "Statuses, waits and recovery." });
export type OrchestratorOverview = z.infer<typeof OrchestratorOverview>;

export const StateBackendOverview = z
  .object({
    present: z.boolean(),
    location: z.string(),
    figures: z.array(StorageFigure),
    loads: z.array(ServerLoad).describe("Empty for a store that is made of files."),
    oldest_entry: instant.nullable(),
    newest_entry: instant.nullable(),
    totals: InvocationTotals,
    app_info: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("What the app wrote about itself, secrets masked; null after a purge of the state backend."),
    settings: z.array(SettingRow),
  })
  .meta({ id: "StateBackendOverview", description: "What the state backend holds." });
export type StateBackendOverview = z.infer<typeof StateBackendOverview>;

export const StoreReport = z
  .object({
    ...StoreFacts.shape,
    figures: z.array(StorageFigure).describe("Of all components."),
    loads: z.array(ServerLoad).describe("Empty for a store that is made of files."),
    oldest_entry: instant.nullable().describe("When the first history entry was written; null where there is none."),
    newest_entry: instant.nullable(),
  })
  .meta({ id: "StoreReport", description: "The store of an app: its layout, components, size and settings." });
export type StoreReport = z.infer<typeof StoreReport>;

export const StoredValueRow = z
  .object({
    data_key: z.string(),
    size: z.int(),
    stored_at: instant.nullable().describe("Null where the store does not keep it."),
  })
  .meta({ id: "StoredValueRow" });
export type StoredValueRow = z.infer<typeof StoredValueRow>;

export const LookedUpValue = StoredValueRow.extend({ value: DisplayValue }).meta({ id: "LookedUpValue" });
export type LookedUpValue = z.infer<typeof LookedUpValue>;

export const ClientDataOverview = z
  .object({
    present: z.boolean(),
    values: z.int(),
    bytes: z.int(),
    oldest: instant.nullable(),
    newest: instant.nullable(),
    rows: z.array(StoredValueRow),
    page: PageInfo,
    looked_up: LookedUpValue.nullable().describe("The value asked for with `reference`."),
    settings: z.array(SettingRow),
  })
  .meta({ id: "ClientDataOverview", description: "Values in the client data store." });
export type ClientDataOverview = z.infer<typeof ClientDataOverview>;
