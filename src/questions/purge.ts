import { queueFilter } from "./model/common-input.ts";
import { onOff, preview, question } from "./model/declare.ts";
import type { Input } from "./model/question.ts";

const answers = () => import("../api/actions.ts");
const purgeAt = (path: string, what: string, input: Input = {}) =>
  preview(path, what, {
    input,
    preview: async () => (await answers()).PurgePreview,
    outcome: async () => (await answers()).PurgeOutcome,
  });

const empty_queue = onOff("with orchestrator or state-backend: empty the queue first", { flag: "--empty-queue" });
const queue = { ...queueFilter, meaning: "with broker: empty only this queue (pynenc 0.4)" };

export const purge = question({
  name: "purge",
  area: "actions",
  summary: "empty broker, state-backend, client-data-store, orchestrator, triggers, or all",
  input: { empty_queue, queue },
  addresses: [
    ...purgeAt("/purge", "Empty everything"),
    ...purgeAt("/broker/purge", "Empty the broker", { queue }),
    ...purgeAt("/orchestrator/purge", "Empty the orchestrator", { empty_queue }),
    ...purgeAt("/state-backend/purge", "Empty the state backend", { empty_queue }),
    ...purgeAt("/client-data-store/purge", "Empty the client data store"),
    ...purgeAt("/triggers/purge", "Empty the trigger component"),
  ],
  command: {
    usage: "purge [target]",
    group: "changes",
    examples: [
      "monitor purge broker --dry-run",
      "monitor purge broker",
      "monitor purge broker --queue mail",
      "monitor purge orchestrator --empty-queue",
      "monitor purge all --yes --json | jq .deleted",
    ],
    words: ["broker", "state-backend", "client-data-store", "orchestrator", "triggers", "all"],
  },
  async answers() {
    const { PurgeOutcome, PurgePreview } = await answers();
    return [PurgePreview, PurgeOutcome];
  },
});
