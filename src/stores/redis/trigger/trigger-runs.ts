/** Trigger runs (storage-format.md 5.5) in the keys of plugins for pynenc 0.2.4 and later. */
import type { TriggerRunRecord } from "../../../pynenc/records.ts";
import type { EpochSeconds } from "../../../pynenc/time.ts";
import { triggerRunFromJson } from "../../../pynenc/trigger-records.ts";
import type { Slice } from "../../ports/common.ts";
import type { TriggerRunFilter, TriggerRunLink, TriggerRunReads } from "../../ports/trigger.ts";
import { inChunks } from "../../server/chunks.ts";
import { limited, maxPerId } from "../../server/row-limit.ts";
import type { RedisReading } from "../keys/reading.ts";
import { orchestratorReads } from "../orchestrator/orchestrator.ts";
import { textsOf } from "../server/db.ts";
import { TimeIndex, type TimeRange } from "../server/time-index.ts";

/** Index of trigger runs for each kind of participant. */
const RUN_LINKS = {
  event: "truns_for_event",
  source_invocation: "truns_sourced_by_invocation",
  triggered_invocation: "truns_for_invocation",
  valid_condition: "truns_for_valid_condition",
} as const;

/** Records read per step, and per step of a search that goes on to its limit. */
const STEP = 1_000;
const SEARCH_STEP = 5_000;

/** Seconds by which a trigger run may be outside the service run that created it. */
const LEEWAY = 60;

export function triggerRunReads(reading: RedisReading): TriggerRunReads {
  const db = reading.db("trigger");
  const key = (...parts: string[]) => reading.keys.key("trigger", ...parts);

  /** In the order of the ids, without those that have no readable record or lack any of these words in their text. */
  async function runs(ids: readonly string[], words: readonly string[] = []): Promise<TriggerRunRecord[]> {
    const stored = await db.strings(ids.map((id) => key("trun_hash", id)));
    return ids.flatMap((id, i) => {
      const json = stored[i] ?? null;
      const run = json === null || !words.every((word) => json.includes(word)) ? null : triggerRunFromJson(id, json);
      return run ?? [];
    });
  }

  async function timesOf(ids: readonly string[]): Promise<(EpochSeconds | null)[]> {
    const found = new Map((await runs(ids)).map((run) => [run.trigger_run_id, run.executed_at ?? run.claimed_at]));
    return ids.map((id) => found.get(id) ?? null);
  }

  /** Only time is indexed: runs are read until enough of them match the rest of the filter. */
  async function select(filter: TriggerRunFilter, slice: Slice): Promise<TriggerRunRecord[]> {
    const words = wordsOf(filter);
    const index = await openIndex(await narrowed(filter));
    const start = await startIn(index, filter);
    return index.rows({ direction: "backward", unfiltered: isOnlyByTime(filter), start }, slice, async (ids) =>
      (await runs(ids, words)).filter((run) => meets(run, filter)),
    );
  }

  /** Narrows the time range of the filter: a service run creates trigger runs only while it lasts. */
  async function narrowed({ from, to, atomic_service_run_id }: TriggerRunFilter): Promise<TimeRange> {
    const [service] =
      atomic_service_run_id === undefined
        ? []
        : await orchestratorReads(reading).executions({ limit: 1, offset: 0 }, { ids: [atomic_service_run_id] });
    if (service === undefined) return { from, to };
    return {
      from: Math.max(from ?? Number.NEGATIVE_INFINITY, service.start_time - LEEWAY),
      to: Math.min(to ?? Number.POSITIVE_INFINITY, (service.end_time ?? Number.POSITIVE_INFINITY) + LEEWAY),
    };
  }

  const openIndex = (range: TimeRange) => TimeIndex.open(db, key("truns_by_time"), range, timesOf);

  /** Number of newest runs to skip. */
  async function startIn(index: TimeIndex, { after }: TriggerRunFilter): Promise<number> {
    return after === undefined ? 0 : index.ranksBefore(after, 0);
  }

  return {
    async triggerRunsByIds(triggerRunIds) {
      const found: TriggerRunRecord[] = [];
      for (const ids of inChunks([...new Set(triggerRunIds)], STEP)) found.push(...(await runs(ids)));
      return found;
    },

    /** Oldest first for each id. The sets have no order, so more are read than needed. */
    async triggerRunsOf(kind, ids, limit) {
      const links: TriggerRunLink[] = [];
      const max = String(Math.max(maxPerId(limit), STEP));
      for (const some of inChunks([...new Set(ids)], STEP)) {
        if (typeof limit === "number" && links.length >= limit) break;
        const sets = await db.exchange(some.map((id) => ["SRANDMEMBER", key(RUN_LINKS[kind], id), max]));
        links.push(...some.flatMap((of, i) => textsOf(sets[i]).map((trigger_run_id) => ({ trigger_run_id, of }))));
      }
      const scores = await db.scores(
        key("truns_by_time"),
        links.map((link) => link.trigger_run_id),
      );
      const positions = new Map([...new Set(ids)].map((id, i) => [id, i]));
      const ordered = links
        .map((link, i) => ({ link, time: scores[i] ?? 0, position: positions.get(link.of) ?? 0 }))
        .sort(
          (a, b) =>
            a.position - b.position || a.time - b.time || (a.link.trigger_run_id < b.link.trigger_run_id ? -1 : 1),
        )
        .map(({ link }) => link);
      return limited(ordered, limit, (link) => link.of);
    },

    listTriggerRuns: select,

    async countTriggerRuns(filter, cap) {
      if (isOnlyByTime(filter)) {
        const index = await openIndex(filter);
        return Math.min(cap, index.size - (await startIn(index, filter)));
      }
      return (await select(filter, { limit: cap, offset: 0 })).length;
    },

    async searchTriggerRuns(filter, { limit, offset }, scanLimit) {
      const index = await openIndex(await narrowed(filter));
      const start = await startIn(index, filter);
      const size = index.size - start;
      const complete = size <= scanLimit;
      if (isOnlyByTime(filter)) {
        const matching = Math.min(size, scanLimit);
        return {
          runs: await select(filter, { limit, offset }),
          matching,
          scanned: matching,
          complete,
          last_scanned: null,
        };
      }
      const words = wordsOf(filter);
      const shown: TriggerRunRecord[] = [];
      let matching = 0;
      let scanned = 0;
      let last_scanned: string | null = null;
      while (scanned < Math.min(size, scanLimit)) {
        const ids = await index.backward(start + scanned, Math.min(SEARCH_STEP, scanLimit - scanned));
        if (ids.length === 0) break;
        const met = (await runs(ids, words)).filter((run) => meets(run, filter));
        shown.push(...met.slice(Math.max(0, offset - matching), Math.max(0, offset + limit - matching)));
        matching += met.length;
        scanned += ids.length;
        last_scanned = ids.at(-1) ?? last_scanned;
      }
      return { runs: shown, matching, scanned, complete, last_scanned };
    },
  };
}

function isOnlyByTime({ from: _, to: __, after: ___, ...others }: TriggerRunFilter): boolean {
  return Object.values(others).every((wanted) => wanted === undefined);
}

function meets(run: TriggerRunRecord, filter: TriggerRunFilter): boolean {
  const { task_id_key, trigger_id, context_type, atomic_service_run_id } = filter;
  return (
    (task_id_key === undefined || run.task_id_key === task_id_key) &&
    (trigger_id === undefined || run.trigger_id === trigger_id) &&
    (context_type === undefined || run.participants.some((met) => met.context_type === context_type)) &&
    (atomic_service_run_id === undefined || run.atomic_service_run_id === atomic_service_run_id)
  );
}

/** Words contained in the JSON of every matching run, as far as JSON does not escape them. They rule out nearly every run before parsing. */
function wordsOf({ task_id_key, trigger_id, context_type, atomic_service_run_id }: TriggerRunFilter): string[] {
  return [task_id_key, trigger_id, context_type, atomic_service_run_id].filter(
    (word): word is string => word !== undefined && /^[\w.:@ -]*$/.test(word),
  );
}
