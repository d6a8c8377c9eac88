/** Verdicts that appear or end, for `serve --on-verdict` and `check --follow`. */
import { alarmRecord } from "../alarms/alarm-file.ts";
import type { Severity, VerdictAlarm } from "../api/verdicts.ts";
import { versioned } from "../api/version.ts";
import { outgoing } from "../config/masking.ts";
import type { ResolvedOptions } from "../config/options.ts";
import { createLinks } from "../presentation/links.ts";
import { withSteps } from "../presentation/verdict-steps.ts";
import type { FollowClock, Followed } from "../services/app/following.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import { type VerdictChangesOptions, verdictChanges } from "../services/health/verdict-changes.ts";
import { jsonDocument } from "./print/json.ts";
import { VerdictCommand } from "./verdict-command.ts";

export interface VerdictAlarmOptions {
  options: Pick<ResolvedOptions, "onVerdict" | "basePath" | "stateDir">;
  severities: readonly Severity[];
  /** Address of the monitor; null without a server. */
  url: string | null;
  /** Where failures of the checks and of the command go. */
  log: VerdictChangesOptions["log"];
}

/** Checks until it is stopped, and passes each change to the command of `--on-verdict`, if there is one. */
export async function* verdictAlarms(
  app: OpenedApp,
  { options: { onVerdict, basePath, stateDir }, severities, url, log }: VerdictAlarmOptions,
  clock: FollowClock,
): AsyncGenerator<Followed<VerdictAlarm>> {
  const { app_id, store } = app;
  const { location } = store;
  const command = onVerdict.value && new VerdictCommand(onVerdict.value, { warn: (words) => log.warn(words) });
  const record = command && stateDir.value !== null ? alarmRecord(stateDir.value, { app_id, location }) : null;
  const links = createLinks(await app.addressedAs(), { basePath: basePath.value });
  try {
    for await (const { rows, notes } of verdictChanges(app, { severities, record, log }, clock)) {
      const alarms = rows.map(({ change, as_of, verdict }): VerdictAlarm => {
        const [full] = withSteps(links, { verdicts: [verdict] }).verdicts;
        return outgoing({ app_id, location, url, as_of, change, verdict: full ?? { ...verdict, next: [] } });
      });
      for (const alarm of alarms) command?.notify(jsonDocument(versioned(alarm)));
      yield { rows: alarms, notes };
    }
  } finally {
    command?.close();
  }
}
