import type { OpenedApp } from "../app/opened-app.ts";
import type { RawInput } from "../input/input.ts";
import { similarWords, unknownName } from "../input/similar.ts";

/** Every task key that occurs: tasks of invocations, also of those that the orchestrator has forgotten, and those that triggers name. */
export async function taskKeys(app: OpenedApp): Promise<string[]> {
  const [invoked, triggered] = await Promise.all([invokedTaskKeys(app), triggeredTasks(app)]);
  return [...new Set([...invoked, ...triggered.map((task) => task.task_id_key)])].sort();
}

/** As `taskKeys`, without those that only triggers name. */
export async function invokedTaskKeys(app: OpenedApp): Promise<string[]> {
  const { forgotten } = await app.inventory();
  const kept = await app.memo("task keys", (reads) => reads.orchestrator.taskKeys());
  return [...new Set([...kept, ...forgotten.shares().map((share) => share.task_id_key)])].sort();
}

/** Tasks that triggers start, with how many do. */
export function triggeredTasks(app: OpenedApp): Promise<{ task_id_key: string; triggers: number }[]> {
  return app.memo("triggered tasks", (reads) => reads.trigger.triggeredTasks());
}

function functionOf(key: string): string {
  return key.slice(key.lastIndexOf(".") + 1);
}

/** Tasks that a name means: the one with this key, or all whose function is called so. */
export function tasksNamed(name: string, keys: readonly string[]): string[] {
  return keys.includes(name) ? [name] : keys.filter((key) => functionOf(key) === name);
}

/** The input with the whole key where a parameter gives the name of a function that one task alone has. Other values stay as they are. */
export async function withTaskKey(app: OpenedApp, raw: RawInput, parameter: string): Promise<RawInput> {
  const name = raw[parameter]?.at(-1)?.trim() ?? "";
  if (name === "" || name.includes(".")) return raw;
  const [key, ...others] = tasksNamed(name, await taskKeys(app));
  return key === undefined || others.length > 0 ? raw : { ...raw, [parameter]: [key] };
}

/** A sentence for each of the keys that no task has, with names like it. */
export async function unknownTasks(app: OpenedApp, wanted: readonly string[]): Promise<string[]> {
  if (wanted.length === 0) return [];
  const keys = await taskKeys(app);
  return wanted.flatMap((key) => (keys.includes(key) ? [] : [unknownName("task", key, similarTasks(key, keys))]));
}

/** Tasks whose key, or the name of whose function, is like a word. */
export function similarTasks(word: string, keys: readonly string[]): string[] {
  const whole = similarWords(word, keys);
  return whole.length > 0 ? whole : similarWords(functionOf(word), keys, functionOf);
}
