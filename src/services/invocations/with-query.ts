/** The search text of a filter (`q`), folded into its parameters. */

import type { OpenedApp } from "../app/opened-app.ts";
import type { RawInput } from "../input/input.ts";
import type { InvocationCondition, InvocationFilter } from "../model/filter-type.ts";
import { readQuery } from "../model/invocation-query.ts";
import { stuckInvocationIds } from "../verdicts/verdicts.ts";

/** @throws InvalidInputError naming the term that is not accepted. */
export async function withQuery(
  app: OpenedApp,
  given: RawInput,
): Promise<{ raw: RawInput } & Pick<InvocationFilter, "conditions" | "query">> {
  const { raw, query, conditions, stuck } = readQuery(given, app.now());
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
