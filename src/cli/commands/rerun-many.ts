/** `monitor rerun` with a filter or several ids: prints what would be registered, by task and exception, and then what was registered. */
import type { RerunCall, RerunGroup, RerunManyOutcome, RerunManyPreview } from "../../api/reruns.ts";
import { calledAgainText } from "../../presentation/called-again.ts";
import { count, NOTHING, visible, visibleLine } from "../../presentation/text.ts";
import { counted } from "../../pynenc/numbers.ts";
import { rerun } from "../../questions/rerun.ts";
import { duplicateHint } from "../../services/actions/rerun.ts";
import { planRerunMany, previewRerunMany, type RerunPlan, rerunMany } from "../../services/actions/rerun-many.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { unknownNames } from "../../services/invocations/unknown-names.ts";
import { runAction } from "../action.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import { fullIds } from "../invocation-ids.ts";
import { refuseUnknown } from "../known-names.ts";
import { printHead, printPoints, printRunners } from "../print/action.ts";
import type { Output } from "../print/output.ts";
import type { Column } from "../print/table.ts";
import { heading, idColumn, indented, sentence, taskColumn, timeColumn } from "../print/text.ts";

/** How many new ids, groups and calls are printed; the JSON has all of them. */
const IDS_PRINTED = 20;
const GROUPS_PRINTED = 20;
const CALLS_PRINTED = 10;

/** @param ids of the invocations to run again, as typed; empty for all that match the filter of the flags. */
export async function rerunMatching(flags: Flags, ids: readonly string[]): Promise<void> {
  await runAction(flags, async (app, out) => {
    const raw = { ...rawInput(flags, rerun.input), ...(ids.length > 0 && { inv_ids: await fullIds(app, ids) }) };
    const plan = await inFlagWords(rerun.input, () => planRerunMany(app, raw));
    const preview = await inFlagWords(rerun.input, () => previewRerunMany(app, plan));
    if (preview.matching.total === 0) refuseUnknown(await unknownNames(app, plan.filter));
    const duplicates = preview.refusals.some(({ kind }) => kind === "duplicate");
    return {
      name: "rerun",
      preview,
      show: (shown) => showMany(preview, app.now(), shown),
      refused: preview.refused === null ? null : sentence(preview.refused),
      hint: duplicates
        ? duplicateHint(preview.requeue_instead, "--force also registers calls that are already waiting.")
        : null,
      empty: preview.registered === 0,
      question: `Register ${counted(preview.registered, "call")} again in ${app.app_id}?`,
      async act(record) {
        const outcome = await record(() => inBatches(app, plan, out));
        // Scripts need to see a partial rerun; the command itself is refused only if every call was.
        if (outcome.refusals.length > 0) process.exitCode ??= 1;
        return { outcome, print: (shown) => printMany(outcome, shown), ids: outcome.new_invocation_ids };
      },
    };
  });
}

/**
 * Reports progress. From the second batch on, Ctrl-C waits for the current batch to finish, so that the outcome can list what was registered.
 * Before that it exits at once, with nothing registered.
 */
async function inBatches(app: OpenedApp, plan: RerunPlan, out: Output): Promise<RerunManyOutcome> {
  const interrupt = new AbortController();
  const stop = () => interrupt.abort();
  const report = (taken: number, of: number) => {
    if (taken === of) return;
    if (!process.listeners("SIGINT").includes(stop)) process.on("SIGINT", stop);
    out.progress(`Processed ${count(taken)} of ${count(of)}. Press Ctrl-C to stop.`);
  };
  try {
    const outcome = await rerunMany(app, plan, report, interrupt.signal);
    if (outcome.stopped !== null) process.exitCode = interrupt.signal.aborted ? 130 : 1;
    return outcome;
  } finally {
    process.off("SIGINT", stop);
    out.progress("");
  }
}

function showMany(preview: RerunManyPreview, now: number, out: Output): void {
  const { registered, matches_below, left_out, refusals, groups, notes, runners_alive, force } = preview;
  printHead("Rerun", preview, out, [
    ["Matching", matchingText(preview)],
    ["Taken", takenText(preview)],
    ["Left out", leftOutText(matches_below, left_out)],
    ["Registered", counted(registered, "call")],
    ["Calls again", calledAgainText(preview)],
    ["Force", force ? "also registers calls that are already waiting" : null],
  ]);
  printPoints(
    "Not registered",
    refusals.map(({ count: n, reason }) => `${count(n)}: ${reason}.`),
    out,
  );
  printGroups(groups, out);
  printCalls(preview, now, out);
  printPoints("Notes", notes, out);
  printRunners(runners_alive, now, out);
}

function matchingText({ matching: { total, total_capped } }: RerunManyPreview): string | null {
  if (total === null) return null;
  return `${total_capped ? "more than " : ""}${counted(total, "invocation")}`;
}

function takenText({ taken, limit, all }: RerunManyPreview): string {
  const whose = all ? "every match" : "the topmost match of each family (--all takes every match)";
  return `${count(taken)}: ${whose}, at most the newest ${count(limit)} (--limit)`;
}

function leftOutText(below: number, others: number): string | null {
  const parts = [
    ...(below === 0 ? [] : [`${count(below)}: their parents will call them again`]),
    ...(others === 0 ? [] : [`${count(others)}: their parents are refused or beyond the limit`]),
  ];
  return parts.length === 0 ? null : parts.join("; ");
}

function printGroups(groups: readonly RerunGroup[], out: Output): void {
  if (groups.length === 0) return;
  const exceptions: Column<RerunGroup> = {
    title: "EXCEPTION",
    cell: ({ exception_type }) => exception_type ?? NOTHING,
    cut: "start",
    min: 14,
  };
  const refused: Column<RerunGroup> = { title: "REFUSED", align: "right", cell: (group) => count(group.refused) };
  const columns: Column<RerunGroup>[] = [
    taskColumn((group) => group.task_id_key),
    ...(groups.some((group) => group.exception_type !== null) ? [exceptions] : []),
    { title: "CALLS", align: "right", cell: (group) => count(group.registered) },
    ...(groups.some((group) => group.refused > 0) ? [refused] : []),
  ];
  out.lines(heading("By task and exception", out));
  out.table(columns, groups.slice(0, GROUPS_PRINTED), "  ");
  if (groups.length > GROUPS_PRINTED) out.lines([`  and ${counted(groups.length - GROUPS_PRINTED, "more group")}`]);
}

function printCalls({ calls, registered, called_again_capped }: RerunManyPreview, now: number, out: Output): void {
  const shown = calls.filter((call) => call.refusal === null).slice(0, CALLS_PRINTED);
  if (shown.length === 0) return;
  const columns: Column<RerunCall>[] = [
    idColumn("INVOCATION", (call) => call.invocation_id),
    taskColumn((call) => call.task_id_key),
    { title: "ARGUMENTS", cell: ({ arguments_line }) => arguments_line || NOTHING, cut: "end", min: 16 },
    {
      title: "CALLS AGAIN",
      align: "right",
      cell: ({ led_to }) => (led_to === 0 ? NOTHING : `${count(led_to)}${called_again_capped ? "+" : ""}`),
      optional: true,
    },
    { ...timeColumn<RerunCall>("REGISTERED", (call) => call.registered_at, now), optional: true },
  ];
  out.lines(heading(registered > shown.length ? `The first ${count(shown.length)} calls` : "Calls", out));
  out.table(columns, shown, "  ");
}

function printMany(outcome: RerunManyOutcome, out: Output): void {
  const { message, new_invocation_ids: ids, unqueued_invocation_ids: unqueued } = outcome;
  out.lines([visible(message), ...indented(ids.slice(0, IDS_PRINTED).map(visibleLine))]);
  if (ids.length > IDS_PRINTED)
    out.lines([`  and ${count(ids.length - IDS_PRINTED)} more, at the top of monitor invocations`]);
  printPoints("Registered, but not in the queue", unqueued, out);
}
