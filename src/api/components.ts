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
import { QueuedInvocation } from "./model/queued-invocations.ts";
import { RunnerCounts } from "./model/runner-names.ts";
import { StoreFacts } from "./model/store-facts.ts";
import { DisplayValue } from "./model/values.ts";
import { Lately, latelyNote } from "./stats.ts";

export const BrokerOverview = z
  .object({
    settings: z.array(SettingRow),
    present: z.boolean().describe("False if the app's broker is not in this store (in memory or elsewhere)."),
    queue_peek: z.boolean().describe("False if the messages can only be counted."),
    queue_shared: z.boolean().describe("Messages of other apps may be among them."),
    named_queues: z.boolean().describe("Queues have names and messages priorities (since 0.4)."),
    queue_note: queueNote,
    queues_complete: queuesComplete,
    messages: z.int(),
    queues: z
      .array(QueueHealth)
      .describe("A single one without a name before 0.4; the first ones if there are very many."),
    more_queues: z.int(),
    waiting: z.int().describe("Waiting messages of all queues, as in QueueHealth."),
    oldest_queued_at: instant.nullable().describe("Of waiting messages, those whose invocation is not final."),
    oldest_seconds: seconds.nullable(),
    active_runners: z.int(),
    next: z
      .array(QueuedInvocation)
      .describe("The waiting messages of each queue that are taken next. There is no order across queues."),
    lately: Lately.nullable().describe(
      "Null if figures over time are switched off, while the last hour has not been read, and in answers of commands.",
    ),
    lately_note: latelyNote,
  })
  .meta({ id: "BrokerOverview", description: "Queues, and the messages taken next." });
export type BrokerOverview = z.infer<typeof BrokerOverview>;

export const QueuePage = z
  .object({
    at: instant
      .nullable()
      .describe("The past instant that the answer describes, as far as the history shows it; null for now."),
    present: z.boolean().describe("As in `BrokerOverview`."),
    queue_peek: z.boolean(),
    named_queues: z.boolean(),
    queue_note: queueNote,
    queues_complete: queuesComplete,
    queue: z.string().nullable().describe("The requested queue; null for all."),
    queues: z.array(QueueHealth).describe("As in `BrokerOverview`."),
    more_queues: z.int(),
    messages: z.array(QueuedInvocation),
    page: PageInfo,
  })
  .meta({
    id: "QueuePage",
    description:
      "Waiting messages, in the order they are taken; of a past instant, the invocations that waited, the longest wait first.",
  });
export type QueuePage = z.infer<typeof QueuePage>;

export const BlockingPair = z
  .object({ waiter: InvocationRow, waited: InvocationRow })
  .meta({ id: "BlockingPair", description: "`waiter` waits for the result of `waited`." });
export type BlockingPair = z.infer<typeof BlockingPair>;

export const OrchestratorOverview = z
  .object({
    present: z.boolean(),
    statuses: z.array(StatusCount).describe("Of all invocations, including those that the orchestrator no longer has."),
    totals: InvocationTotals,
    runners: RunnerCounts.extend({ eligible_for_atomic_service: z.int() }),
    blocking: z.array(BlockingPair).describe("Current waits, the latest first; the first 50."),
    blocking_count: z.int(),
    stale_blocking: z
      .array(BlockingPair)
      .describe(
        "Recorded waits that no longer hold, because one side is final or has no status in the orchestrator; the first 50.",
      ),
    stale_blocking_count: z.int(),
    blocking_complete: z
      .boolean()
      .describe("False if more waits are recorded than are examined (1,000): both counts then cover the latest."),
    recovery: z
      .object({ pending: z.array(InvocationRow), running: z.array(InvocationRow) })
      .describe("Invocations that recovery will reroute at its next turn; at most 100 of each."),
    stuck_after: z
      .object({ pending: z.string(), running: z.string() })
      .describe(
        "After how long an invocation counts as stuck, and the source of that limit: pynenc's defaults if no setting was found.",
      ),
    atomic_service_executions: z
      .record(z.string(), z.int())
      .nullable()
      .describe("Null if executions are not recorded."),
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
    loads: z.array(ServerLoad).describe("Empty for stores in files."),
    oldest_entry: instant.nullable(),
    newest_entry: instant.nullable(),
    totals: InvocationTotals,
    app_info: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("What the app registered about itself, with secrets masked; null after a purge of the state backend."),
    settings: z.array(SettingRow),
  })
  .meta({ id: "StateBackendOverview", description: "The content of the state backend." });
export type StateBackendOverview = z.infer<typeof StateBackendOverview>;

export const StoreReport = z
  .object({
    ...StoreFacts.shape,
    figures: z.array(StorageFigure).describe("Of all components."),
    loads: z.array(ServerLoad).describe("Empty for stores in files."),
    oldest_entry: instant.nullable().describe("When the first history entry was written; null if there is none."),
    newest_entry: instant.nullable(),
  })
  .meta({ id: "StoreReport", description: "The store of an app: its layout, components, size and settings." });
export type StoreReport = z.infer<typeof StoreReport>;

export const StoredValueRow = z
  .object({
    data_key: z.string(),
    size: z.int(),
    stored_at: instant.nullable().describe("Null if the store does not record it."),
  })
  .meta({ id: "StoredValueRow" });

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
    looked_up: LookedUpValue.nullable().describe("The value requested with `reference`."),
    settings: z.array(SettingRow),
  })
  .meta({ id: "ClientDataOverview", description: "Values in the client data store." });
export type ClientDataOverview = z.infer<typeof ClientDataOverview>;
