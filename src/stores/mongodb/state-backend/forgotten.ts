/** Definitions without a status: pynenc's auto-purge leaves them. */
import type { ForgottenReads } from "../../ports/forgotten.ts";
import { text } from "../collections/fields.ts";
import { cursorOf, findIn, olderThan } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import { historyReads } from "./history.ts";

/** Positions within one second. */
const PER_SECOND = 2 ** 21;

export function forgottenReads(reading: MongoReading): ForgottenReads {
  const invocations = reading.of("state_backend", "invocations");

  return {
    async scan(scanLimit, after) {
      const definitions = await invocations.find(after === undefined ? {} : { _id: olderThan(after) }, {
        sort: { _id: -1 },
        limit: scanLimit,
        only: { invocation_id: 1, task_id_key: 1, call_id_key: 1 },
      });
      const ids = definitions.map(({ invocation_id }) => text(invocation_id));
      const kept = await findIn(reading.of("orchestrator", "invocations"), "invocation_id", ids, {
        only: { invocation_id: 1 },
      });
      const known = new Set(kept.map(({ invocation_id }) => text(invocation_id)));
      const forgotten = definitions.filter(({ invocation_id }) => !known.has(text(invocation_id)));
      const spans = await historyReads(reading).historySpanOf(
        forgotten.map(({ invocation_id }) => text(invocation_id)),
      );
      const lastStatus = new Map(spans.map((span) => [span.invocation_id, span.last.status]));
      const end = definitions.at(-1);
      return {
        rows: forgotten.map((stored) => ({
          invocation_id: text(stored.invocation_id),
          task_id_key: text(stored.task_id_key),
          call_id_key: text(stored.call_id_key),
          last_status: lastStatus.get(text(stored.invocation_id)) ?? null,
          order: positionOf(stored._id),
        })),
        scanned: definitions.length,
        next: end === undefined || definitions.length < scanLimit ? null : cursorOf(end),
        reached: end === undefined ? Number.NEGATIVE_INFINITY : positionOf(end._id),
        last: end === undefined ? null : text(end.invocation_id),
      };
    },

    async orderOf(invocationIds) {
      const found = await findIn(invocations, "invocation_id", invocationIds, { only: { invocation_id: 1 } });
      return Object.fromEntries(found.map(({ invocation_id, _id }) => [text(invocation_id), positionOf(_id)]));
    },
  };
}

/** The second of an `_id`, then the counter of its process: in the order of `_id`s, but for those of several processes within a second. */
function positionOf(id: unknown): number {
  const hex = text(id);
  if (!/^[0-9a-f]{24}$/.test(hex)) return 0;
  return Number.parseInt(hex.slice(0, 8), 16) * PER_SECOND + (Number.parseInt(hex.slice(18), 16) % PER_SECOND);
}
