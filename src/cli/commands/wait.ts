import { setTimeout as sleep } from "node:timers/promises";
import type { WaitAnswer, WaitedInvocation } from "../../api/wait.ts";
import { NotFoundError } from "../../errors.ts";
import { duration } from "../../presentation/text.ts";
import { counted } from "../../pynenc/numbers.ts";
import { wait } from "../../questions/wait.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import type { RawInput } from "../../services/input/input.ts";
import { exportRows } from "../../services/invocations/exports.ts";
import { readInvocationInput } from "../../services/invocations/invocations.ts";
import { unknownNames } from "../../services/invocations/unknown-names.ts";
import { MAX_WAITED, waitFor } from "../../services/invocations/wait.ts";
import { hasField } from "../../services/model/invocation-query.ts";
import { conflict } from "../exported.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { fullIds } from "../invocation-ids.ts";
import { refuseUnknown } from "../known-names.ts";
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

/** `monitor wait <id>...|QUERY`: waits until invocations have ended, succeeded or started to run. */
export async function run(flags: Flags, given: readonly string[]): Promise<void> {
  if (given.length === 0)
    throw conflict("<id...>", "", "name what to wait for: ids, or a search such as task:place_order");
  const raw = rawInput(flags, wait.input);
  await withApp(
    flags,
    async (app, out) => {
      const ids = await waitedIds(app, given);
      if (process.stderr.isTTY === true) out.say(waitingWords(ids, raw));
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
      out.say(endedWords(answer, raw) ?? `${WORDS[answer.outcome]} after ${duration(answer.waited_seconds)}.`);
    },
    { paged: false },
  );
}

/** How they ended, if that was waited for and not all succeeded; otherwise null. */
function endedWords({ outcome, invocations }: WaitAnswer, { goal = [] }: RawInput): string | null {
  const ended = (goal.at(-1)?.toLowerCase() ?? "final") === "final" && outcome === "reached";
  if (!ended || invocations.every(({ status }) => status === "success")) return null;
  const counts = new Map<string, number>();
  for (const { status } of invocations) counts.set(status, (counts.get(status) ?? 0) + 1);
  const words = [...counts].map(([status, number]) => (counts.size === 1 ? status : `${number} ${status}`));
  return `Ended: ${words.join(", ")}.`;
}

/** What a person at a terminal waits for. */
function waitingWords(ids: readonly string[], { goal = [], timeout = [] }: RawInput): string {
  const what = ids.length === 1 ? `invocation ${ids[0]}` : counted(ids.length, "invocation");
  const until = { final: "end", success: "succeed", running: "start to run" }[goal.at(-1)?.toLowerCase() ?? "final"];
  const limit = timeout.length === 0 ? "" : ` for at most ${timeout.at(-1)}`;
  return `Waiting${limit} for ${what} to ${until ?? "end"}. Press Ctrl-C to stop.`;
}

/** The ids, or those of all that match the words as a search. @throws NotFoundError if nothing does */
async function waitedIds(app: OpenedApp, given: readonly string[]): Promise<string[]> {
  const q = given.join(" ");
  const most = (found: number) => {
    if (found > MAX_WAITED) throw conflict("<id...>", `${found} invocations`, `at most ${MAX_WAITED}`);
  };
  if (!hasField(q)) {
    most(given.length);
    return fullIds(app, given);
  }
  const { filter } = await inFlagWords(wait.input, () => readInvocationInput(app, { q: [q] }));
  const ids: string[] = [];
  for await (const rows of exportRows(app, filter, { limit: MAX_WAITED + 1 })) {
    ids.push(...rows.map((row) => row.invocation_id));
  }
  most(ids.length);
  if (ids.length > 0) return ids;
  refuseUnknown(await unknownNames(app, filter));
  throw new NotFoundError("invocation", q, "No invocation matches this search.");
}
