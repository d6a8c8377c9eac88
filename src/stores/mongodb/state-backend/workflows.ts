/** Workflow runs, their members and their data. */
import type { WorkflowDataRecord, WorkflowRunRecord } from "../../../pynenc/records.ts";
import type {
  StateBackendReads,
  WorkflowMemberCount,
  WorkflowReads,
  WorkflowRunFilter,
} from "../../ports/state-backend.ts";
import { LIST_BYTES } from "../../value-limit.ts";
import { number, text, textOrNull } from "../collections/fields.ts";
import { boundedText, findIn, GROUPS } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Document, Filter } from "../server/db.ts";

/** Definitions of one run that are compared with its started members. */
const COMPARED_MEMBERS = 2_000;

/** Members searched for sub-workflows, which have no index of their own. */
const SUB_WORKFLOW_SCAN_LIMIT = 100_000;

type Reads = WorkflowReads & Pick<StateBackendReads, "workflowData" | "countWorkflowData">;

export function workflowReads(reading: MongoReading): Reads {
  const workflows = reading.of("state_backend", "workflows");
  const members = reading.of("state_backend", "workflow_members");
  const data = reading.of("state_backend", "workflow_data");
  const countPer = async (collection: typeof members, member: string, ids: readonly string[]) => {
    const groups = await collection.aggregate(
      [{ $match: { [member]: { $in: [...new Set(ids)] } } }, { $group: { _id: `$${member}`, n: { $sum: 1 } } }],
      GROUPS,
    );
    return new Map(groups.map(({ _id, n }) => [text(_id), number(n)]));
  };

  return {
    async workflowTypes() {
      const groups = await workflows.aggregate([{ $group: { _id: "$workflow_type_key", runs: { $sum: 1 } } }], GROUPS);
      return groups
        .map(({ _id, runs }) => ({ workflow_type_key: text(_id), runs: number(runs) }))
        .sort((a, b) => (a.workflow_type_key < b.workflow_type_key ? -1 : 1));
    },

    // The plugin has no index by type; one run stands for many invocations, so walking along the runs is bounded by time alone.
    workflowRuns: async ({ limit, offset }, filter = {}) =>
      (await workflows.find(runsWith(filter), { sort: { _id: -1 }, skip: offset, limit })).map(runRecord),

    /** The root of a sub-workflow is a member of the run that called it. */
    async subWorkflows(parent_workflow_id, limit) {
      const started = await members.find(
        { parent_workflow_id },
        { sort: { _id: 1 }, limit: SUB_WORKFLOW_SCAN_LIMIT, only: { sub_invocation_id: 1 } },
      );
      const ids = started.map(({ sub_invocation_id }) => text(sub_invocation_id));
      const runs = await findIn(workflows, "workflow_id", ids, { where: { parent_workflow_id }, sort: { _id: 1 } });
      return runs.slice(0, limit).map(runRecord);
    },

    async workflowMembers(parent_workflow_id, { limit, offset }) {
      const started = await members.find(
        { parent_workflow_id },
        { sort: { _id: 1 }, skip: offset, limit, only: { sub_invocation_id: 1 } },
      );
      const ids = started.map(({ sub_invocation_id }) => text(sub_invocation_id));
      if (ids.length === limit) return ids;
      const [count, others] = await Promise.all([
        members.count({ parent_workflow_id }),
        othersOf(reading, parent_workflow_id),
      ]);
      const skip = Math.max(0, offset - count);
      return [...ids, ...others.ids.slice(skip, skip + limit - ids.length)];
    },

    async countWorkflowMembers(workflowIds) {
      const ids = [...new Set(workflowIds)];
      const [started, others] = await Promise.all([
        countPer(members, "parent_workflow_id", ids),
        Promise.all(ids.map((id) => othersOf(reading, id))),
      ]);
      const counts = ids.map((id, i): [string, WorkflowMemberCount] => {
        const { ids: found = [], all = true } = others[i] ?? {};
        return [id, { members: (started.get(id) ?? 0) + found.length, exact: all }];
      });
      return Object.fromEntries(counts.filter(([, count]) => count.members > 0));
    },

    workflowData: async (workflow_id, { limit, offset }) =>
      (await data.find({ workflow_id }, { sort: { data_key: 1 }, skip: offset, limit })).map(
        (stored): WorkflowDataRecord => {
          const { text: data_value, ...mark } = boundedText(stored.data_value, LIST_BYTES);
          return { data_key: text(stored.data_key), data_value, ...mark };
        },
      ),

    countWorkflowData: async (workflowIds) => Object.fromEntries(await countPer(data, "workflow_id", workflowIds)),
  };
}

/**
 * The members that only their definition assigns to the run, because they have not started or are recursive calls of its own task, in order of
 * registration; `all` is false if there may be more.
 */
async function othersOf(reading: MongoReading, workflow_id: string): Promise<{ ids: string[]; all: boolean }> {
  const defined = await reading
    .of("state_backend", "invocations")
    .find({ workflow_id }, { sort: { _id: 1 }, limit: COMPARED_MEMBERS, only: { invocation_id: 1 } });
  const ids = defined.map(({ invocation_id }) => text(invocation_id)).filter((id) => id !== workflow_id);
  const started = await findIn(reading.of("state_backend", "workflow_members"), "sub_invocation_id", ids, {
    where: { parent_workflow_id: workflow_id },
    only: { sub_invocation_id: 1 },
  });
  const known = new Set(started.map(({ sub_invocation_id }) => text(sub_invocation_id)));
  return { ids: ids.filter((id) => !known.has(id)), all: defined.length < COMPARED_MEMBERS };
}

function runsWith(filter: WorkflowRunFilter): Filter {
  if ("workflow_ids" in filter) return { workflow_id: { $in: [...filter.workflow_ids] } };
  const { workflow_type_key } = filter;
  return workflow_type_key === undefined ? {} : { workflow_type_key };
}

function runRecord(stored: Document): WorkflowRunRecord {
  return {
    workflow_id: text(stored.workflow_id),
    workflow_type_key: text(stored.workflow_type_key),
    parent_workflow_id: textOrNull(stored.parent_workflow_id),
  };
}
