/** Workflow data: one key per value, which no index lists (storage-format.md 9.2). */
import type { StateBackendReads } from "../../ports/state-backend.ts";
import { LIST_BYTES } from "../../value-limit.ts";
import { FAMILIES } from "../keys/catalogue.ts";
import { startingWith } from "../keys/names.ts";
import type { RedisReading } from "../keys/reading.ts";
import { calledTasks } from "../orchestrator/status-records.ts";
import { textsOf } from "../server/db.ts";

const { head: HEAD, within: BETWEEN } = FAMILIES.workflow_data;

export function workflowDataReads(
  reading: RedisReading,
): Pick<StateBackendReads, "workflowData" | "countWorkflowData"> {
  const { keys } = reading;
  const db = reading.db("state_backend");
  return {
    async workflowData(workflowId, { limit, offset }) {
      const names = (await namesOf(reading, [workflowId])).names.get(workflowId) ?? [];
      const wanted = names.slice(offset, offset + limit);
      const values = await db.cutStrings(
        wanted.map((name) => keys.key("state_backend", "workflow", workflowId, "data", name)),
        LIST_BYTES,
      );
      return wanted.flatMap((data_key, i) => {
        const value = values[i] ?? null;
        if (value === null) return [];
        const { text: data_value, ...mark } = value;
        return [{ data_key, data_value, ...mark }];
      });
    },

    async countWorkflowData(workflowIds) {
      const { names, settled } = await namesOf(reading, workflowIds);
      if (!settled) return null;
      return Object.fromEntries([...names].flatMap(([id, { length }]) => (length > 0 ? [[id, length]] : [])));
    },
  };
}

interface DataNames {
  /** Data keys per workflow, in alphabetical order. */
  names: ReadonlyMap<string, string[]>;
  settled: boolean;
}

async function namesOf(reading: RedisReading, workflowIds: readonly string[]): Promise<DataNames> {
  // Ids have no colon. A made-up one with a colon must not match the data of another workflow.
  const ids = [...new Set(workflowIds)].filter((id) => !id.includes(":"));
  if (ids.length === 0) return { names: new Map(), settled: true };
  const meanwhile = async () => (ids.length === 1 ? likelyNames(reading, ids[0] as string) : []);
  const { names, complete, settled } = await reading.catalogue.names("workflow_data", meanwhile);
  const known = complete ? names : await walkedNames(reading, ids);
  const ofWorkflow = (id: string) => {
    const prefix = `${id}${BETWEEN}`;
    return startingWith(known, prefix).map((name) => name.slice(prefix.length));
  };
  return { names: new Map(ids.map((id) => [id, ofWorkflow(id)])), settled };
}

/** Deterministic values that pynenc generates and counts (storage-format.md 9.2). */
const COUNTED = ["random", "time", "uuid"];

/** Limit of values per kind, and of members of the workflow. */
const MAX_LIKELY = 1_000;

/** Names that pynenc itself writes for a workflow, without names chosen by the workflow's code. */
async function likelyNames(reading: RedisReading, workflowId: string): Promise<string[]> {
  const { keys } = reading;
  const db = reading.db("state_backend");
  const counters = COUNTED.map((kind) => `counter:${kind}`);
  const [counts, members] = await Promise.all([
    db.strings(counters.map((name) => keys.key("state_backend", "workflow", workflowId, "data", name))),
    // Its own calls that have not started yet are only in the second set.
    db.exchange(
      [
        keys.key("state_backend", "workflow", workflowId, "sub_invocations"),
        keys.key("state_backend", "parent_invocation_children", workflowId),
      ].map((set) => ["SRANDMEMBER", set, String(MAX_LIKELY)]),
    ),
  ]);
  const generated = COUNTED.flatMap((kind, i) => {
    const count = Math.min(MAX_LIKELY, Math.max(0, Math.trunc(Number(counts[i] ?? 0)) || 0));
    return Array.from({ length: count }, (_, n) => `${kind}:${n + 1}`);
  });
  const calls = (await calledTasks(reading, [...new Set(members.flatMap(textsOf))])).map(
    ({ call_id_key }) => `task_invocation:${call_id_key}`,
  );
  return ["workflow:base_time", ...counters, ...generated, ...calls].map((name) => `${workflowId}${BETWEEN}${name}`);
}

/** Names of these workflows, from a separate walk, because there are too many to cache. */
async function walkedNames(reading: RedisReading, workflowIds: readonly string[]): Promise<string[]> {
  const [only] = workflowIds;
  const pattern =
    only !== undefined && workflowIds.length === 1
      ? reading.keys.pattern("state_backend", `${HEAD}${only}${BETWEEN}`)
      : reading.keys.pattern("state_backend", HEAD, `*${BETWEEN}*`);
  const wanted = new Set(workflowIds);
  const found = new Set<string>();
  for await (const some of reading.db("state_backend").scan(pattern)) {
    for (const key of some) {
      const name = reading.keys.rest("state_backend", key)?.slice(HEAD.length) ?? "";
      if (wanted.has(name.slice(0, name.indexOf(BETWEEN)))) found.add(name);
    }
  }
  return [...found].sort();
}
