/** Only the verdicts on an app, for repeated polling. */
import type { VerdictList } from "../../api/verdicts.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { appVerdicts } from "../verdicts/app-verdicts.ts";
import { PAGE_PATIENCE } from "../verdicts/read-trends.ts";
import type { WithFoundVerdicts } from "../verdicts/verdicts.ts";

export async function currentVerdicts(app: OpenedApp): Promise<Omit<WithFoundVerdicts<VerdictList>, "keys">> {
  const { verdicts, not_looked_at } = await app.store.read(await appVerdicts(app, PAGE_PATIENCE));
  const { app_id, store } = app;
  return { app_id, location: store.location, as_of: isoFromEpoch(app.now()), verdicts, not_looked_at };
}
