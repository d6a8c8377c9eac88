import type { CalledAgain } from "../api/reruns.ts";
import { counted, grouped } from "../pynenc/numbers.ts";
import { visibleLine } from "./text.ts";

const TASKS_NAMED = 5;

/** Sentences about the calls that rerun invocations may make again, first those that had succeeded; null if there are none. */
export function calledAgainText({
  called_again: calls,
  called_again_capped: capped,
  called_again_by_task: tasks,
}: CalledAgain): string | null {
  if (calls === 0) return null;
  const atLeast = capped ? "at least " : "";
  const succeeded = tasks.reduce((sum, task) => sum + task.succeeded, 0);
  const others = tasks.map(({ task_id_key, calls: all, succeeded: fine }) => [task_id_key, all - fine] as const);
  return [
    `${atLeast}${counted(calls, "call")} below, if they run as before.`,
    ...(succeeded === 0
      ? []
      : [
          `${atLeast === "" ? "" : "At least "}${grouped(succeeded)} had succeeded: ${named(tasks.map((task) => [task.task_id_key, task.succeeded]))}.`,
        ]),
    ...(succeeded === calls ? [] : [`${succeeded === 0 ? "They are" : "The others"}: ${named(others)}.`]),
  ].join(" ");
}

/** `3 of shop.pay, 1 of shop.ship`. */
function named(tasks: readonly (readonly [task: string, count: number])[]): string {
  const some = tasks.filter(([, count]) => count > 0).toSorted(([, a], [, b]) => b - a);
  const shown = some.slice(0, TASKS_NAMED).map(([task, count]) => `${grouped(count)} of ${visibleLine(task)}`);
  const more = some.length - shown.length;
  return (more > 0 ? [...shown, counted(more, "more task")] : shown).join(", ");
}
