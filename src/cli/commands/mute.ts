import type { Mute, MuteList } from "../../api/verdicts.ts";
import { visible, visibleLine } from "../../presentation/text.ts";
import {
  listMutes,
  mute as muteNow,
  previewMute,
  previewUnmute,
  unmute as unmuteNow,
} from "../../services/actions/mute.ts";
import { runAction } from "../action.ts";
import { type FlagNames, type Flags, inFlagWords, rawInput } from "../flags.ts";
import type { Output } from "../print/output.ts";
import type { Column } from "../print/table.ts";
import { facts } from "../print/text.ts";
import { time } from "../print/zone.ts";
import { withApp } from "../session.ts";

const FLAGS: FlagNames = { ids: "id", for: "for" };

/** `monitor mute [code]`: hides a verdict for a while; without a code, lists what is muted. */
export async function mute(flags: Flags, code: string | null): Promise<void> {
  if (code === null) return withApp(flags, async (app, out) => list(listMutes(app), out));
  const raw = { ...rawInput(flags, FLAGS), code: [code] };
  await runAction(flags, async (app) => {
    const preview = await inFlagWords(FLAGS, () => previewMute(app, raw));
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
              ["Quiet now", quiet.length === 0 ? "no current verdict" : visible(quiet.join("; "))],
            ],
            out,
          ),
        ),
      refused: refused === null ? null : { reason: refused },
      empty: false,
      question: `Mute ${preview.code} of ${app.app_id}?`,
      typed: null,
      async act(record) {
        const outcome = await record(() => muteNow(app, raw));
        return { outcome, print: (out) => out.lines([visible(outcome.message)]), failure: null };
      },
    };
  });
}

/** `monitor unmute <code>`. */
export async function unmute(flags: Flags, code: string): Promise<void> {
  const raw = { ...rawInput(flags, { ids: "id" }), code: [code] };
  await runAction(flags, async (app) => {
    const preview = await inFlagWords(FLAGS, () => previewUnmute(app, raw));
    return {
      name: "unmute",
      preview,
      show: (out) => out.table(COLUMNS, preview.mutes),
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

function list(found: MuteList, out: Output): void {
  if (out.json) out.document(found);
  else if (found.mutes.length === 0) out.say("Nothing is muted.");
  else out.table(COLUMNS, found.mutes);
}

const COLUMNS: readonly Column<Mute>[] = [
  { title: "VERDICT", cell: ({ code }) => code },
  { title: "ABOUT", cell: ({ id }) => id ?? "everything" },
  { title: "UNTIL", cell: ({ until }) => time(until) },
];
