import { InvalidInputError, NotFoundError } from "../../errors.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { didYouMean } from "../input/similar.ts";
import { similarTasks, taskKeys, tasksNamed } from "../model/task-keys.ts";
import { bare } from "../model/written-id.ts";
import { matchingNames } from "./names.ts";

/** Limit of names listed if several match. */
const NAMES_LISTED = 10;

/**
 * The key of the task that a text identifies: the key itself, its function name, or a part that no other task has.
 *
 * @param parameter name of the parameter, for errors.
 * @throws NotFoundError with similar names; InvalidInputError if several match.
 */
export async function taskNamed(app: OpenedApp, parameter: string, text: string): Promise<string> {
  const keys = await taskKeys(app);
  if (keys.includes(text)) return text;
  const wanted = bare(text);
  const functions = tasksNamed(wanted, keys);
  const [named, ...namesakes] = functions;
  if (named !== undefined && namesakes.length === 0) return named;
  const { names, cut } = matchingNames(wanted, functions.length > 0 ? functions : keys, NAMES_LISTED);
  const [only, ...others] = names;
  if (only === undefined) {
    throw new NotFoundError("task", wanted, didYouMean(similarTasks(wanted, keys)) ?? "monitor tasks lists all tasks.");
  }
  if (others.length === 0) return only;
  const accepted = `it matches ${cut ? "several tasks, the first of them" : `${names.length} tasks`}:`;
  throw new InvalidInputError([{ parameter, value: text, accepted }], names.map((name) => `  ${name}`).join("\n"));
}
