/** Finds names in an invocation filter that occur nowhere, to explain an empty list. */
import { quote } from "../../errors.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { InvocationCondition, InvocationFilter } from "../model/filter-type.ts";
import { NO_FILTER } from "../model/invocation-filter.ts";
import { InvocationWalk } from "../model/invocation-walk.ts";
import { missing, type UnknownName, unknownAmong } from "../model/known-names.ts";
import { taskKeys, tasksNamed } from "../model/task-keys.ts";
import { groupInvocations } from "./groups.ts";

/** Invocations searched for an exception. */
const SEARCHED = 5_000;

/** Failures whose exceptions are offered instead of an unknown one. */
const FAILURES = { matches: 200, candidates: 1_000 };

/** Not inside `store.read`. */
export async function unknownNames(app: OpenedApp, filter: InvocationFilter): Promise<UnknownName[]> {
  const { task_id_key, workflow_type_key, runner_id, registered_by, parent_invocation_id, workflow_id } = filter;
  const { call_id_key, invocation_ids } = filter;
  const named = plainNames(filter, "task");
  const keys = named.length === 0 ? [] : await taskKeys(app);
  const given = <T>(...names: (T | null)[]) => names.flatMap((name) => name ?? []) as T[];
  return [
    ...(await unknownAmong(app, {
      tasks: [
        ...given(task_id_key),
        ...named.filter((name) => tasksNamed(name, keys).length === 0 && !keys.some((key) => key.endsWith(`.${name}`))),
      ],
      workflow_types: given(workflow_type_key),
      runners: given(runner_id, registered_by),
      invocations: given(parent_invocation_id, ...invocation_ids),
      workflows: given(workflow_id),
      calls: given(call_id_key),
    })),
    ...(await unknownPrefix(app, filter)),
    ...(await unknownExceptions(app, filter)),
  ];
}

async function unknownPrefix(app: OpenedApp, { id_prefix }: InvocationFilter): Promise<UnknownName[]> {
  if (id_prefix === null) return [];
  const parts = [{ kind: "invocation" as const, beginning: id_prefix, ending: "" }];
  const [found] = await app.store.read((reads) => reads.ids.matching(parts, 1));
  if (found === undefined || found.ids.length > 0 || !found.complete) return [];
  return [{ kind: "invocation", name: id_prefix, sentence: `No id of an invocation begins with ${quote(id_prefix)}.` }];
}

/** Values of conditions on a field, without patterns. */
function plainNames({ conditions }: InvocationFilter, field: InvocationCondition["field"]): string[] {
  const wanted = conditions.flatMap((one) => (one.field === field && !one.negated ? one.values : []));
  return wanted.map(String).filter((name) => !/[*?[]/.test(name));
}

/** Exceptions that no invocation failed with. None is called unknown before all invocations were searched. */
async function unknownExceptions(app: OpenedApp, filter: InvocationFilter): Promise<UnknownName[]> {
  const names = plainNames(filter, "exception");
  if (names.length === 0) return [];
  const inventory = await app.inventory();
  const unknown: string[] = [];
  for (const condition of filter.conditions.filter(({ field, negated }) => field === "exception" && !negated)) {
    const walk = new InvocationWalk({ ...NO_FILTER, conditions: [condition] }, () => inventory);
    const met = await app.store.read((reads) => walk.next(reads, 1, SEARCHED));
    if (met.length === 0 && walk.done && !walk.incomplete)
      unknown.push(...plainNames({ ...filter, conditions: [condition] }, "exception"));
  }
  if (unknown.length === 0) return [];
  const [found] = await groupInvocations(app, NO_FILTER, ["exception"], FAILURES);
  return missing(
    "exception",
    unknown,
    (found?.groups ?? []).flatMap(({ value }) => value ?? []),
  );
}
