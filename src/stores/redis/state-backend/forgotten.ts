/** Definitions without a status: pynenc's auto-purge leaves them and their entry in the time index (storage-format.md 9.2). */
import type { ForgottenReads } from "../../ports/forgotten.ts";
import { inChunks } from "../../server/chunks.ts";
import type { RedisReading } from "../keys/reading.ts";
import { definitionsOf, everything } from "./definitions.ts";
import { historyReads } from "./history.ts";
import { listed, positionOf, type Registered } from "./registered.ts";
import { registrationTimes } from "./registration-times.ts";

/** Ids read per round trip. */
const STEP = 1_000;

export function forgottenReads(reading: RedisReading): ForgottenReads {
  const { keys } = reading;

  /** Ids without a status; definitions are read only for these. */
  async function withoutStatus(candidates: readonly Registered[]): Promise<string[]> {
    const statusKey = (id: string) => keys.key("orchestrator", "invocation_status", id);
    const ids = candidates.map((row) => row.invocation_id);
    const kept = new Set(await reading.db("orchestrator").existing(ids.map(statusKey)));
    return ids.filter((id) => !kept.has(statusKey(id)));
  }

  return {
    async scan(scanLimit, after) {
      const step: Registered[] = [];
      for await (const some of everything(reading, positionOf(after))) {
        step.push(...some);
        if (step.length >= scanLimit) break;
      }
      const candidates = step.slice(0, scanLimit);
      const definitions = [];
      for (const some of inChunks(candidates, STEP)) {
        definitions.push(...(await definitionsOf(reading, await withoutStatus(some))));
      }
      const ids = definitions.map((definition) => definition.invocation_id);
      const [spans, orders] = await Promise.all([
        historyReads(reading).historySpanOf(ids),
        registrationTimes(reading, ids),
      ]);
      const lastStatus = new Map(spans.map((span) => [span.invocation_id, span.last.status]));
      const end = candidates.at(-1);
      return {
        rows: definitions.map(({ invocation_id, task_id_key, call_id_key }) => ({
          invocation_id,
          task_id_key,
          call_id_key,
          last_status: lastStatus.get(invocation_id) ?? null,
          order: orders.get(invocation_id) ?? 0,
        })),
        scanned: candidates.length,
        next: end === undefined || step.length < scanLimit ? null : listed(end).cursor,
        // Invocations missing in the index come last, whatever their time, so before their end no position is certain to be passed.
        reached: end === undefined ? Number.NEGATIVE_INFINITY : (end.at ?? Number.POSITIVE_INFINITY),
        last: end?.invocation_id ?? null,
      };
    },

    async orderOf(invocationIds) {
      return Object.fromEntries(await registrationTimes(reading, invocationIds));
    },
  };
}
