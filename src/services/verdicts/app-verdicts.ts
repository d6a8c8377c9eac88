/** What looks wrong with an app, and what could not be examined: the same for every page, command, document and tool. */
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { type Examined, type ExaminedApp, examined, examinedFigures } from "./examined.ts";
import { trendFacts } from "./read-trends.ts";
import { type FoundVerdict, findVerdicts, type VerdictScope } from "./verdicts.ts";

export interface AppVerdicts extends ExaminedApp {
  /** Errors first. Empty if nothing looks wrong in what could be examined. */
  verdicts: FoundVerdict[];
}

/**
 * Reads the figures over time that some verdicts depend on. Not inside `store.read`; the result is for use in one.
 *
 * @param patience maximum milliseconds to wait for figures. What has not been read by then is listed as not examined.
 */
export async function appVerdicts(
  app: OpenedApp,
  patience: number,
): Promise<(reads: AppReads) => Promise<AppVerdicts>> {
  const trends = await trendFacts(app, patience);
  return async (reads) => {
    const [verdicts, parts] = await Promise.all([findVerdicts(app, reads, trends), examined(app, reads, trends)]);
    return { verdicts, ...parts };
  };
}

/** Verdicts of one scope, and what of the figures over time was examined for them. */
export interface ScopedVerdicts {
  verdicts: FoundVerdict[];
  figures: Examined;
}

/** Makes a function that finds the verdicts of one scope. Not inside `store.read`, but the function is for use inside one. */
export async function scopedVerdicts(
  app: OpenedApp,
  patience: number,
): Promise<(reads: AppReads, scope: VerdictScope | Promise<VerdictScope>) => Promise<ScopedVerdicts>> {
  const trends = await trendFacts(app, patience);
  return async (reads, scope) => ({
    verdicts: await findVerdicts(app, reads, trends, await scope),
    figures: examinedFigures(trends),
  });
}
