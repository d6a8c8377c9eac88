/** Contexts of runners: a JSON document each, whose names are all that lists them (storage-format.md 9.2). */
import { parseRunnerContext } from "../../../pynenc/json-documents.ts";
import { pythonString } from "../../../pynenc/python-dump.ts";
import type { RunnerContextRecord } from "../../../pynenc/records.ts";
import type { RunnerContextReads } from "../../ports/state-backend.ts";
import { beginningWith } from "../keys/names.ts";
import type { RedisReading } from "../keys/reading.ts";
import { recordsOf } from "../keys/records.ts";
import { inChunks } from "../server/db.ts";
import { byScore } from "../server/sorted-set.ts";

/** Contexts that are read in one round trip. */
const MANY = 5_000;

/** First step of a walk over heartbeats, and its largest. */
const STEP = 1_000;
const LARGEST_STEP = 10_000;

export function runnerContextReads(reading: RedisReading): RunnerContextReads {
  const found = () => reading.catalogue.names("runner_contexts", () => runnersWithHeartbeat(reading));
  const names = async () => (await found()).names;
  return {
    runnerContexts: (runnerIds) => contextsOf(reading, runnerIds),

    async runnerIdsLike(parts, where, limit) {
      const ids = parts.length === 0 ? [] : await names();
      return parts.flatMap((part) => {
        const matching = where === "beginning" ? beginningWith(ids, part) : ids.filter((id) => id.includes(part));
        return matching.slice(0, limit).map((runner_id) => ({ part, runner_id }));
      });
    },

    async listRunnerContexts({ limit, offset }, parent) {
      const known = await names();
      const contexts = new Map<string, RunnerContextRecord>();
      if (parent !== undefined) {
        for (const context of await childrenOf(reading, known, parent)) contexts.set(context.runner_id, context);
      }
      const ids = parent === undefined ? known : [...contexts.keys()];
      const wanted = (await newestFirst(reading, ids, offset + limit)).slice(offset);
      return parent === undefined ? contextsOf(reading, wanted) : wanted.flatMap((id) => contexts.get(id) ?? []);
    },

    async countRunnerContexts(runnerIds) {
      if (runnerIds === undefined) return (await found()).total;
      let count = 0;
      for (const ids of inChunks([...new Set(runnerIds)], MANY)) {
        const keys = ids.map((id) => reading.keys.key("state_backend", "runner_context", id));
        count += await reading.db("state_backend").number("EXISTS", ...keys);
      }
      return count;
    },
  };
}

/** Those that began last: most runners have a context and a heartbeat. */
function runnersWithHeartbeat(reading: RedisReading): Promise<string[]> {
  const index = reading.keys.key("orchestrator", "runner_heartbeats");
  return reading.db("orchestrator").texts("ZREVRANGE", index, "0", String(LARGEST_STEP - 1));
}

function contextsOf(
  reading: RedisReading,
  runnerIds: readonly string[],
  parse = parseRunnerContext,
): Promise<RunnerContextRecord[]> {
  const keyOf = (id: string) => reading.keys.key("state_backend", "runner_context", id);
  return recordsOf(reading.db("state_backend"), runnerIds, keyOf, parse);
}

async function childrenOf(
  reading: RedisReading,
  runnerIds: readonly string[],
  parent: string,
): Promise<RunnerContextRecord[]> {
  const found: RunnerContextRecord[] = [];
  const named = pythonString(parent);
  for (const ids of inChunks(runnerIds, MANY)) {
    // Most are ruled out before they are parsed.
    const naming = await contextsOf(reading, ids, (id, json) =>
      json.includes(named) ? parseRunnerContext(id, json) : null,
    );
    found.push(...naming.filter((context) => context.parent_ctx_id === parent));
  }
  return found;
}

/**
 * The first of these ids by the creation of their heartbeat, the newest first; then those without one, by id. When a context itself was
 * created is not kept.
 */
async function newestFirst(reading: RedisReading, ids: readonly string[], wanted: number): Promise<string[]> {
  const left = new Set(ids);
  const ordered: string[] = [];
  const index = reading.keys.key("orchestrator", "runner_heartbeats");
  const heartbeats = byScore(reading.db("orchestrator"), index, {
    direction: "down",
    step: STEP,
    largest: LARGEST_STEP,
  });
  for await (const some of heartbeats) {
    for (const { member } of some) if (left.delete(member)) ordered.push(member);
    if (ordered.length >= wanted) break;
  }
  return [...ordered, ...left].slice(0, wanted);
}
