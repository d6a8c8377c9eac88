import type { FailureGroup } from "../../../src/api/stats.ts";
import { causeText, count } from "../../../src/presentation/text.ts";
import { useRangeOf } from "../../layout/time-menu.tsx";
import { useLinks } from "../../links.ts";
import { TaskName } from "../invocations/task-name.tsx";

export const FIRST_SEEN_HINT = "Also before this range, as far back as the history was read";

/** A group of failures by what it failed with, which leads to its invocations, or to its groups if it has several messages, and its task. @param range of the groups, as ISO 8601. */
export function FailureName({
  group,
  range,
  task = true,
}: {
  group: FailureGroup;
  range: { from: string; to: string };
  /** False where the task has a column of its own. */
  task?: boolean;
}) {
  const links = useLinks();
  const { task_id_key, query: q, message, causes } = group;
  const words = causeText(group);
  const those = { ...(task_id_key !== null && { task_id: task_id_key }), ...useRangeOf(range) };
  const several = message === null && causes > 1;
  const href =
    q === null || several
      ? links.failures({ ...those, by: "group" })
      : links.invocations({ ...those, q, status: "failed" });
  return (
    <a class="failure-group-name stacked" href={href} title={words}>
      <span class="failure-group-words">{words}</span>
      {task && <GroupTask group={group} />}
    </a>
  );
}

/** The task of a group, or how many there are. @param href of the one task. */
export function GroupTask({ group: { task_id_key, tasks }, href }: { group: FailureGroup; href?: string | undefined }) {
  if (task_id_key === null && tasks.length > 1) return <span class="muted">{count(tasks.length)} tasks</span>;
  return <TaskName task_id_key={task_id_key} href={href} />;
}
