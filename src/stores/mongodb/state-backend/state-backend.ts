import { parseAppInfo } from "../../../pynenc/json-records.ts";
import type { StateBackendReads } from "../../ports/state-backend.ts";
import { text } from "../collections/fields.ts";
import type { MongoReading } from "../collections/reading.ts";
import { definitionReads } from "./definitions.ts";
import { historyReads } from "./history.ts";
import { historyStretchReads } from "./history-stretch.ts";
import { historyWindowReads } from "./history-window.ts";
import { runnerContextReads } from "./runner-contexts.ts";
import { workflowReads } from "./workflows.ts";

/** Definitions, history, results, runner contexts and workflows (storage-format.md 11.3). */
export function stateBackendReads(reading: MongoReading): StateBackendReads {
  return {
    async appInfo() {
      const stored = await reading.of("state_backend", "app_info").findOne({ app_id: reading.appId });
      return stored === null ? null : parseAppInfo(text(stored.app_info_json));
    },
    ...definitionReads(reading),
    ...historyReads(reading),
    ...historyWindowReads(reading),
    ...historyStretchReads(reading),
    ...runnerContextReads(reading),
    ...workflowReads(reading),
  };
}
