import type { OpenedApp } from "../app/opened-app.ts";
import type { RawInput } from "../input/input.ts";
import { similarWords } from "../input/similar.ts";

/** All task keys: tasks of invocations, including forgotten ones, and tasks named by triggers. */
export async function taskKeys(app: OpenedApp): Promise<string[]> {
  const [invoked, triggered] = await Promise.all([invokedTaskKeys(app), triggeredTasks(app)]);
  return [...new Set([...invoked, ...triggered.map((task) => task.task_id_key)])].sort();
}

/** As `taskKeys`, without tasks that only triggers name. */
export async function invokedTaskKeys(app: OpenedApp): Promise<string[]> {
  const { forgotten } = await app.inventory();
  const kept = await app.memo("task keys", (reads) => reads.orchestrator.taskKeys());
  return [...new Set([...kept, ...forgotten.shares().map((share) => share.task_id_key)])].sort();
}

/** Tasks that triggers start, with the number of triggers. */
export function triggeredTasks(app: OpenedApp): Promise<{ task_id_key: string; triggers: number }[]> {
  return app.memo("triggered tasks", (reads) => reads.trigger.triggeredTasks());
}

function functionOf(key: string): string {
  return key.slice(key.lastIndexOf(".") + 1);
}

/** Tasks matching a name: the one with this key, otherwise all with this function name. */
export function tasksNamed(name: string, keys: readonly string[]): string[] {
  return keys.includes(name) ? [name] : keys.filter((key) => functionOf(key) === name);
}

/** Replaces a function name in a parameter by the full task key if exactly one task has that function. Keeps other values. */
export async function withTaskKey(app: OpenedApp, raw: RawInput, parameter: string): Promise<RawInput> {
  const name = raw[parameter]?.at(-1)?.trim() ?? "";
  if (name === "" || name.includes(".")) return raw;
  const [key, ...others] = tasksNamed(name, await taskKeys(app));
  return key === undefined || others.length > 0 ? raw : { ...raw, [parameter]: [key] };
}

/** Tasks whose key or function name is similar to a word. */
export function similarTasks(word: string, keys: readonly string[]): string[] {
  const byKey = similarWords(word, keys);
  return byKey.length > 0 ? byKey : similarWords(functionOf(word), keys, functionOf);
}
