import type { RequeueOutcome, RequeuePreview } from "../../api/actions.ts";
import { InvalidInputError } from "../../errors.ts";
import { MAX_REQUEUED } from "../../inputs/actions.ts";
import { visible, visibleLine } from "../../presentation/text.ts";
import { counted } from "../../pynenc/numbers.ts";
import { requeue } from "../../questions/requeue.ts";
import { previewRequeue, requeue as requeueNow } from "../../services/actions/requeue.ts";
import { runAction } from "../action.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { fullIds } from "../invocation-ids.ts";
import { printHead, printPoints, printRunners } from "../print/action.ts";
import { printInvocations } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import { indented } from "../print/text.ts";

/** `monitor requeue <id>...`: puts back the messages of invocations that wait for a runner but are in no queue. */
export async function run(flags: Flags, given: readonly string[]): Promise<void> {
  if (given.length > MAX_REQUEUED) {
    throw new InvalidInputError([
      { parameter: "<id...>", value: `${given.length} ids`, accepted: `at most ${MAX_REQUEUED} ids` },
    ]);
  }
  const raw = rawInput(flags, requeue.input);
  await runAction(flags, async (app) => {
    const ids = await fullIds(app, given);
    const preview = await inFlagWords(requeue.input, () => previewRequeue(app, ids, raw));
    return {
      name: "requeue",
      preview,
      show: (out) => show(preview, app.now(), out),
      refused: preview.refused,
      hint: preview.forcible ? "--force does it anyway." : null,
      question: `Put ${counted(preview.requeued, "message")} back into the queue of ${app.app_id}?`,
      async act(record) {
        const outcome = await record(() => requeueNow(app, ids, raw));
        return { outcome, print: (out) => print(outcome, out), ids: outcome.invocation_ids };
      },
    };
  });
}

function show(preview: RequeuePreview, now: number, out: Output): void {
  const { candidates, requeued, notes, runners_alive, refused } = preview;
  const [first, ...others] = candidates;
  // One that would be put back is listed below.
  const only = requeued === 0 && others.length === 0 ? first : undefined;
  printHead("Requeue", preview, out, [
    ["Invocation", only === undefined ? null : visibleLine(only.invocation.invocation_id)],
    ["Messages", requeued === 0 ? null : counted(requeued, "message")],
  ]);
  const lost = candidates.filter(({ refusal }) => refusal === null).map(({ invocation }) => invocation);
  printInvocations("Messages to put back", lost, now, out);
  printPoints(
    "Not requeued",
    candidates.flatMap(({ invocation, refusal }) =>
      // Of a single one the refusal of the whole says it.
      refusal === null || (candidates.length === 1 && refused?.includes(refusal.reason))
        ? []
        : [`${visibleLine(invocation.invocation_id)}: ${refusal.reason}.`],
    ),
    out,
  );
  printPoints("Notes", notes, out);
  printRunners(runners_alive, now, out);
}

function print({ message, invocation_ids: ids }: RequeueOutcome, out: Output): void {
  out.lines([visible(message), ...(ids.length > 1 ? indented(ids.map(visibleLine)) : [])]);
}
