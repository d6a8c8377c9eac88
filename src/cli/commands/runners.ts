import { emptyColumns } from "../../presentation/facts/column.ts";
import { RUNNER_COLUMNS } from "../../presentation/facts/runner.ts";
import { count } from "../../presentation/text.ts";
import { counted } from "../../pynenc/numbers.ts";
import { runners } from "../../questions/runners.ts";
import { silenceWords } from "../../services/model/runner-liveness.ts";
import { listRunners } from "../../services/runners/runners.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { printRows } from "../print/facts.ts";
import { pageNotes } from "../print/text.ts";
import { withApp } from "../session.ts";

/** `monitor runners`: runners with a recent heartbeat, or all recorded ones with `--all`. */
export async function run(flags: Flags): Promise<void> {
  const raw = { ...rawInput(flags, runners.input), show: [flags.all === true ? "all" : "active"] };
  await withApp(flags, async (app, out) => {
    const list = await inFlagWords(runners.input, () => listRunners(app, raw));
    if (out.json) return out.document(list);
    const shown = [...list.silent, ...list.runners];
    const hide = emptyColumns(RUNNER_COLUMNS, shown);
    printRows(RUNNER_COLUMNS, shown, out, { now: app.now(), hide });
    if (list.runners.length === 0 && list.page.number === 1) {
      const others = list.known > 0 ? ` ${counted(list.known, "runner")} known: --all` : "";
      out.say(list.scope === "active" ? `No runner is active.${others}` : "No runners yet.");
    } else out.say(`${count(list.active)} active, ${count(list.known)}${list.known_capped ? "+" : ""} known.`);
    out.say(...pageNotes(list.page, "runner"));
    if (list.silence.recovery !== null) {
      out.say(`A runner counts as silent after ${silenceWords(list.silence)}.`);
    }
  });
}
