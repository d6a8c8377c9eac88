import type { CallDetail } from "../../api/tasks.ts";
import { NotFoundError, quote } from "../../errors.ts";
import { invocationPages } from "../../inputs/tasks.ts";
import { parseCallKey, parseTaskKey } from "../../pynenc/identifiers.ts";
import { VALUE_BYTES } from "../../stores/value-limit.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { pageOf, sliceOf } from "../input/paging.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { isBounded, notFoundHint, notOlder, sliceOfInvocations } from "../model/listed-invocations.ts";
import { storedArguments } from "../model/stored-arguments.ts";
import { valueReader } from "../model/stored-values.ts";

const COUNT_CAP = 10_000;

/**
 * A call (a task with one set of arguments) and the invocations that made it.
 *
 * @param key usually `module.function:arguments_id`, but a store may contain any text, and pages link to it.
 * @throws InvalidInputError, NotFoundError if no invocation made this call, or none of those that were searched.
 */
export async function callDetail(app: OpenedApp, key: string, raw: RawInput): Promise<CallDetail> {
  const input = parseInput(invocationPages, raw);
  const wanted = { number: input.page, size: input.limit };
  const inventory = await app.inventory();
  return app.store.read(async (reads) => {
    const filter = { call_id_key: key };
    const [listed, counted, bounded] = await Promise.all([
      sliceOfInvocations(reads, inventory, filter, sliceOf(wanted)),
      reads.orchestrator.countInvocations(filter, COUNT_CAP),
      isBounded(reads, filter),
    ]);
    const total = counted + inventory.forgotten.matching(filter).length;
    if (total === 0) {
      if (!bounded) throw new NotFoundError("call", key, notFoundHint(inventory));
      const further = "The list of all invocations can be searched further back for this call.";
      throw new NotFoundError("call", key, further, notOlder(`No call ${quote(key)}`));
    }
    const { rows: ids, page } = pageOf(
      listed.invocation_ids,
      wanted,
      total,
      counted === COUNT_CAP || bounded || !inventory.forgotten.complete,
    );
    const [definition] = await reads.state_backend.invocationsByIds(ids.slice(0, 1), VALUE_BYTES);
    const stored = storedArguments(definition);
    const show = await valueReader(reads, stored.texts);
    const invocations = await invocationRows(reads, ids);
    const parts = parseCallKey(key);
    const task_id_key = parts?.task_id_key ?? invocations[0]?.task_id_key ?? "";
    const task = parseTaskKey(task_id_key);
    return {
      call_id_key: key,
      task_id_key,
      module: task?.module ?? null,
      function: task?.func ?? null,
      arguments_id: parts?.arguments_id ?? definition?.arguments_id ?? "",
      ...stored.shown(show),
      arguments_stored: definition !== undefined,
      invocations,
      page,
    };
  });
}
