import { visibleLine } from "../../presentation/text.ts";
import { unmute } from "../../questions/unmute.ts";
import { previewUnmute, unmute as unmuteNow } from "../../services/actions/mute.ts";
import { runAction } from "../action.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { MUTE_COLUMNS } from "./mute.ts";

/** `monitor unmute <code>`. */
export async function run(flags: Flags, [code = ""]: readonly string[]): Promise<void> {
  const raw = { ...rawInput(flags, unmute.input), code: [code] };
  await runAction(flags, async (app) => {
    const preview = await inFlagWords(unmute.input, () => previewUnmute(app, raw));
    return {
      name: "unmute",
      preview,
      show: (out) => out.table(MUTE_COLUMNS, preview.mutes),
      refused: preview.refused,
      empty: preview.mutes.length === 0,
      question: `Show ${visibleLine(code)} of ${app.app_id} again?`,
      act: async (record) => ({ outcome: await record(() => unmuteNow(app, raw)) }),
    };
  });
}
