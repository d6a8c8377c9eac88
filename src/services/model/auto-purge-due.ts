/** When an auto-purge may remove a final invocation from the orchestrator (storage-format.md 7.3). */
import type { AutoPurgeDue } from "../../api/invocations.ts";
import { DEFAULT_ORIGIN } from "../../config/setting-sources.ts";
import { lasting } from "../../pynenc/numbers.ts";
import type { InvocationStatusRecord } from "../../pynenc/records.ts";
import { statusInfo } from "../../pynenc/statuses.ts";
import { isoFromEpoch, utcText } from "../../pynenc/time.ts";
import { numberSetting, type OpenedApp } from "../app/opened-app.ts";

const SETTING = "auto_final_invocation_purge_hours";

/** Null if the invocation is not final, or if the orchestrator no longer has it. */
export function autoPurgeDue(app: OpenedApp, status: InvocationStatusRecord | undefined): AutoPurgeDue | null {
  if (status === undefined || !statusInfo(status.status).final) return null;
  const hours = numberSetting(app, SETTING);
  const hours_origin = app.settings.get(SETTING)?.origin ?? DEFAULT_ORIGIN;
  const clock = status.auto_purge_timestamp;
  const due = clock === null ? null : clock + hours * 3600;
  const known = hours_origin !== DEFAULT_ORIGIN;
  return {
    clock_started_at: clock === null ? null : isoFromEpoch(clock),
    hours,
    hours_origin,
    due_at: due === null || !known ? null : isoFromEpoch(due),
    due_by_default_at: due === null || known ? null : isoFromEpoch(due),
    words: words(due, known, hours, app.now()),
  };
}

function words(due: number | null, known: boolean, hours: number, now: number): string {
  if (due === null) return "Never: no time is stored at which it became final";
  const until = due <= now ? "Kept until the next auto-purge" : `Kept until ${utcText(due)}`;
  return `${until} (${known ? SETTING : "pynenc's default"}: ${lasting(hours * 3600)})`;
}
