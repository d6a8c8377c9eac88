import type { InvocationRef } from "../../../src/presentation/facts/fact.ts";
import { useLinks } from "../../links.ts";
import { Id } from "../ui/id.tsx";
import { InvocationStatus } from "./invocation-status.tsx";
import { TaskName } from "./task-name.tsx";

/** One invocation within a text or a list of facts: id, task, status. */
export function InvocationLink({ row, copy }: { row: InvocationRef; copy?: boolean }) {
  const links = useLinks();
  return (
    <span class="invocation-link">
      <Id value={row.invocation_id} href={links.invocation(row.invocation_id)} copy={copy} />
      {row.task_id_key !== null && <TaskName task_id_key={row.task_id_key} href={links.task(row.task_id_key)} />}
      <InvocationStatus row={row} />
    </span>
  );
}
