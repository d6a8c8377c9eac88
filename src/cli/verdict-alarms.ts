/** Alarms: what `--on-verdict` and `check --follow` do with verdicts that appear and end. */
import type { VerdictAlarm } from "../api/verdicts.ts";
import { outgoing } from "../config/masking.ts";
import type { ResolvedOptions } from "../config/options.ts";
import { AlarmFile } from "../mutes/alarm-file.ts";
import { createLinks } from "../presentation/links.ts";
import { withSteps } from "../presentation/verdict-steps.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import { VerdictWatch } from "../services/health/verdict-watch.ts";
import type { KeptVerdict } from "../services/verdicts/appearances.ts";

export interface AlarmOptions {
  /** Of the monitor. */
  url: string;
  onAlarm(alarm: VerdictAlarm): void;
  onDefect(error: unknown): void;
}

/** A watch that is not running yet. What it reported is kept in the folder of the user's state, if there is one. */
export async function verdictAlarms(
  app: OpenedApp,
  { basePath, stateDir }: ResolvedOptions,
  { url, onAlarm, onDefect }: AlarmOptions,
): Promise<VerdictWatch> {
  const { app_id, store } = app;
  const { location } = store;
  const links = createLinks(await app.addressedAs(), { basePath: basePath.value });
  const file = stateDir.value === null ? null : new AlarmFile<KeptVerdict>(stateDir.value, { app_id, location });
  return new VerdictWatch(app, {
    kept: file?.read() ?? null,
    keep(known) {
      try {
        file?.write(known);
      } catch (error) {
        onDefect(error);
      }
    },
    onChanged(found, state, as_of) {
      const [verdict] = withSteps(links, { verdicts: [found] }).verdicts;
      if (verdict !== undefined) onAlarm(outgoing({ app_id, location, url, as_of, state, verdict }));
    },
    onDefect,
  });
}
