import { setTimeout as sleep } from "node:timers/promises";
import type { WaitAnswer, WaitedInvocation } from "../../api/wait.ts";
import { InvalidInputError } from "../../errors.ts";
import { duration } from "../../presentation/text.ts";
import { wait } from "../../questions/wait.ts";
import { MAX_WAITED, waitFor } from "../../services/invocations/wait.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { fullIds } from "../invocation-ids.ts";
import type { Column } from "../print/table.ts";
import { idColumn, taskColumn } from "../print/text.ts";
import { withApp } from "../session.ts";

/** 124 is also the exit code of GNU `timeout`. */
const EXIT_CODES: Readonly<Record<WaitAnswer["outcome"], number>> = {
  reached: 0,
  ended_otherwise: 1,
  not_known: 3,
  timed_out: 124,
};

const WORDS: Readonly<Record<WaitAnswer["outcome"], string>> = {
  reached: "Done",
  ended_otherwise: "Ended otherwise",
  not_known: "No longer stored",
  timed_out: "Timed out",
};

/** `monitor wait <id>...`: waits until invocations have ended, succeeded or started to run. */
export async function run(flags: Flags, given: readonly string[]): Promise<void> {
  if (given.length > MAX_WAITED) {
    throw new InvalidInputError([
      { parameter: "<id...>", value: `${given.length} ids`, accepted: `at most ${MAX_WAITED} ids` },
    ]);
  }
  const raw = rawInput(flags, wait.input);
  await withApp(
    flags,
    async (app, out) => {
      const ids = await fullIds(app, given);
      const clock = { now: () => performance.now(), sleep: (milliseconds: number) => sleep(milliseconds) };
      const answer = await inFlagWords(wait.input, () => waitFor(app, ids, raw, clock));
      process.exitCode = EXIT_CODES[answer.outcome];
      if (out.json) return out.document(answer);
      out.table(
        [
          idColumn("INVOCATION", (row: WaitedInvocation) => row.invocation_id),
          taskColumn((row: WaitedInvocation) => row.task_id_key ?? "(task not stored)"),
          {
            title: "STATUS",
            cell: ({ status }) => ({ text: status, paint: (text) => out.paint.status(status, text) }),
          },
        ] satisfies Column<WaitedInvocation>[],
        answer.invocations,
      );
      out.say(`${WORDS[answer.outcome]} after ${duration(answer.waited_seconds)}.`);
    },
    { paged: false },
  );
}
