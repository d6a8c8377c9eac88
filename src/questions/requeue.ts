import { inv_ids, messageRoute } from "./model/common-input.ts";
import { onOff, preview, question } from "./model/declare.ts";

const answers = () => import("../api/actions.ts");
const outcomes = {
  preview: async () => (await answers()).RequeuePreview,
  outcome: async () => (await answers()).RequeueOutcome,
};

const ofOne = {
  force: onOff(
    "also requeue if the message may still be in the queue, because that queue can be counted but not listed (RabbitMQ)",
    { flag: "--force" },
  ),
  ...messageRoute,
} as const;

const input = { inv_ids: { ...inv_ids, meaning: "the ids, comma-separated", required: true }, ...ofOne } as const;

export const requeue = question({
  name: "requeue",
  area: "actions",
  summary: "put back the lost messages of invocations that are waiting",
  input,
  addresses: [
    ...preview("/invocations/requeue", "Put back the lost messages of several invocations", { input, ...outcomes }),
    ...preview("/invocations/:id/requeue", "Put back the lost message of an invocation", { input: ofOne, ...outcomes }),
  ],
  command: {
    usage: "requeue <id...>",
    group: "changes",
    examples: [
      "monitor requeue 0e5f93a1",
      "monitor requeue 0e5f93a1 4c1d --dry-run",
      "monitor requeue $(monitor status --json | jq -r '.verdicts[] | select(.code == \"waiting_in_no_queue\") | .evidence[].id')",
    ],
  },
  async answers() {
    const { RequeueOutcome, RequeuePreview } = await answers();
    return [RequeuePreview, RequeueOutcome];
  },
});
