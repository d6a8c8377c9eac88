import { text } from "../collections/fields.ts";
import { findIn } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Changes } from "./changes.ts";

/** Limit of messages checked. Right after a purge there are only those added since. */
const MAX_MESSAGES = 10_000;

/**
 * Removes messages whose invocation has no status or no definition. Messages are read before the records: pynenc writes records first, so a record
 * that is missing then never existed or was removed.
 */
export async function sweepQueue(reading: MongoReading, changes: Changes): Promise<number> {
  const messages = await reading.of("broker", "messages").find({}, { limit: MAX_MESSAGES, only: { invocation_id: 1 } });
  const ids = messages.map(({ invocation_id }) => text(invocation_id));
  const [statuses, definitions] = await Promise.all(
    (["orchestrator", "state_backend"] as const).map(async (component) => {
      const found = await findIn(reading.of(component, "invocations"), "invocation_id", ids, {
        only: { invocation_id: 1 },
      });
      return new Set(found.map(({ invocation_id }) => text(invocation_id)));
    }),
  );
  const orphans = messages.filter((_, i) => !statuses?.has(ids[i] ?? "") || !definitions?.has(ids[i] ?? ""));
  return orphans.length === 0
    ? 0
    : changes.remove("broker", "messages", { _id: { $in: orphans.map(({ _id }) => _id) } });
}
