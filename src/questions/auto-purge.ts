import { eventRules, orchestratorRules } from "../inputs/actions.ts";
import { preview, question } from "./model/declare.ts";

const answers = () => import("../api/actions.ts");

export const autoPurge = question({
  name: "auto-purge",
  area: "actions",
  summary: "remove what is past pynenc's retention settings",
  details: "orchestrator, events, or all (default).",
  input: { ...orchestratorRules, ...eventRules },
  addresses: [
    ...preview("/orchestrator/auto-purge", "Remove what the orchestrator no longer keeps", {
      input: orchestratorRules,
      preview: async () => (await answers()).OrchestratorAutoPurgePreview,
      outcome: async () => (await answers()).OrchestratorPurgeOutcome,
    }),
    ...preview("/events/auto-purge", "Remove events and trigger runs that are no longer kept", {
      input: eventRules,
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
