import { onOff, preview, question, text } from "./model/declare.ts";

const answers = () => import("../api/verdicts.ts");

/** What unmute takes too. */
export const mutedInput = {
  code: text("the code of a verdict", { argument: "code", required: true }),
  ids: text("only for this thing; repeatable. Verdicts on other things are still shown", {
    flag: "--id <id>",
    repeatable: true,
    list: true,
  }),
} as const;

const input = {
  ...mutedInput,
  everything: onOff("every verdict with this code, whatever `ids` names", { usual: "0" }),
  for: text("how long: 8h (default), 3d; at most 90d", { flag: "--for <length>" }),
} as const;

export const mute = question({
  name: "mute",
  area: "actions",
  summary: "hide a verdict for a while; without a code, list what is muted",
  details:
    "Nothing in the store changes: mutes are kept in the state directory of this user, and apply to pages and commands. A muted verdict does not make monitor doctor fail.",
  input,
  addresses: preview("/why/mute", "Mutes a verdict for a time", {
    input,
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
