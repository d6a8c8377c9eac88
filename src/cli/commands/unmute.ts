import { visible, visibleLine } from "../../presentation/text.ts";
import { unmute } from "../../questions/unmute.ts";
import { previewUnmute, unmute as unmuteNow } from "../../services/actions/mute.ts";
import { runAction } from "../action.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { MUTE_COLUMNS } from "../print/mutes.ts";

/** `monitor unmute <code>`. */
export async function run(flags: Flags, [code = ""]: readonly string[]): Promise<void> {
  const raw = { ...rawInput(flags, unmute.input), code: [code] };
  await runAction(flags, async (app) => {
    const preview = await inFlagWords(unmute.input, () => previewUnmute(app, raw));
    return {
      name: "unmute",
      preview,
      show: (out) => out.table(MUTE_COLUMNS, preview.mutes),
      refused: preview.refused === null ? null : { reason: preview.refused },
      empty: preview.mutes.length === 0,
      question: `Show ${visibleLine(code)} of ${app.app_id} again?`,
      typed: null,
      async act(record) {
        const outcome = await record(() => unmuteNow(app, raw));
        return { outcome, print: (out) => out.lines([visible(outcome.message)]), failure: null };
      },
    };
  });
}
