import { unmuteInput } from "../inputs/actions.ts";
import { preview, question } from "./model/declare.ts";

const answers = () => import("../api/verdicts.ts");

export const unmute = question({
  name: "unmute",
  area: "actions",
  summary: "show a muted verdict again",
  input: unmuteInput,
  addresses: preview("/why/unmute", "Show a muted problem again", {
    input: unmuteInput,
    preview: async () => (await answers()).UnmutePreview,
    outcome: async () => (await answers()).UnmuteOutcome,
  }),
  command: { usage: "unmute <code>", group: "changes", examples: ["monitor unmute stuck_pending"] },
  async answers() {
    const { UnmuteOutcome, UnmutePreview } = await answers();
    return [UnmuteOutcome, UnmutePreview];
  },
});
