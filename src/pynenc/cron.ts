/** Cron expressions as pynenc uses them: five fields, in UTC (storage-format.md 5.6). */
import { Cron } from "croner";

/** Longer expressions are rejected and never passed to the libraries. */
export const LONGEST_EXPRESSION = 200;

/** A schedule without a job, or null if the expression does not have five fields within their ranges. */
export function parseCron(expression: string): Cron | null {
  if (expression.length > LONGEST_EXPRESSION || expression.trim().split(/\s+/).length !== 5) return null;
  try {
    return new Cron(expression, { timezone: "UTC", mode: "5-part" });
  } catch {
    return null;
  }
}
