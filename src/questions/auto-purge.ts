import { number, onOff, preview, question, whole } from "./model/declare.ts";

const answers = () => import("../api/actions.ts");

/** Each overrides the setting of pynenc that it is named after. */
const ofOrchestrator = {
  auto_final_invocation_purge_hours: number(
    "remove final invocations after this many hours (auto_final_invocation_purge_hours)",
    { least: 0 },
    { flag: "--hours <number>" },
  ),
  with_open_parents: onOff(
    "also remove invocations whose parent is not final; a parent that asks for their result later fails",
    { flag: "--with-open-parents" },
  ),
  atomic_service_execution_retention_minutes: number(
    "remove executions after this many minutes (atomic_service_execution_retention_minutes)",
    { least: 0 },
    { flag: "--execution-minutes <number>" },
  ),
  atomic_service_execution_max_records: whole(
    "keep at most this many executions; 0 is no limit (atomic_service_execution_max_records)",
    { least: 0 },
    { flag: "--max-executions <number>" },
  ),
};
const ofEvents = {
  event_auto_purge_enabled: onOff("yes or no: whether to remove events at all (event_auto_purge_enabled)", {
    flag: "--enabled <answer>",
  }),
  event_retention_days: number(
    "remove events and trigger runs after this many days (event_retention_days)",
    { least: 0 },
    { flag: "--retention-days <number>" },
  ),
  event_max_records: whole(
    "keep at most this many events; 0 is no limit (event_max_records)",
    { least: 0 },
    { flag: "--max-events <number>" },
  ),
  trigger_run_max_records: whole(
    "keep at most this many trigger runs; 0 is no limit (trigger_run_max_records)",
    { least: 0 },
    { flag: "--max-trigger-runs <number>" },
  ),
};

export const autoPurge = question({
  name: "auto-purge",
  area: "actions",
  summary: "remove what pynenc's retention settings no longer keep: orchestrator, events, or all (default)",
  input: { ...ofOrchestrator, ...ofEvents },
  addresses: [
    ...preview("/orchestrator/auto-purge", "Remove what the orchestrator no longer keeps", {
      input: ofOrchestrator,
      preview: async () => (await answers()).OrchestratorAutoPurgePreview,
      outcome: async () => (await answers()).OrchestratorPurgeOutcome,
    }),
    ...preview("/events/auto-purge", "Remove events and trigger runs that are no longer kept", {
      input: ofEvents,
      preview: async () => (await answers()).AutoPurgePreview,
      outcome: async () => (await answers()).EventPurgeOutcome,
    }),
  ],
  command: {
    usage: "auto-purge [target]",
    group: "changes",
    examples: [
      "monitor auto-purge --dry-run",
      "monitor auto-purge orchestrator --hours 48",
      "monitor auto-purge events --max-events 1000 --yes",
    ],
    words: ["orchestrator", "events", "all"],
  },
  async answers() {
    const { AutoPurgeOutcomes, AutoPurgePreviews } = await answers();
    return [AutoPurgePreviews, AutoPurgeOutcomes];
  },
});
