/** The parameters of a filter of invocations as they are meant: its search text (`q`) taken apart, ids and names of tasks whole. */

import { countByStatus } from "../app/counts.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { RawInput } from "../input/input.ts";
import type { InvocationCondition, InvocationFilter } from "../model/filter-type.ts";
import { FILTER_IDS } from "../model/invocation-filter.ts";
import { readQuery } from "../model/invocation-query.ts";
import { type IdParameters, withFullIds } from "../model/resolve-ids.ts";
import { withTaskKey } from "../model/task-keys.ts";
import { stuckInvocationIds } from "../verdicts/verdicts.ts";

export interface ResolvedParameters extends Pick<InvocationFilter, "conditions" | "query"> {
  raw: RawInput;
  /** Words that are statuses in this store; empty where no status is asked for. */
  storedStatuses: string[];
}

/**
 * @param ids parameters that take ids, whole or in part.
 * @throws InvalidInputError naming the term that is not accepted; AmbiguousIdError.
 */
export async function resolvedParameters(
  app: OpenedApp,
  given: RawInput,
  ids: IdParameters = FILTER_IDS,
): Promise<ResolvedParameters> {
  const asksStatus = given.status !== undefined || given.q?.some((text) => /status/i.test(text)) === true;
  const storedStatuses = asksStatus ? Object.keys(await countByStatus(app)) : [];
  const { raw, ...queried } = await withQuery(app, given, storedStatuses);
  const whole = await withTaskKey(app, await withFullIds(app, raw, ids), "task_id");
  return { raw: whole, ...queried, storedStatuses };
}

async function withQuery(
  app: OpenedApp,
  given: RawInput,
  storedStatuses: readonly string[],
): Promise<Omit<ResolvedParameters, "storedStatuses">> {
  const { raw, query, conditions, stuck } = readQuery(given, app.now(), storedStatuses);
  if (stuck.length === 0) return { raw, query, conditions };
  const ids = await app.store.read((reads) => stuckInvocationIds(app, reads));
  const among = stuck.map(
    ({ text, negated }): InvocationCondition => ({
      field: "id",
      path: null,
      comparison: ":",
      values: ids,
      negated,
      as_of: app.now(),
      text,
    }),
  );
  // The stuck ones lead, where nothing else names the invocations.
  const lead = ids.length > 0 && raw.inv_ids === undefined && among.some(({ negated }) => !negated);
  return { raw: lead ? { ...raw, inv_ids: ids } : raw, query, conditions: [...conditions, ...among] };
}
