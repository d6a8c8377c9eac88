import { count, visible, visibleLine } from "../../../templates/text.ts";
import { InvalidInputError } from "../../errors.ts";
import { counted } from "../../pynenc/numbers.ts";
import { CONTROL_TEXT } from "../../pynenc/rerun.ts";
import type { RawInput } from "../../services/input.ts";
import type { OpenedApp } from "../../services/opened-app.ts";
import {
  previewRerun,
  previewRerunMany,
  type RefusalCount,
  type RerunManyOutcome,
  type RerunManyPreview,
  type RerunPreview,
  rerunMany,
  rerun as rerunOne,
} from "../../services/rerun.ts";
import { runAction } from "../action.ts";
import { type FlagNames, inFlagWords, rawInput } from "../flags.ts";
import { invocationBy } from "../invocation-id.ts";
import { printHead, printPoints, printRunners } from "../print/action.ts";
import type { Output } from "../print/output.ts";
import { heading, indented, time } from "../print/text.ts";
import type { Flags } from "../program.ts";
import { FILTER_FLAGS, invocationColumns } from "./invocations.ts";

const ONE_FLAGS: FlagNames = { force: "force" };
const MANY_FLAGS: FlagNames = { ...FILTER_FLAGS, limit: "limit", force: "force" };

/** New ids that are printed; all of them are in the JSON. */
const IDS_PRINTED = 20;

/** `monitor rerun [id]`: registers the call of an invocation once more, or those of all that meet a filter. */
export async function rerun(flags: Flags, id: string | null): Promise<void> {
  const filters = Object.keys(rawInput(flags, FILTER_FLAGS)).map((name) => `--${FILTER_FLAGS[name]}`);
  if (id === null && filters.length === 0) {
    throw new InvalidInputError(
      [{ parameter: "[id]", value: "", accepted: "an invocation or a filter is needed" }],
      "For example: monitor rerun 0e5f93a1, or monitor rerun --status failed",
      "Name what to register again: an invocation, or a filter such as --status or --task.",
    );
  }
  if (id === null) return rerunFiltered(flags);
  const unfit = flags.limit === undefined ? filters : [...filters, "--limit"];
  if (unfit.length > 0) {
    throw new InvalidInputError(
      unfit.map((parameter) => ({ parameter, value: id, accepted: "it goes without an id" })),
      null,
      `An invocation is named, so there is nothing to filter: leave out ${unfit.join(", ")} or the id.`,
    );
  }
  return rerunNamed(flags, id);
}

async function rerunNamed(flags: Flags, id: string): Promise<void> {
  const raw = rawInput(flags, ONE_FLAGS);
  await runAction(flags, async (app) => {
    const preview = await invocationBy(app, id, (whole) => previewRerun(app, whole, raw));
    const { invocation_id, task_id_key } = preview.invocation;
    return {
      preview,
      show: (out) => showOne(preview, app.now(), out),
      refused:
        preview.refused === null
          ? null
          : {
              reason: sentence(preview.refused),
              hint: preview.forcible ? "--force registers it all the same." : null,
            },
      empty: false,
      question: `Register ${task_id_key} once more in ${app.app_id}?`,
      typed: null,
      async act(record) {
        const outcome = await record("rerun", () => rerunOne(app, invocation_id, raw));
        return { outcome, print: (out) => out.lines([visible(outcome.message)]), failure: null };
      },
    };
  });
}

async function rerunFiltered(flags: Flags): Promise<void> {
  const raw = rawInput(flags, MANY_FLAGS);
  await runAction(flags, async (app, out) => {
    const preview = await inFlagWords(MANY_FLAGS, () => previewRerunMany(app, raw));
    return {
      preview,
      show: (shown) => showMany(preview, app.now(), shown),
      refused: preview.refused === null ? null : { reason: sentence(preview.refused) },
      empty: preview.registered === 0,
      question: `Register ${counted(preview.registered, "call")} once more in ${app.app_id}?`,
      typed: null,
      async act(record) {
        const outcome = await record("rerun", () => inBatches(app, raw, out));
        return { outcome, print: (shown) => printMany(outcome, shown), failure: null };
      },
    };
  });
}

/**
 * Tells how far it is. From the second batch on, Ctrl-C lets the batch at hand come to its end, so that what was registered can be told;
 * before, it ends the program at once and nothing was registered.
 */
async function inBatches(app: OpenedApp, raw: RawInput, out: Output): Promise<RerunManyOutcome> {
  const interrupt = new AbortController();
  const stop = () => interrupt.abort();
  const tell = (taken: number, of: number) => {
    if (taken === of) return;
    if (!process.listeners("SIGINT").includes(stop)) process.on("SIGINT", stop);
    out.progress(`Looked at ${count(taken)} of ${count(of)}. Ctrl-C ends it.`);
  };
  try {
    const outcome = await rerunMany(app, raw, tell, interrupt.signal);
    if (outcome.stopped !== null) process.exitCode = interrupt.signal.aborted ? 130 : 1;
    return outcome;
  } finally {
    process.off("SIGINT", stop);
    out.progress("");
  }
}

/** Reasons are fragments or sentences. */
function sentence(reason: string): string {
  return `${reason[0]?.toUpperCase()}${reason.slice(1)}${reason.endsWith(".") ? "" : "."}`;
}

function showOne(preview: RerunPreview, now: number, out: Output): void {
  const { invocation, own_workflow, indexed_arguments, control, notes, runners_alive } = preview;
  printHead("Register a call once more", preview, out, [
    ["Task", visibleLine(invocation.task_id_key ?? "")],
    ["Invocation", visibleLine(invocation.invocation_id)],
    ["Status", out.paint.status(invocation.status, visibleLine(invocation.status))],
    ["Registered", invocation.registered_at === null ? null : `${time(invocation.registered_at)} UTC`],
    ["Workflow", own_workflow ? "the new invocation starts one of its own" : null],
    ["Concurrency control", CONTROL_TEXT[control]],
    [
      "Indexed",
      indexed_arguments === 0 ? null : `${counted(indexed_arguments, "argument")}, read by concurrency control alone`,
    ],
  ]);
  printPoints("What follows", notes, out);
  printRunners(runners_alive, now, out);
}

function showMany(preview: RerunManyPreview, now: number, out: Output): void {
  const { matching, limit, force, registered, refusals, examples, notes, runners_alive } = preview;
  const total = matching.total === null ? null : `${matching.total_capped ? "more than " : ""}${count(matching.total)}`;
  const taken = registered + refusals.reduce((sum, refusal) => sum + refusal.count, 0);
  printHead("Register calls once more", preview, out, [
    ["Matching", total === null ? null : `${total} ${matching.total === 1 ? "invocation" : "invocations"}`],
    ["Taken", `${count(taken)}, at most the newest ${count(limit)} (--limit)`],
    ["Registered", counted(registered, "call")],
    ["Force", force ? "also where the same call waits already" : null],
  ]);
  printRefusals(refusals, out);
  if (examples.length > 0) {
    out.lines(
      heading(registered > examples.length ? `The newest ${count(examples.length)} of them` : "These are", out),
    );
    out.table(invocationColumns(now, out), examples, "  ");
  }
  printPoints("What follows", notes, out);
  printRunners(runners_alive, now, out);
}

function printRefusals(refusals: readonly RefusalCount[], out: Output): void {
  printPoints(
    "Not registered",
    refusals.map(({ count: n, reason }) => `${count(n)}: ${reason}.`),
    out,
  );
}

function printMany(outcome: RerunManyOutcome, out: Output): void {
  const { message, new_invocation_ids: ids, unqueued_invocation_ids: unqueued } = outcome;
  out.lines([visible(message), ...indented(ids.slice(0, IDS_PRINTED).map(visibleLine))]);
  if (ids.length > IDS_PRINTED)
    out.lines([`  and ${count(ids.length - IDS_PRINTED)} more, at the top of monitor invocations`]);
  printPoints("Registered, but not in the queue", unqueued, out);
}
