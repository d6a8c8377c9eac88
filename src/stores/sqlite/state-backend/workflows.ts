/** Workflow runs and their members. */
import type { WorkflowRunRecord } from "../../../pynenc/records.ts";
import type { WorkflowReads, WorkflowRunFilter } from "../../ports/state-backend.ts";
import type { Sync } from "../calls/sync.ts";
import type { Row } from "../file/connection.ts";
import { number, text, textOrNull } from "../tables/columns.ts";
import type { Queries, Values } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";
import { countWorkflowMembers, workflowMembers } from "./workflow-members.ts";

export function workflowReads(handle: Queries, tables: AppTables): Sync<WorkflowReads> {
  const workflows = tables.readable("state_backend", "workflows");
  const members = tables.readable("state_backend", "workflow_sub_invocations");
  const invocations = tables.readable("state_backend", "invocations");
  const memberTables = {
    members: members.exists ? members.sql : null,
    invocations: invocations.exists ? invocations.sql : null,
  };

  return {
    workflowTypes() {
      if (!workflows.exists) return [];
      return handle
        .all(
          `SELECT workflow_type_key, count(*) AS runs FROM ${workflows.sql} GROUP BY workflow_type_key ORDER BY workflow_type_key`,
        )
        .map((row) => ({ workflow_type_key: text(row.workflow_type_key), runs: number(row.runs) }));
    },

    workflowRuns({ limit, offset }, filter = {}) {
      const { where, values } = runConditions(filter);
      if (!workflows.exists || ("workflow_ids" in filter && filter.workflow_ids.length === 0)) return [];
      return handle
        .all(`SELECT * FROM ${workflows.sql} ${where} ORDER BY rowid DESC LIMIT ? OFFSET ?`, ...values, limit, offset)
        .map(workflowRunRecord);
    },

    subWorkflows(workflowId, limit) {
      if (!workflows.exists) return [];
      return handle
        .all(`SELECT * FROM ${workflows.sql} WHERE parent_workflow_id = ? ORDER BY rowid LIMIT ?`, workflowId, limit)
        .map(workflowRunRecord);
    },

    workflowMembers: (workflowId, slice) => workflowMembers(handle, memberTables, workflowId, slice),

    countWorkflowMembers: (workflowIds) => countWorkflowMembers(handle, memberTables, workflowIds),
  };
}

function runConditions(filter: WorkflowRunFilter): { where: string; values: Values } {
  if ("workflow_ids" in filter) {
    const ids = JSON.stringify(filter.workflow_ids);
    return { where: "WHERE workflow_id IN (SELECT value FROM json_each(?))", values: [ids] };
  }
  const { workflow_type_key: type } = filter;
  return type === undefined ? { where: "", values: [] } : { where: "WHERE workflow_type_key = ?", values: [type] };
}

function workflowRunRecord(row: Row): WorkflowRunRecord {
  return {
    workflow_id: text(row.workflow_id),
    workflow_type_key: text(row.workflow_type_key),
    parent_workflow_id: textOrNull(row.parent_workflow_id),
  };
}
