import type { StateBackendOverview } from "../../api/components.ts";
import { maskSecrets } from "../../config/masking.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import type { StorageFigure } from "../../stores/ports/layout.ts";
import { invocationTotals } from "../app/counts.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { settingRows } from "../model/setting-rows.ts";

export async function stateBackendOverview(app: OpenedApp): Promise<StateBackendOverview> {
  const [totals, figures] = await Promise.all([invocationTotals(app), storageFigures(app)]);
  const [capabilities, span, info] = await app.store.read((reads) =>
    Promise.all([reads.layout.capabilities(), reads.state_backend.historySpan(), reads.state_backend.appInfo()]),
  );
  return {
    present: capabilities.components.state_backend,
    location: app.store.location,
    figures: figures.filter((f) => f.component === "state_backend"),
    loads: [...app.store.loads],
    oldest_entry: isoOrNull(span?.first),
    newest_entry: isoOrNull(span?.last),
    totals,
    app_info: info === null ? null : (maskSecrets("app_info", { ...info }) as Record<string, unknown>),
    settings: settingRows(app.settings, ["state_backend_cls", "serializer_cls"], capabilities.components),
  };
}

/** Rows and bytes of every table. Counting scans an index of each, so the result is cached. */
export function storageFigures(app: OpenedApp): Promise<StorageFigure[]> {
  return app.memo("storage figures", (reads) => reads.layout.figures());
}
