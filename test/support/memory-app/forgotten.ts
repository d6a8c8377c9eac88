import type { ForgottenReads } from "../../../src/stores/ports/forgotten.ts";
import type { Sync } from "../../../src/stores/sqlite/calls/sync.ts";
import { type MemoryRows, ofAny, sortedBy } from "./rows.ts";

/** The position of a definition is its place. */
export function forgottenReads({ definitions, statuses, history }: MemoryRows): Sync<ForgottenReads> {
  const kept = new Set(statuses.map((row) => row.invocation_id));
  const inOrder = sortedBy(
    history,
    (entry) => entry.written_at,
    (entry) => entry.timestamp,
  );
  const lastStatus = new Map(inOrder.map((entry) => [entry.invocation_id, entry.status]));
  return {
    scan(scanLimit, after) {
      const end = after === undefined ? definitions.length : Number(after);
      const start = Math.max(0, end - scanLimit);
      const scanned = definitions.slice(start, end).map((row, i) => ({ ...row, order: start + i }));
      return {
        rows: scanned
          .reverse()
          .filter((row) => !kept.has(row.invocation_id))
          .map(({ invocation_id, task_id_key, call_id_key, order }) => ({
            invocation_id,
            task_id_key,
            call_id_key,
            last_status: lastStatus.get(invocation_id) ?? null,
            order,
          })),
        scanned: end - start,
        next: start === 0 ? null : String(start),
        reached: start,
        last: definitions[start]?.invocation_id ?? null,
      };
    },
    orderOf: (ids) => {
      const isWanted = ofAny(ids);
      return Object.fromEntries(
        definitions.flatMap((row, order) => (isWanted(row) ? [[row.invocation_id, order]] : [])),
      );
    },
  };
}
