/** Runner contexts: one JSON document each, listed only by their key names (storage-format.md 9.2). */
import { parseRunnerContext } from "../../../pynenc/json-documents.ts";
import { pythonString } from "../../../pynenc/python-dump.ts";
import type { RunnerContextRecord } from "../../../pynenc/records.ts";
import { EXTERNAL_ID } from "../../../pynenc/rerun.ts";
import type { RunnerContextReads } from "../../ports/state-backend.ts";
import { inChunks } from "../../server/chunks.ts";
import { startingWith } from "../keys/names.ts";
import type { RedisReading } from "../keys/reading.ts";
import { recordsOf } from "../keys/records.ts";
import { byScore } from "../server/sorted-set.ts";

/** Contexts read per round trip. */
const BATCH = 5_000;

/** First and largest step of a walk over heartbeats. */
const STEP = 1_000;
const LARGEST_STEP = 10_000;

export function runnerContextReads(reading: RedisReading): RunnerContextReads {
  const found = () => contextNames(reading);
  const names = async () => (await found()).names;
  return {
    runnerContexts: (runnerIds) => contextsOf(reading, runnerIds),

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

    async countRunnerContexts(of) {
      if (of === "all") return (await found()).total;
      if (of === "callers") return startingWith(await names(), EXTERNAL_ID).length;
      let count = 0;
      for (const ids of inChunks([...new Set(of)], BATCH)) {
        const keys = ids.map((id) => reading.keys.key("state_backend", "runner_context", id));
        count += await reading.db("state_backend").number("EXISTS", ...keys);
      }
      return count;
    },
  };
}

export function contextNames(reading: RedisReading) {
  return reading.catalogue.names("runner_contexts", () => runnersWithHeartbeat(reading));
}

/** The most recently started runners. Most runners have both a context and a heartbeat. */
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
  const quoted = pythonString(parent);
  for (const ids of inChunks(runnerIds, BATCH)) {
    // Rules out most contexts before parsing.
    const candidates = await contextsOf(reading, ids, (id, json) =>
      json.includes(quoted) ? parseRunnerContext(id, json) : null,
    );
    found.push(...candidates.filter((context) => context.parent_ctx_id === parent));
  }
  return found;
}

/** The first of these ids by creation time of their heartbeat, newest first; then those without a heartbeat, by id. Contexts have no creation time. */
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
