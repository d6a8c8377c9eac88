import { fnmatch } from "./fnmatch.ts";
import type { PriorityRule } from "./setting-values.ts";

/** The rule that decides the priority of a task's messages: the highest matching one, even if the task's own priority is higher. */
export function decidingRule(rules: readonly PriorityRule[], task: string): PriorityRule | null {
  return rules
    .filter((rule) => fnmatch(task, rule.task_id))
    .reduce<PriorityRule | null>(
      (highest, rule) => (rule.priority > (highest?.priority ?? -Infinity) ? rule : highest),
      null,
    );
}
