import { PURGE_TARGETS } from "../api/words.ts";
import { emptyQueueInput, purgedQueueInput } from "../inputs/actions.ts";
import type { Input } from "../inputs/parameter.ts";
import { preview, question } from "./model/declare.ts";

const answers = () => import("../api/actions.ts");
const purgeAt = <Path extends string>(path: Path, what: string, input: Input = {}) =>
  preview(path, what, {
    input,
    preview: async () => (await answers()).PurgePreview,
    outcome: async () => (await answers()).PurgeOutcome,
  });

export const purge = question({
  name: "purge",
  area: "actions",
  summary: "empty one component of the store, or all",
  details: "broker, state-backend, client-data-store, orchestrator, triggers or all.",
  input: { ...emptyQueueInput, ...purgedQueueInput },
  addresses: [
    ...purgeAt("/purge", "Empty everything"),
    ...purgeAt("/broker/purge", "Empty the broker", purgedQueueInput),
    ...purgeAt("/orchestrator/purge", "Empty the orchestrator", emptyQueueInput),
    ...purgeAt("/state-backend/purge", "Empty the state backend", emptyQueueInput),
    ...purgeAt("/client-data-store/purge", "Empty the client data store"),
    ...purgeAt("/triggers/purge", "Empty the trigger component"),
  ],
  command: {
    usage: "purge [target]",
    group: "changes",
    examples: [
      "monitor purge broker --dry-run",
      "monitor purge broker --queue mail",
      "monitor purge all --yes --json | jq .deleted",
    ],
    words: PURGE_TARGETS,
  },
  async answers() {
    const { PurgeOutcome, PurgePreview } = await answers();
    return [PurgePreview, PurgeOutcome];
  },
});
