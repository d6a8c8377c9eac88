import type { StoreReport } from "../../api/components.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { storeFacts } from "../model/store-facts.ts";
import { storageFigures } from "./state-backend.ts";

/** Facts about the store that do not depend on its activity. Rows are counted occasionally, as for the state backend page. */
export async function storeReport(app: OpenedApp): Promise<StoreReport> {
  const figures = await storageFigures(app);
  const [facts, span] = await app.store.read((reads) =>
    Promise.all([storeFacts(app, reads), reads.state_backend.historySpan()]),
  );
  return {
    ...facts,
    figures,
    loads: [...app.store.loads],
    oldest_entry: isoOrNull(span?.first),
    newest_entry: isoOrNull(span?.last),
  };
}
