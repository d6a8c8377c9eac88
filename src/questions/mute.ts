import { muteInput } from "../inputs/actions.ts";
import { preview, question } from "./model/declare.ts";

const answers = () => import("../api/verdicts.ts");

export const mute = question({
  name: "mute",
  area: "actions",
  summary: "hide a verdict for a while, or list what is muted",
  details:
    "Without a code, lists what is muted. Nothing in the store changes: mutes are kept in the state directory of this user, and apply to pages and commands. A muted verdict does not make monitor doctor fail.",
  input: muteInput,
  addresses: preview("/why/mute", "Mute a problem for a while", {
    input: muteInput,
    preview: async () => (await answers()).MutePreview,
    outcome: async () => (await answers()).MuteOutcome,
  }),
  command: {
    usage: "mute [code]",
    group: "changes",
    examples: [
      "monitor mute stuck_pending --for 3d",
      "monitor mute schedule_overdue --id 'cron_0 3 * * *'",
      "monitor mute --json",
    ],
  },
  async answers() {
    const { MuteList, MuteOutcome, MutePreview } = await answers();
    return [MuteList, MuteOutcome, MutePreview];
  },
});
