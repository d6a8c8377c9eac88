import { parseAppInfo } from "../../../pynenc/json-records.ts";
import type { StateBackendReads } from "../../ports/state-backend.ts";
import { REGISTRY } from "../keys/keys.ts";
import type { RedisReading } from "../keys/reading.ts";
import { definitionReads } from "./definitions.ts";
import { historyReads } from "./history.ts";
import { historyStretchReads } from "./history-stretch.ts";
import { historyWindowReads } from "./history-window.ts";
import { runnerContextReads } from "./runner-contexts.ts";
import { workflowDataReads } from "./workflow-data.ts";
import { workflowReads } from "./workflows.ts";

/** Definitions, history, results, runner contexts and workflows (storage-format.md 9.2). */
export function stateBackendReads(reading: RedisReading): StateBackendReads {
  return {
    async appInfo() {
      const [json = null] = await reading.db("state_backend").strings([`${REGISTRY}${reading.appId}`]);
      return json === null ? null : parseAppInfo(json);
    },
    ...definitionReads(reading),
    ...historyReads(reading),
    ...historyWindowReads(reading),
    ...historyStretchReads(reading),
    ...runnerContextReads(reading),
    ...workflowReads(reading),
    ...workflowDataReads(reading),
  };
}
