/** Registers the calls of all invocations that match a filter again (storage-format.md 7.4). */
import type { RefusalCount, RerunManyOutcome, RerunManyPreview } from "../../api/reruns.ts";
import { outgoing } from "../../config/masking.ts";
import { errorOfStep, InvalidInputError, RefusedError } from "../../errors.ts";
import { rerunChoice } from "../../inputs/actions.ts";
import { rowsBy } from "../../pynenc/groups.ts";
import { invocationIdOf } from "../../pynenc/keys.ts";
import { counted, grouped } from "../../pynenc/numbers.ts";
import { CONTROL_TEXT } from "../../pynenc/rerun.ts";
import type { Rerun, RerunRequest } from "../../stores/ports/actions.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { UnqueuedError } from "../../stores/unqueued-error.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, partOf, type RawInput, restOf } from "../input/input.ts";
import { listInvocations, readInvocationInput } from "../invocations/invocations.ts";
import { shownFilter } from "../model/filter-type.ts";
import { isUnfiltered } from "../model/invocation-filter.ts";
import { textTermNotes } from "../model/invocation-query.ts";
import { aliveRunners, answersOrRefusal, refusalNow } from "./action-preview.ts";
import { calledAgain } from "./called-again.ts";
import { type RequestedRoute, routeGroups, routeNotes, routePlan } from "./message-routes.ts";
import { lostAmong } from "./requeue.ts";
import { duplicateHint, independenceNotes, reasonOf, rerunRequest, waitingOf } from "./rerun.ts";
import { type Choice, type ChoiceInput, choose } from "./rerun-choice.ts";
import { grouping, LISTED } from "./rerun-groups.ts";
import { effectNotes, reuseNotes } from "./rerun-notes.ts";

/** Calls registered per transaction; runners can write between two of them. */
const BATCH = 100;

/** Which calls to register. The action uses the calls of its preview, even if other invocations match the filter in the meantime. */
export interface RerunPlan extends ChoiceInput {
  force: boolean;
  requested: RequestedRoute;
  choice: Choice;
}

/**
 * The filter of the invocation list, with `limit` for how many to take (default 1,000), `all` for every match instead of the topmost of each
 * family, `selected` for ids of matches to take instead of all, `queue` and `priority` for the messages, and `force`.
 *
 * @throws InvalidInputError, also if there is no filter, because running everything again is surely a mistake, and if `selected` is given
 * but empty, as a form sends it when every box is cleared.
 */
export async function planRerunMany(app: OpenedApp, raw: RawInput): Promise<RerunPlan> {
  const { page: _, ...given } = raw;
  const {
    force = false,
    all = false,
    limit,
    selected: ids,
    ...requested
  } = parseInput(rerunChoice, partOf(given, rerunChoice));
  const { filter } = await readInvocationInput(app, restOf(given, rerunChoice));
  const selected = raw.selected === undefined ? null : [...new Set(ids.filter((id) => id !== ""))];
  if (selected === null && isUnfiltered(filter)) {
    throw new InvalidInputError(
      [{ parameter: "status", value: "", accepted: "expected a filter such as status or task_id" }],
      null,
      "Name what to register again with a filter, such as a status or a task.",
    );
  }
  if (selected !== null && (selected.length === 0 || selected.length > LISTED)) {
    throw new InvalidInputError(
      [{ parameter: "selected", value: `${selected.length} ids`, accepted: `1 to ${grouped(LISTED)} ids` }],
      selected.length === 0 ? "Nothing is selected, so nothing was registered." : null,
    );
  }
  const choice = await choose(app, { filter, selected, limit, all });
  return { filter, selected, limit, all, force, requested, choice };
}

export async function previewRerunMany(app: OpenedApp, plan: RerunPlan): Promise<RerunManyPreview> {
  const { filter, limit, all, force, requested, choice } = plan;
  const { page } = await listInvocations(app, { filter, page: { number: 1, size: 1 } });
  const ids = choice.chosen.map(invocationIdOf);
  return app.store.read(async (reads) => {
    const routes = await routePlan(app, reads, tasksOf(choice), requested);
    const preview = reads.preview.rerun(ids, rerunRequest(app, force, routes));
    const { answers: reruns, refused } = await answersOrRefusal(preview);
    const possible = reruns.filter((one) => one.refusal === null);
    const refusals = refusalCounts(reruns);
    const matches_below = matchesBelow(choice, possible);
    const { of, ...again } = await calledAgain(reads, possible.map(invocationIdOf));
    const requeue_instead = await lostAmong(app, reads, waitingOf(reruns));
    const rerun_as = await rerunsOf(app, ids);
    const { groups, calls } = await grouping(reads, choice, reruns, of, rerun_as);
    const route_groups = routeGroups(routes, reruns);
    const runners_alive = await aliveRunners(app, reads);
    return {
      app_id: app.app_id,
      location: app.store.location,
      filter: shownFilter(filter),
      matching: { total: page.total, total_capped: page.total_capped },
      limit,
      all,
      force,
      taken: ids.length,
      registered: possible.length,
      refusals,
      requeue_instead,
      ...again,
      matches_below,
      left_out: choice.left_out.size - matches_below,
      groups,
      calls,
      routes: route_groups,
      notes: [
        ...independenceNotes("New invocations are", runners_alive),
        ...(rerun_as.size === 0
          ? []
          : [`${grouped(rerun_as.size)} of these ${rerun_as.size === 1 ? "was" : "were"} already rerun.`]),
        ...controlNotes(possible),
        ...(await routeNotes(app, reads, route_groups)),
        ...reuseNotes(app, reruns),
        ...(await triggerNotes(reads, possible)),
        ...(await effectNotes(reads, possible.map(invocationIdOf))),
        ...choice.notes,
        ...textTermNotes(filter.query),
      ],
      runners_alive,
      refused: (await refusalNow(app, reads)) ?? refused ?? allRefused(possible.length, refusals),
    };
  });
}

/**
 * Registers in batches, each in its own transaction: if it is interrupted, each invocation is registered either completely or not at all.
 *
 * @param onProgress receives the number processed and the total.
 * @param signal ends it after the current batch.
 * @throws RefusedError if every call is refused; RefusedError and StoreUnreachableError of the first batch. An error in a later batch
 * ends the list, and the outcome says so.
 */
export async function rerunMany(
  app: OpenedApp,
  { choice, selected, force, requested }: RerunPlan,
  onProgress: (taken: number, of: number) => void = () => undefined,
  signal: AbortSignal | null = null,
): Promise<RerunManyOutcome> {
  const ids = choice.chosen.map(invocationIdOf);
  const [routes, below] = await app.store.read((reads) =>
    Promise.all([routePlan(app, reads, tasksOf(choice), requested), calledAgain(reads, ids)]),
  );
  const request = rerunRequest(app, force, routes);
  const { done, unqueued, stopped } = await registerAll(app, ids, request, onProgress, signal);
  const possible = done.filter((one) => one.new_invocation_id !== null);
  const refusals = refusalCounts(done);
  const refused = stopped === null ? allRefused(possible.length, refusals) : null;
  if (refused !== null) {
    const forcible = refusals.some(({ kind }) => kind === "duplicate");
    const lost = await app.store.read((reads) => lostAmong(app, reads, waitingOf(done)));
    const hint = forcible
      ? duplicateHint(lost, "force=1 (--force) also registers calls that are already waiting.")
      : null;
    throw new RefusedError(`Nothing was registered: ${refused}.`, hint, 409);
  }
  const matches_below = matchesBelow(choice, possible);
  const no_longer_matching = selected === null ? 0 : selected.length - choice.scanned;
  const message = [
    `Registered ${counted(possible.length, "call")} again.`,
    ...refusals.map(({ reason, count }) => `${grouped(count)} refused: ${reason}.`),
    ...(matches_below === 0 ? [] : [`${matches(matches_below)} left out: their parents will call them again.`]),
    ...(no_longer_matching === 0
      ? []
      : [
          `${counted(no_longer_matching, "selected invocation no longer matches", "selected invocations no longer match")} the filter.`,
        ]),
    ...(stopped === null ? [] : [`Stopped after ${grouped(done.length)} of ${grouped(ids.length)}: ${stopped}`]),
  ].join(" ");
  return {
    success: true,
    action: "rerun",
    app_id: app.app_id,
    taken: done.length,
    not_taken: ids.length - done.length,
    registered: possible.length,
    refusals,
    called_again: below.of(possible.map(invocationIdOf)),
    matches_below,
    no_longer_matching,
    invocation_ids: possible.map(invocationIdOf),
    new_invocation_ids: possible.flatMap((one) => one.new_invocation_id ?? []),
    routes: routeGroups(routes, possible),
    unqueued_invocation_ids: [...unqueued],
    stopped,
    message,
  };
}

/** Registers the calls batch by batch. `stopped` says why some at the end were not taken. */
async function registerAll(
  app: OpenedApp,
  ids: readonly string[],
  request: RerunRequest,
  onProgress: (taken: number, of: number) => void,
  signal: AbortSignal | null,
): Promise<{ done: readonly Rerun[]; unqueued: readonly string[]; stopped: string | null }> {
  const done: Rerun[] = [];
  let unqueued: readonly string[] = [];
  let stopped: string | null = null;
  for (let start = 0; start < ids.length; start += BATCH) {
    try {
      done.push(...(await app.store.actions.rerun(ids.slice(start, start + BATCH), request)));
    } catch (error) {
      if (error instanceof UnqueuedError) {
        done.push(...error.reruns);
        unqueued = error.invocation_ids;
        stopped = `${counted(unqueued.length, "call is", "calls are")} registered but not in the queue, so no runner executes ${unqueued.length === 1 ? "it" : "them"}: ${error.why}`;
        break;
      }
      if (done.length === 0 || !(error instanceof Error)) throw error;
      stopped = failureOfRest(error, ids.length - done.length);
      break;
    }
    onProgress(done.length, ids.length);
    // Commands write in the main thread: yield, so that the signal can be aborted between batches.
    await new Promise((resolve) => setImmediate(resolve));
    if (signal?.aborted === true && done.length < ids.length) {
      stopped = "interrupted.";
      break;
    }
  }
  return { done, unqueued, stopped };
}

/** @param rest calls that are left, with those of the batch that failed. */
function failureOfRest(error: Error, rest: number): string {
  const { reason, unchanged } = errorOfStep(error);
  if (unchanged || error instanceof RefusedError) return `${wereNot(rest)} registered: ${reason}`;
  const untried = rest - Math.min(rest, BATCH);
  return `it is not known whether the next ${grouped(rest - untried)} ${rest - untried === 1 ? "is" : "are"} registered${untried === 0 ? "" : `, and ${wereNot(untried)} tried`}: ${reason}`;
}

function wereNot(n: number): string {
  return `${grouped(n)} ${n === 1 ? "was" : "were"} not`;
}

/** What each was registered again as, most recently, of those that were. */
async function rerunsOf(app: OpenedApp, ids: readonly string[]): Promise<Map<string, string>> {
  const of = outgoing({ app_id: app.app_id, location: app.store.location });
  const known = await Promise.all(ids.map((id) => app.reruns.of(of, id)));
  return new Map(
    known.flatMap(({ reruns: [last] }, place) =>
      last === undefined ? [] : [[ids[place] ?? "", last.new_invocation_id]],
    ),
  );
}

function tasksOf({ chosen }: Choice): Set<string> {
  return new Set(chosen.flatMap((row) => row.task_id_key ?? []));
}

/** Matches left out because one of these called them. */
function matchesBelow({ left_out }: Choice, registered: readonly Rerun[]): number {
  const ids = new Set(registered.map(invocationIdOf));
  return [...left_out.values()].filter((above) => ids.has(above)).length;
}

function matches(n: number): string {
  return counted(n, "match was", "matches were");
}

/** In the order of first occurrence. */
function refusalCounts(reruns: readonly Rerun[]): RefusalCount[] {
  const counts = new Map<string, RefusalCount>();
  for (const one of reruns) {
    const reason = reasonOf(one);
    if (one.refusal === null || reason === null) continue;
    const known = counts.get(reason);
    if (known === undefined) counts.set(reason, { kind: one.refusal.kind, reason, count: 1 });
    else known.count++;
  }
  return [...counts.values()];
}

/** A sentence fragment if every call was refused. */
function allRefused(registered: number, refusals: readonly RefusalCount[]): string | null {
  if (registered > 0 || refusals.length === 0) return null;
  const reasons = refusals.map(({ reason, count }) => `${grouped(count)} because ${reason}`);
  return `every call is refused, ${reasons.join("; ")}`;
}

/** As the preview of a single rerun says it, with the number of calls where they differ. */
function controlNotes(registered: readonly Rerun[]): string[] {
  const kinds = [...rowsBy(registered, ({ control }) => CONTROL_TEXT[control])];
  const words = kinds.map(([text, { length }]) => (kinds.length === 1 ? text : `${text} (${counted(length, "call")})`));
  return words.length === 0 ? [] : [`Concurrency control: ${words.join("; ")}.`];
}

/** Triggers are evaluated again when the status, result or event they watch occurs again, so the outcome is not certain (storage-format.md 5.6). */
async function triggerNotes(reads: AppReads, registered: readonly Rerun[]): Promise<string[]> {
  const ids = registered.slice(0, LISTED).map(invocationIdOf);
  const runs = await reads.trigger.triggerRunsOf("triggered_invocation", ids, { each: 1 });
  const started = new Set(runs.map((link) => link.of)).size;
  if (started === 0) return [];
  const those =
    started === 1 ? "1 of these was started by a trigger" : `${grouped(started)} of these were started by triggers`;
  return [`${those}. A trigger may start its task again when its conditions are met again.`];
}
