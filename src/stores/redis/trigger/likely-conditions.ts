import { parseTrigger } from "../../../pynenc/json-records.ts";
import { oncePerRead, type RedisReading } from "../keys/reading.ts";
import { likelyTasks } from "../orchestrator/likely-tasks.ts";
import { textsOf } from "../server/db.ts";

/** Conditions of triggers that start likely tasks, and conditions that watch these tasks. */
export const likelyConditions = oncePerRead(async (reading): Promise<string[]> => {
  const tasks = await likelyTasks(reading);
  const db = reading.db("trigger");
  const key = (...parts: string[]) => reading.keys.key("trigger", ...parts);
  const [triggers = [], watching = []] = await Promise.all(
    ["task_triggers", "source_task_conditions"].map(async (family) =>
      (await db.exchange(tasks.map((task) => ["SMEMBERS", key(family, task)]))).flatMap(textsOf),
    ),
  );
  const stored = await db.strings([...new Set(triggers)].map((id) => key("trigger", id)));
  return [...watching, ...stored.flatMap((json) => parseTrigger(json ?? "")?.condition_ids ?? [])];
});

/** Likely tasks that are watched by conditions. */
export async function likelyWatchedTasks(reading: RedisReading): Promise<string[]> {
  const tasks = await likelyTasks(reading);
  const watched = await reading
    .db("trigger")
    .exchange(tasks.map((task) => ["EXISTS", reading.keys.key("trigger", "source_task_conditions", task)]));
  return tasks.filter((_, i) => watched[i] === 1);
}
