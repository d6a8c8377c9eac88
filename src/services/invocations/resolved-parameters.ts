/** Resolves the parameters of an invocation filter: parses the query (`q`) and completes shortened ids and task names. */

import { countByStatus } from "../app/counts.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { RawInput } from "../input/input.ts";
import type { InvocationCondition, InvocationFilter } from "../model/filter-type.ts";
import { FILTER_IDS } from "../model/invocation-filter.ts";
import { readQuery } from "../model/invocation-query.ts";
import { type IdParameters, withFullIds } from "../model/resolve-ids.ts";
import { silenceSeconds } from "../model/runner-liveness.ts";
import { withTaskKey } from "../model/task-keys.ts";
import { stuckInvocationIds } from "../verdicts/verdicts.ts";

export interface ResolvedParameters extends Pick<InvocationFilter, "conditions" | "query"> {
  raw: RawInput;
  /** Statuses that occur in the store; empty if the filter has no status. */
  storedStatuses: string[];
}

/**
 * @param ids parameters that take full or shortened ids.
 * @throws InvalidInputError with the invalid term; AmbiguousIdError.
 */
export async function resolvedParameters(
  app: OpenedApp,
  given: RawInput,
  ids: IdParameters = FILTER_IDS,
): Promise<ResolvedParameters> {
  const hasStatus = given.status !== undefined || given.q?.some((text) => /status/i.test(text)) === true;
  const storedStatuses = hasStatus ? Object.keys(await countByStatus(app)) : [];
  const { raw, ...queried } = await withQuery(app, given, storedStatuses);
  const full = await withTaskKey(app, await withFullIds(app, raw, ids), "task_id");
  return { raw: full, ...queried, storedStatuses };
}

async function withQuery(
  app: OpenedApp,
  given: RawInput,
  storedStatuses: readonly string[],
): Promise<Omit<ResolvedParameters, "storedStatuses">> {
  const { raw, query, conditions: read, stuck } = readQuery(given, app.now(), storedStatuses);
  const silence_seconds = silenceSeconds(app);
  const conditions = read.map((condition) => ({ ...condition, silence_seconds }));
  if (stuck.length === 0) return { raw, query, conditions };
  // Those that are left behind without a status are known from there.
  if (!app.past) await app.inventory();
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
  // The ids of stuck invocations lead the walk, unless the filter already has ids.
  const lead = ids.length > 0 && raw.inv_ids === undefined && among.some(({ negated }) => !negated);
  return { raw: lead ? { ...raw, inv_ids: ids } : raw, query, conditions: [...conditions, ...among] };
}
