import type { Mute, MuteList } from "../../api/verdicts.ts";
import { visible, visibleLine } from "../../presentation/text.ts";
import { mute } from "../../questions/mute.ts";
import { listMutes, mute as muteNow, previewMute } from "../../services/actions/mute.ts";
import { runAction } from "../action.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import type { Output } from "../print/output.ts";
import type { Column } from "../print/table.ts";
import { facts } from "../print/text.ts";
import { time } from "../print/zone.ts";
import { withApp } from "../session.ts";

export const MUTE_COLUMNS: readonly Column<Mute>[] = [
  { title: "VERDICT", cell: ({ code }) => code },
  { title: "ABOUT", cell: ({ id }) => id ?? "everything" },
  { title: "UNTIL", cell: ({ until }) => time(until) },
];

/** `monitor mute [code]`: hides a verdict for a while; without a code, lists what is muted. */
export async function run(flags: Flags, [code = null]: readonly (string | null)[]): Promise<void> {
  if (code === null) return withApp(flags, async (app, out) => list(listMutes(app), out));
  const raw = { ...rawInput(flags, mute.input), code: [code] };
  await runAction(flags, async (app) => {
    const preview = await inFlagWords(mute.input, () => previewMute(app, raw));
    const { ids, until, quiet, refused } = preview;
    return {
      name: "mute",
      preview,
      show: (out) =>
        out.lines(
          facts(
            [
              ["Verdict", visibleLine(preview.code)],
              ["About", ids.length === 0 ? "everything" : visibleLine(ids.join(", "))],
              ["Until", time(until)],
              ["Hides now", quiet.length === 0 ? "nothing" : visible(quiet.join("; "))],
            ],
            out,
          ),
        ),
      refused,
      question: `Mute ${preview.code} of ${app.app_id}?`,
      act: async (record) => ({ outcome: await record(() => muteNow(app, raw)) }),
    };
  });
}

function list(found: MuteList, out: Output): void {
  if (out.json) out.document(found);
  else if (found.mutes.length === 0) out.say("Nothing is muted.");
  else out.table(MUTE_COLUMNS, found.mutes);
}
