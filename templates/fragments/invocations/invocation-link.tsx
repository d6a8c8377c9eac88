import type { InvocationRow } from "../../../src/api/model/invocation-rows.ts";
import { useLinks } from "../../links.ts";
import { Id } from "../ui/id.tsx";
import { InvocationStatus } from "./invocation-table.tsx";
import { TaskName } from "./task-name.tsx";

/** One invocation within a text or a list of facts: id, task, status. */
export function InvocationLink({ row }: { row: InvocationRow }) {
  const links = useLinks();
  return (
    <span class="invocation-link">
      <Id value={row.invocation_id} href={links.invocation(row.invocation_id)} />
      {row.task_id_key !== null && <TaskName task_id_key={row.task_id_key} href={links.task(row.task_id_key)} />}
      <InvocationStatus row={row} />
    </span>
  );
}
