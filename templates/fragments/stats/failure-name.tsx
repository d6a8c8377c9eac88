import type { FailureGroup } from "../../../src/api/stats.ts";
import { count, visibleLine } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { TaskName } from "../invocations/task-name.tsx";

/** A group of failures by its task and what it failed with, which leads to the invocations. @param range of the groups, as ISO 8601. */
export function FailureName({
  group,
  range: { from, to },
}: {
  group: FailureGroup;
  range: { from: string; to: string };
}) {
  const links = useLinks();
  const { task_id_key, type, message, tasks, query: q } = group;
  const unnamed = group.causes > 1 ? `${count(group.causes)} kinds` : "cause not stored";
  const words = type === null ? unnamed : `${visibleLine(type)}${message ? `: ${visibleLine(message)}` : ""}`;
  return (
    <div class="failure-group-name">
      {task_id_key === null && tasks.length > 1 ? (
        <span class="muted">{count(tasks.length)} tasks</span>
      ) : (
        <TaskName task_id_key={task_id_key} href={links.task(task_id_key ?? "")} />
      )}
      {type === null || q === null ? (
        <span class={type === null ? "muted" : "failure-group-words"}>{words}</span>
      ) : (
        <a
          class="failure-group-words"
          href={links.invocations({
            q,
            status: "failed",
            ...(task_id_key !== null && { task_id: task_id_key }),
            from,
            to,
          })}
        >
          {words}
        </a>
      )}
    </div>
  );
}
