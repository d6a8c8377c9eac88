import { InvalidInputError, NotFoundError } from "../../errors.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { didYouMean } from "../input/similar.ts";
import { similarTasks, taskKeys, tasksNamed } from "../model/task-keys.ts";
import { bare } from "../model/written-id.ts";
import { matchingNames } from "./names.ts";

/** Names that are told where several fit. */
const NAMES_LISTED = 10;

/**
 * The key of the task that a text names: the key itself, the name of its function, or a part of it that no other task has.
 *
 * @param parameter as the user knows it.
 * @throws NotFoundError that tells names like it; InvalidInputError where several fit.
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
  const accepted = `it fits ${cut ? "several tasks, the first of them" : `${names.length} tasks`}:`;
  throw new InvalidInputError([{ parameter, value: text, accepted }], names.map((name) => `  ${name}`).join("\n"));
}
