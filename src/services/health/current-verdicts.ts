/** Only the verdicts on an app, for repeated polling. */
import type { VerdictList } from "../../api/verdicts.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { examined } from "../verdicts/examined.ts";
import { PAGE_PATIENCE, trendFacts } from "../verdicts/read-trends.ts";
import { findVerdicts, type WithFoundVerdicts } from "../verdicts/verdicts.ts";

export async function currentVerdicts(app: OpenedApp): Promise<Omit<WithFoundVerdicts<VerdictList>, "keys">> {
  const trends = await trendFacts(app, PAGE_PATIENCE);
  const [verdicts, { not_looked_at }] = await app.store.read((reads) =>
    Promise.all([findVerdicts(app, reads, trends), examined(app, reads, trends)]),
  );
  const { app_id, store } = app;
  return { app_id, location: store.location, as_of: isoFromEpoch(app.now()), verdicts, not_looked_at };
}
