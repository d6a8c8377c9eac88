/** Data of workflows: a key each, which no index lists (fixtures/redis, correction 5). */
import type { StateBackendReads } from "../ports.ts";
import { FAMILIES } from "./catalogue.ts";
import { beginningWith } from "./names.ts";
import type { RedisReading } from "./reading.ts";

const { head: HEAD, within: BETWEEN } = FAMILIES.workflow_data;

export function workflowDataReads(
  reading: RedisReading,
): Pick<StateBackendReads, "workflowData" | "countWorkflowData"> {
  const { keys } = reading;
  const db = reading.db("state_backend");
  return {
    async workflowData(workflowId, { limit, offset }) {
      const names = (await namesOf(reading, [workflowId])).get(workflowId) ?? [];
      const wanted = names.slice(offset, offset + limit);
      const values = await db.strings(
        wanted.map((name) => keys.key("state_backend", "workflow", workflowId, "data", name)),
      );
      return wanted.flatMap((data_key, i) => {
        const data_value = values[i];
        return typeof data_value === "string" ? [{ data_key, data_value }] : [];
      });
    },

    async countWorkflowData(workflowIds) {
      const names = await namesOf(reading, workflowIds);
      return Object.fromEntries([...names].flatMap(([id, { length }]) => (length > 0 ? [[id, length]] : [])));
    },
  };
}

/** Data keys of these workflows in alphabetical order. */
async function namesOf(reading: RedisReading, workflowIds: readonly string[]): Promise<Map<string, string[]>> {
  // An id has no colon: one that is made up must not reach into the data of another.
  const ids = [...new Set(workflowIds)].filter((id) => !id.includes(":"));
  if (ids.length === 0) return new Map();
  const { names, complete } = await reading.catalogue.names("workflow_data");
  const known = complete ? names : await walkedNames(reading, ids);
  return new Map(
    ids.map((id) => {
      const beginning = `${id}${BETWEEN}`;
      return [id, beginningWith(known, beginning).map((name) => name.slice(beginning.length))];
    }),
  );
}

/** Names of these workflows, from a walk of its own: there are more than are remembered. */
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
