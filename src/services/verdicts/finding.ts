import type { AppVerdictCode, Evidence, Verdict } from "../../api/verdicts.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";

/** The result of a detector. Useful pages and commands are derived from the code (presentation/verdict-steps.ts). */
export interface Finding extends Omit<Verdict, "code" | "since" | "next" | "muted_until"> {
  code: AppVerdictCode;
  since: EpochSeconds | null;
}

/** Maximum number of things named by a verdict. */
export const NAMED = 100;

/** The first few, as evidence. */
export function evidence(kind: Evidence["kind"], ids: readonly string[], role: string | null = null): Evidence[] {
  return ids.slice(0, NAMED).map((id) => ({ kind, id, role }));
}

export function earliest(times: Iterable<EpochSeconds>): EpochSeconds | null {
  let first: EpochSeconds | null = null;
  for (const time of times) if (first === null || time < first) first = time;
  return first;
}
