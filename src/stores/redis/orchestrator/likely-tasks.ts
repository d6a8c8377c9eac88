import { oncePerRead } from "../keys/reading.ts";
import { textsOf } from "../server/db.ts";
import { calledTasks } from "./status-records.ts";

/** Registrations read: this many of the newest, and the same number spread evenly over all. */
const SAMPLE = 2_000;

/** Tasks that started a workflow and tasks in a sample of registrations. Misses only rare tasks that start no workflow. */
export const likelyTasks = oncePerRead(async (reading): Promise<string[]> => {
  const { keys } = reading;
  const db = reading.db("orchestrator");
  const index = keys.key("orchestrator", "all_invocations_by_time");
  const [types, total] = await Promise.all([
    reading.db("state_backend").texts("SMEMBERS", keys.key("state_backend", "workflow", "types")),
    db.number("ZCARD", index),
  ]);
  const ranks = Array.from({ length: SAMPLE }, (_, i) => String(Math.floor((i * total) / SAMPLE)));
  const sampled = await db.exchange([
    ["ZREVRANGE", index, "0", String(SAMPLE - 1)],
    ...ranks.map((rank) => ["ZRANGE", index, rank, rank]),
  ]);
  const called = await calledTasks(reading, [...new Set(sampled.flatMap(textsOf))]);
  const tasks = new Set([...types, ...called.map(({ task_id_key }) => task_id_key)]);
  tasks.delete("");
  return [...tasks];
});
