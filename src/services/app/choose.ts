/** Which of several apps is opened if none was chosen. */
import type { AppRow } from "../../api/app.ts";

/** The app with the most severe problem; of several the one that changed last, and then the first in the list. Undefined for an empty list. */
export function appToOpen(apps: readonly AppRow[]): AppRow | undefined {
  return [...apps].sort((a, b) => severity(b) - severity(a) || compareChange(b, a))[0];
}

function severity({ figures }: AppRow): number {
  if (figures === null || figures.problems === 0) return 0;
  return figures.errors > 0 ? 2 : 1;
}

function compareChange(a: AppRow, b: AppRow): number {
  const [one, other] = [a.figures?.last_change ?? "", b.figures?.last_change ?? ""];
  return one === other ? 0 : one > other ? 1 : -1;
}
