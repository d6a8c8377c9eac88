import type { ForgottenReads } from "../../../src/stores/ports/forgotten.ts";
import type { Sync } from "../../../src/stores/sqlite/calls/sync.ts";
import { type MemoryRows, ofAny, sortedBy } from "./rows.ts";

/** The position of a definition is its place. */
export function forgottenReads({ definitions, statuses, history }: MemoryRows): Sync<ForgottenReads> {
  const kept = new Set(statuses.map((row) => row.invocation_id));
  let last: ReadonlyMap<string, string> | null = null;
  /** Sorts the history when it is first asked: most apps have forgotten nothing. */
  const lastStatusOf = (id: string) => {
    last ??= new Map(
      sortedBy(
        history,
        (entry) => entry.written_at,
        (entry) => entry.timestamp,
      ).map((entry) => [entry.invocation_id, entry.status]),
    );
    return last.get(id) ?? null;
  };
  return {
    scan(scanLimit, after) {
      const end = after === undefined ? definitions.length : Number(after);
      const start = Math.max(0, end - scanLimit);
      return {
        rows: definitions
          .slice(start, end)
          .flatMap(({ invocation_id, task_id_key, call_id_key }, i) =>
            kept.has(invocation_id)
              ? []
              : [
                  {
                    invocation_id,
                    task_id_key,
                    call_id_key,
                    last_status: lastStatusOf(invocation_id),
                    order: start + i,
                  },
                ],
          )
          .reverse(),
        scanned: end - start,
        next: start === 0 ? null : String(start),
        reached: start,
        last: definitions[start]?.invocation_id ?? null,
      };
    },
    orderOf: (ids) => {
      const isWanted = ofAny(ids);
      const orders: Record<string, number> = {};
      definitions.forEach((row, order) => {
        if (isWanted(row)) orders[row.invocation_id] = order;
      });
      return orders;
    },
  };
}
