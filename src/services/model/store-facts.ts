import type { StoreFacts } from "../../api/model/store-facts.ts";
import { COMPONENTS } from "../../stores/ports/common.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { settingRows } from "./setting-rows.ts";

/** Settings that explain what users see: recovery, retention, the atomic service. */
const SHOWN_SETTINGS = [
  "serializer_cls",
  "runner_cls",
  "dev_mode_force_sync_tasks",
  "logging_level",
  "blocking_control",
  "auto_final_invocation_purge_hours",
  "atomic_service_interval_minutes",
  "runner_considered_dead_after_minutes",
  "max_pending_seconds",
  "event_retention_days",
];

/** Describes the store of an app apart from its contents. Two reads of the layout, which stores cache. */
export async function storeFacts(app: OpenedApp, reads: AppReads): Promise<StoreFacts> {
  const [capabilities, layout] = await Promise.all([reads.layout.capabilities(), reads.layout.report()]);
  return {
    app_id: app.app_id,
    location: app.store.location,
    layout,
    writes_refused: capabilities.writes_refused,
    components: COMPONENTS.map((component) => {
      const [row] = settingRows(app.settings, [`${component}_cls`], capabilities.components);
      return {
        component,
        configured_class: row?.value ?? "unknown",
        origin: row?.origin ?? "default",
        present: capabilities.components[component],
      };
    }),
    settings: settingRows(app.settings, SHOWN_SETTINGS),
  };
}
