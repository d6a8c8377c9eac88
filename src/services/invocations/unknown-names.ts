/** Finds names in an invocation filter that do not occur in the store, to explain an empty list. */

import { quote } from "../../errors.ts";
import { workflowTypeCounts } from "../app/counts.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { similarWords, unknownName } from "../input/similar.ts";
import type { InvocationFilter } from "../model/filter-type.ts";
import { taskKeys, tasksNamed, unknownTasks } from "../model/task-keys.ts";

/** A sentence for each unknown name, with similar names. Not inside `store.read`. */
export async function unknownNames(app: OpenedApp, filter: InvocationFilter): Promise<string[]> {
  const { task_id_key, workflow_type_key, conditions } = filter;
  const wanted = conditions.flatMap(({ field, negated, values }) => (field === "task" && !negated ? values : []));
  const plain = wanted.map(String).filter((name) => !/[*?[]/.test(name));
  const keys = plain.length === 0 ? [] : await taskKeys(app);
  const tasks = [
    ...(task_id_key === null ? [] : [task_id_key]),
    ...plain.filter((name) => tasksNamed(name, keys).length === 0 && !keys.some((key) => key.endsWith(`.${name}`))),
  ];
  const types = workflow_type_key === null ? [] : (await workflowTypeCounts(app)).map((type) => type.workflow_type_key);
  const unknownType =
    workflow_type_key === null || types.includes(workflow_type_key)
      ? []
      : [unknownName("workflow type", workflow_type_key, similarWords(workflow_type_key, types))];
  return [...(await unknownTasks(app, tasks)), ...unknownType, ...(await withoutRecord(app, filter))];
}

/** A sentence for each id in the filter without a record. Other rows may still refer to it. */
async function withoutRecord(app: OpenedApp, filter: InvocationFilter): Promise<string[]> {
  const { runner_id, registered_by, parent_invocation_id, workflow_id } = filter;
  const wanted = [
    { kind: "runner" as const, id: runner_id, words: "runner" },
    { kind: "runner" as const, id: registered_by, words: "runner" },
    { kind: "invocation" as const, id: parent_invocation_id, words: "invocation" },
    { kind: "workflow" as const, id: workflow_id, words: "workflow run" },
  ].flatMap(({ kind, id, words }) => (id === null ? [] : [{ kind, id, words }]));
  if (wanted.length === 0) return [];
  const known = await app.store.read((reads) => reads.ids.known(wanted.map(({ kind, id }) => ({ kind, id }))));
  return wanted.flatMap(({ kind, id, words }) =>
    known.some((one) => one.kind === kind && one.id === id) ? [] : [`No record of ${words} ${quote(id)} is stored.`],
  );
}
