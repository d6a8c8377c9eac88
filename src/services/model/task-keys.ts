import type { OpenedApp } from "../app/opened-app.ts";
import { similarWords } from "../input/similar.ts";

/** Every task key that occurs: tasks of invocations, also of those that the orchestrator has forgotten, and those that triggers name. */
export async function taskKeys(app: OpenedApp): Promise<string[]> {
  const [invoked, triggered] = await Promise.all([invokedTaskKeys(app), triggeredTasks(app)]);
  return [...new Set([...invoked, ...triggered.map((task) => task.task_id_key)])].sort();
}

/** As `taskKeys`, without those that only triggers name. */
export async function invokedTaskKeys(app: OpenedApp): Promise<string[]> {
  const { forgotten } = await app.census();
  const kept = await app.memo("task keys", (reads) => reads.orchestrator.taskKeys());
  return [...new Set([...kept, ...forgotten.shares().map((share) => share.task_id_key)])].sort();
}

/** Tasks that triggers start, with how many do. */
export function triggeredTasks(app: OpenedApp): Promise<{ task_id_key: string; triggers: number }[]> {
  return app.memo("triggered tasks", (reads) => reads.trigger.triggeredTasks());
}

/** Tasks whose key, or the name of whose function, is like a word. */
export function similarTasks(word: string, keys: readonly string[]): string[] {
  const functionOf = (key: string) => key.slice(key.lastIndexOf(".") + 1);
  const whole = similarWords(word, keys);
  return whole.length > 0 ? whole : similarWords(functionOf(word), keys, functionOf);
}
