import { requeueInput, requeueManyInput } from "../inputs/actions.ts";
import { preview, question } from "./model/declare.ts";

const answers = () => import("../api/actions.ts");
const outcomes = {
  preview: async () => (await answers()).RequeuePreview,
  outcome: async () => (await answers()).RequeueOutcome,
};

export const requeue = question({
  name: "requeue",
  area: "actions",
  summary: "put back the lost messages of invocations that are waiting",
  input: requeueManyInput,
  addresses: [
    ...preview("/invocations/requeue", "Put back the lost messages of several invocations", {
      input: requeueManyInput,
      ...outcomes,
    }),
    ...preview("/invocations/:id/requeue", "Put back the lost message of an invocation", {
      input: requeueInput,
      ...outcomes,
    }),
  ],
  command: {
    usage: "requeue <id...>",
    group: "changes",
    examples: [
      "monitor requeue 93041383",
      "monitor requeue 93041383 4c1d --dry-run",
      "monitor requeue $(monitor status --json | jq -r '.verdicts[] | select(.code == \"waiting_in_no_queue\") | .evidence[].id')",
    ],
  },
  async answers() {
    const { RequeueOutcome, RequeuePreview } = await answers();
    return [RequeuePreview, RequeueOutcome];
  },
});
