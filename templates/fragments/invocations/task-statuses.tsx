import type { TaskStatusCount } from "../../../src/api/tasks.ts";
import { NOTHING, visibleLine } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { StatusLinks } from "./status-links.tsx";

/** Invocations of a task by status, each number a link to them. */
export function TaskStatuses({ task, statuses }: { task: string; statuses: readonly TaskStatusCount[] }) {
  const links = useLinks();
  if (statuses.length === 0) return <span class="muted">{NOTHING}</span>;
  return (
    <StatusLinks
      label={`Invocations of ${visibleLine(task)} by status`}
      counts={statuses.map((entry) => ({ ...entry, href: links.invocations({ task_id: task, status: entry.status }) }))}
    />
  );
}
