import type { AppVerdictCode, Evidence, Verdict } from "../../api/verdicts.ts";
import { counted } from "../../pynenc/numbers.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";

/** The result of a detector. Useful pages and commands are derived from the code (presentation/verdict-steps.ts). */
export interface Finding extends Omit<Verdict, "code" | "since" | "next" | "muted_until"> {
  code: AppVerdictCode;
  since: EpochSeconds | null;
}

/** Maximum number of things named by a verdict. */
export const NAMED = 100;

/** What was found among what was examined. */
export interface Examined<T> {
  found: readonly T[];
  /** There may be more: not everything was examined. */
  more: boolean;
}

/** The number of a finding, at the beginning of its sentence. */
export function numbered({ found, more }: Examined<unknown>, one: string, many?: string): string {
  return `${more ? "At least " : ""}${counted(found.length, one, many)}`;
}

/** The number of a finding as members of the finding. */
export function countOf({ found, more }: Examined<unknown>): Pick<Finding, "count" | "count_capped"> {
  return { count: found.length, ...(more && { count_capped: true }) };
}

/** A list that was read up to a limit. */
export function upTo<T>(found: readonly T[], limit: number): Examined<T> {
  return { found, more: found.length >= limit };
}

/** The first few, as evidence. */
export function evidence(kind: Evidence["kind"], ids: readonly string[], role: string | null = null): Evidence[] {
  return ids.slice(0, NAMED).map((id) => ({ kind, id, role }));
}

export function earliest(times: Iterable<EpochSeconds>): EpochSeconds | null {
  let first: EpochSeconds | null = null;
  for (const time of times) if (first === null || time < first) first = time;
  return first;
}
