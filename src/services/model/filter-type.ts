/** The invocation filter as used by services: like the one in answers (`src/api/`), but with numeric instants. */
import type { InvocationFilter as ShownFilter } from "../../api/model/invocation-rows.ts";
import { type EpochSeconds, isoFromEpoch, isoOrNull } from "../../pynenc/time.ts";
import type {} from "./filter-type.ts";

export type InvocationCondition = Omit<ShownFilter["conditions"][number], "as_of"> & {
  as_of: EpochSeconds;
  /** How long a runner may be silent by the settings; lengths of time need it. */
  silence_seconds?: number;
};

export type InvocationFilter = Omit<ShownFilter, "from" | "to" | "conditions"> & {
  from: EpochSeconds | null;
  to: EpochSeconds | null;
  conditions: InvocationCondition[];
};

/** The filter as answers contain it. */
export function shownFilter(filter: InvocationFilter): ShownFilter {
  return {
    ...filter,
    from: isoOrNull(filter.from),
    to: isoOrNull(filter.to),
    conditions: filter.conditions.map(({ silence_seconds: _, ...condition }) => ({
      ...condition,
      as_of: isoFromEpoch(condition.as_of),
    })),
  };
}
