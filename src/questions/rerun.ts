import { rerunInput, rerunManyInput } from "../inputs/actions.ts";
import { preview, question } from "./model/declare.ts";

const answers = () => import("../api/reruns.ts");

export const rerun = question({
  name: "rerun",
  area: "actions",
  summary: "register the calls of invocations again",
  details:
    "Of those named, or of all that match a filter. With a filter or several ids, matches that another match called are left out: rerunning that one calls them again.",
  input: rerunManyInput,
  addresses: [
    ...preview("/invocations/rerun", "Register the calls of all invocations that match again", {
      input: rerunManyInput,
      preview: async () => (await answers()).RerunManyPreview,
      outcome: async () => (await answers()).RerunManyOutcome,
    }),
    ...preview("/invocations/:id/rerun", "Register the call of an invocation again", {
      input: rerunInput,
      preview: async () => (await answers()).RerunPreview,
      outcome: async () => (await answers()).RerunOutcome,
    }),
  ],
  command: {
    usage: "rerun [id...]",
    group: "changes",
    examples: [
      "monitor rerun 93041383",
      "monitor rerun 93041383 --queue mail --priority 50",
      "monitor rerun --status failed --task shop.orders.place_order --dry-run",
    ],
    exits: "Exits with 1 if some calls were refused, with 5 if all were.",
  },
  async answers() {
    const { RerunManyOutcome, RerunManyPreview, RerunOutcome, RerunPreview } = await answers();
    return [RerunPreview, RerunOutcome, RerunManyPreview, RerunManyOutcome];
  },
});
