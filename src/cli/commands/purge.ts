import type { PurgePreview, PurgeTarget } from "../../api/actions.ts";
import { InvalidInputError } from "../../errors.ts";
import { hiddenMessageColumns, MESSAGE_COLUMNS } from "../../presentation/facts/message.ts";
import { count, visible } from "../../presentation/text.ts";
import { purge } from "../../questions/purge.ts";
import { PURGES, previewPurge, purge as purgeNow } from "../../services/actions/purge.ts";
import { unknownAmong } from "../../services/model/known-names.ts";
import { runAction } from "../action.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { refuseUnknown } from "../known-names.ts";
import { printCounts, printHead, printPoints, printRunners, rowsText } from "../print/action.ts";
import { printRows } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import { heading } from "../print/text.ts";

/** `monitor purge <target>`: empties a component, or all of them. */
export async function run(flags: Flags, [given = null]: readonly (string | null)[]): Promise<void> {
  const target = targetOf(given);
  const raw = rawInput(flags, purge.input);
  await runAction(flags, async (app) => {
    const preview = await inFlagWords(purge.input, () => previewPurge(app, target, raw));
    if (preview.total === 0) refuseUnknown(await unknownAmong(app, { queues: raw.queue ?? [] }));
    return {
      name: `purge ${target}`,
      preview,
      show: (out) => show(preview, app.now(), out),
      refused: preview.refused,
      empty: preview.total === 0,
      question: `Purge ${preview.title} of ${app.app_id} (${rowsText(preview.counts)}, permanently)?`,
      typed: app.app_id,
      async act(record) {
        const outcome = await record(() => purgeNow(app, target, raw));
        const print = (out: Output) => {
          out.lines([visible(outcome.message)]);
          printCounts(outcome.rows, "NAME", out);
        };
        return { outcome, print };
      },
    };
  });
}

/** @throws InvalidInputError for an unknown target, because a purge never guesses. */
function targetOf(given: string | null): PurgeTarget {
  const targets = Object.keys(PURGES) as PurgeTarget[];
  // Answers call components `state_backend` and `trigger`.
  const name = given?.toLowerCase().replaceAll("_", "-");
  const target = targets.find((known) => known === name || (known === "triggers" && name === "trigger"));
  if (target !== undefined) return target;
  const accepted = `one of ${targets.join(", ")}`;
  const problems = [{ parameter: "<target>", value: given ?? "", accepted }];
  throw new InvalidInputError(problems, null, given === null ? `Name what to purge: ${accepted}.` : undefined);
}

function show(preview: PurgePreview, now: number, out: Output): void {
  const { counts, total, messages, queue } = preview;
  printHead(`Purge ${preview.title}`, preview, out);
  out.lines(heading(total === 0 ? "Nothing to delete." : `Deletes ${rowsText(counts)} permanently`, out));
  if (messages.length === 0) printCounts(counts, "NAME", out);
  else {
    printRows(MESSAGE_COLUMNS, messages, out, { now, hide: hiddenMessageColumns(queue) });
    if (total > messages.length) out.lines([`  and ${count(total - messages.length)} more`]);
  }
  printPoints("Consequences", preview.consequences, out);
  printPoints("Kept", preview.stays, out);
  printRunners(preview.runners_alive, now, out);
}
