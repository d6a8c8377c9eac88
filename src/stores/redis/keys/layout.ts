import type { ComponentName } from "../../ports/common.ts";
import { COMPONENTS } from "../../ports/common.ts";
import type { LayoutReads } from "../../ports/layout.ts";
import { storageFigures } from "./figures.ts";
import { type LayoutSigns, layoutSigns, namesParentEvents } from "./layout-signs.ts";
import type { QueueKeys } from "./queue-keys.ts";
import type { RedisReading } from "./reading.ts";

/** Describes the layout of an app's keys. */
export function layoutReads(reading: RedisReading): LayoutReads {
  return {
    async report() {
      const [signs, parentEvents, queues] = await Promise.all([
        layoutSigns(reading),
        namesParentEvents(reading),
        reading.queues(),
      ]);
      // Only a walk over all keys finds unknown keys; the figures of the store list them.
      const label = queues.named ? "0.4 or newer (provisional)" : labelOf(signs);
      return {
        label,
        evidence: evidenceOf(signs, parentEvents, queues),
        trigger_schema: null,
        unknown_tables: [],
        gaps: [],
      };
    },

    async capabilities() {
      const { present, events, executions, consumed_queues } = await layoutSigns(reading);
      return {
        events,
        executions,
        // A component without keys is empty. An app kept in another store has no keys at all.
        components: Object.fromEntries(COMPONENTS.map((component) => [component, present])) as Record<
          ComponentName,
          boolean
        >,
        queue_peek: true,
        consumed_queues,
        queue_shared: false,
        purge_is_atomic: false,
        writes_refused: null,
      };
    },

    figures: () => storageFigures(reading),

    files: async () => [],
  };
}

function labelOf({ present, blank, events, executions }: LayoutSigns): string {
  if (!present) return "incomplete";
  if (blank) return "0.2.0 or newer";
  return events || executions ? "0.2.4 or newer" : "0.2.0 to 0.2.3 (pynenc_redis 0.1.5)";
}

function evidenceOf(
  { present, blank, events, executions, last_service, consumed_queues }: LayoutSigns,
  parentEvents: boolean,
  { named }: QueueKeys,
): string[] {
  if (!present) return [];
  if (blank && !named) return ["no data that shows more has been written yet"];
  const seen = [
    ...(named ? ["the broker has named queues"] : []),
    ...(consumed_queues ? ["heartbeats carry consumed_queues"] : []),
    ...(events ? ["events and trigger runs are recorded"] : []),
    ...(executions ? ["atomic-service executions are recorded"] : []),
    ...(parentEvents ? ["invocations carry parent_event_id"] : []),
    ...(last_service ? ["heartbeats carry last_service_start"] : []),
  ];
  return named || events || executions ? seen : [...seen, "no data that only pynenc 0.2.4 or newer writes"];
}
