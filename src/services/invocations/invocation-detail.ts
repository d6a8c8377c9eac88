/** Everything about one invocation. */
import type { HistoryEntry, InvocationDetail, RerunLink } from "../../api/invocations.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import type { RunnerName } from "../../api/model/runner-names.ts";
import type { UsualWait } from "../../api/model/waiting-places.ts";
import type { InvocationTriggerContext } from "../../api/trigger-context.ts";
import type { RecordedRerun, RerunsOfOne } from "../../audit/recorded-reruns.ts";
import { outgoing } from "../../config/masking.ts";
import { NotFoundError } from "../../errors.ts";
import { parseTaskKey } from "../../pynenc/identifiers.ts";
import {
  type HostOf,
  inOrder,
  isAcrossClocks,
  lifeStretches,
  measuredSeconds,
  phaseDurations,
  phaseOf,
  type Stretch,
  statusSteps,
  type TimedStep,
  timed,
} from "../../pynenc/life.ts";
import { grouped, lasting } from "../../pynenc/numbers.ts";
import type { BlockingEdge, HistoryRecord, InvocationRecord, InvocationStatusRecord } from "../../pynenc/records.ts";
import {
  type EpochSeconds,
  epochFromIso,
  integerMicros,
  isoFromEpoch,
  isoOrNull,
  secondsSince,
} from "../../pynenc/time.ts";
import { isPossibleInHistory } from "../../pynenc/transitions.ts";
import type { StoredOutcome } from "../../stores/ports/state-backend.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { REQUEUE_GRACE_SECONDS, requeueRefusal } from "../../stores/requeue-rule.ts";
import { VALUE_BYTES } from "../../stores/value-limit.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { autoPurgeDue } from "../model/auto-purge-due.ts";
import { historyEnds } from "../model/history-ends.ts";
import { durationMeaning, durationSoFar, lifeOf } from "../model/invocation-life.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { deadBefore } from "../model/runner-liveness.ts";
import { runnerNames } from "../model/runner-names.ts";
import { runnersAhead, signsOfLife } from "../model/signs-of-life.ts";
import { slotHold } from "../model/slot-holders.ts";
import { storedArguments } from "../model/stored-arguments.ts";
import { exceptionReader, outcomeOf, SHOWN_CHARACTERS, valueReader } from "../model/stored-values.ts";
import { CHILDREN, timeSpent } from "../model/time-spent.ts";
import { invocationTimeline } from "../model/timeline-links.ts";
import { checkEdges } from "../model/waiting-edges.ts";
import { waitingPlace, withUsualWait } from "../model/waiting-place.ts";
import { PAGE_PATIENCE } from "../verdicts/read-trends.ts";
import { usualWait } from "../verdicts/usual-runs.ts";
import { answerOf, deepestFailure, isTakenForWaiter, type SilentOwner, withDetails } from "./answer.ts";
import { failuresAlike, type KnownFailures, readFailures } from "./failures-alike.ts";
import { repeatNotes, repeatsOf } from "./repeated-work.ts";
import { triggerContext } from "./trigger-context.ts";

/** Limit of history entries in the JSON of the history. Only a retry loop has more. */
const HISTORY_LIMIT = 2_000;

/** Limit of children and of waits listed on the page. The count of children is exact and links to the full list. */
const RELATED_LIMIT = 50;

/** Limit of reruns listed, newest first. */
const RERUNS = 5;

/** Figures over time about an invocation, read before the snapshot of its detail. */
export interface FiguresBefore {
  failures: KnownFailures;
  usual: UsualWait | null;
}

export const NO_FIGURES: FiguresBefore = { failures: null, usual: null };

/** Not inside `store.read`. @param patience maximum milliseconds to wait for them. */
export async function figuresBefore(app: OpenedApp, id: string, patience: number): Promise<FiguresBefore> {
  const found = await app.store.read(async (reads) => {
    const [status] = await reads.orchestrator.statusesByIds([id]);
    if (status !== undefined) return { life: lifeOf(status, undefined), task: status.task_id_key };
    const [[span], [known]] = await Promise.all([
      reads.state_backend.historySpanOf([id]),
      reads.state_backend.tasksOf([id]),
    ]);
    return { life: lifeOf(undefined, span), task: known?.task_id_key };
  });
  const {
    life: { status, status_source, info, changedAt },
    task,
  } = found;
  // Whether one without a status is left behind depends on all the others.
  if (status_source !== "orchestrator") await app.inventory();
  if (task === undefined || changedAt === null) return NO_FIGURES;
  const [failures, usual] = await Promise.all([
    status === "failed" ? readFailures(app, task, changedAt, patience) : null,
    info.available ? usualWait(app, task, patience) : null,
  ]);
  return { failures, usual };
}

/**
 * @param patience maximum milliseconds to wait for figures over time.
 * @throws NotFoundError if no component knows the id.
 */
export async function invocationDetail(
  app: OpenedApp,
  id: string,
  patience: number = PAGE_PATIENCE,
): Promise<InvocationDetail> {
  return detailWith(app, id, await figuresBefore(app, id, patience));
}

/** How much of a detail is read: `causes` leaves out its result and what it caused, which do not explain its state. */
export type DetailExtent = "all" | "causes";

/** The detail of an invocation, with figures that have been read before. @throws NotFoundError */
export async function detailWith(
  app: OpenedApp,
  id: string,
  { failures, usual }: FiguresBefore,
  extent: DetailExtent = "all",
): Promise<InvocationDetail> {
  const detail = await readDetail(app, id, extent);
  const { task_id_key: task, waiting, answer } = detail;
  const place = waiting && withUsualWait(waiting, task, usual);
  const alike = failuresAlike(detail, failures);
  // A failed one waits for nothing: its details are about what failed below it.
  const below = detail.status === "failed" ? answer?.details : undefined;
  return {
    ...detail,
    waiting: place,
    answer: withDetails(answer, below, detail.slot?.sentences, place?.sentences, alike),
  };
}

function readDetail(app: OpenedApp, id: string, extent: DetailExtent): Promise<InvocationDetail> {
  return app.store.read(async (reads) => {
    const [statuses, definitions, ends, called, edges, messages, capabilities, queues, outcomes, reruns] =
      await Promise.all([
        reads.orchestrator.statusesByIds([id]),
        reads.state_backend.invocationsByIds([id], VALUE_BYTES),
        historyEnds(reads, id),
        // As the critical path reads them.
        reads.state_backend.childrenOf([id], { each: CHILDREN + 1 }),
        reads.orchestrator.blockingEdges({ limit: RELATED_LIMIT, offset: 0 }, id),
        reads.broker.messagesOf([id]),
        reads.layout.capabilities(),
        reads.broker.layout(),
        extent === "all" ? reads.state_backend.outcomesOf(["result", "exception"], [id]) : exceptionIfFailed(reads, id),
        app.reruns.of(outgoing({ app_id: app.app_id, location: app.store.location }), id),
      ]);
    const [[status], [definition]] = [statuses, definitions];
    const { result, exception } = outcomeOf(outcomes);
    const repeats = repeatsOf(status?.status, result !== undefined || exception !== undefined);
    const queued = messages.length > 0 ? true : capabilities.queue_peek && queues.complete ? false : null;
    const requeueable = isRequeueable(status, definition !== undefined, queued, app.now());
    const history = ends.shown;
    if (status === undefined && definition === undefined && history.length === 0)
      throw new NotFoundError("invocation", id);

    const waitsFor = (some: readonly BlockingEdge[]) => some.flatMap((e) => (e.waiter_id === id ? [e.waited_id] : []));
    const waitedBy = (some: readonly BlockingEdge[]) => some.flatMap((e) => (e.waited_id === id ? [e.waiter_id] : []));
    const parentId = definition?.parent_invocation_id ?? null;
    const children = called.slice(0, RELATED_LIMIT);
    const life = lifeOf(status, ends.span);
    const related = [
      ...children.map((c) => c.invocation_id),
      ...edges.flatMap((e) => [e.waiter_id, e.waited_id]),
      ...(parentId ? [parentId] : []),
      ...(reruns.made_by === null ? [] : [reruns.made_by.invocation_id]),
      ...reruns.reruns.slice(0, RERUNS).map((one) => one.new_invocation_id),
    ];
    const stored = storedArguments(definition);
    const steps = statusSteps(status, ends.whole ?? []);
    const waits$ = checkEdges(reads, edges);
    const [
      children_count,
      rows,
      below,
      names,
      triggers,
      show,
      readException,
      spent,
      alive,
      ahead,
      slot,
      waits,
      waiting,
    ] = await Promise.all([
      called.length > CHILDREN ? reads.state_backend.countDefined(id) : called.length,
      invocationRows(reads, [...new Set(related)]),
      life.status === "failed" && called.length > 0 ? failureBelow(reads, id) : null,
      runnerNames(reads, runnersOf(history, status)),
      triggerContext(reads, id, definition?.parent_event_id ?? null, extent === "all"),
      valueReader(reads, [...stored.texts, ...(result ? [result.stored] : [])]),
      exceptionReader(reads, exception === undefined ? [] : [exception.stored]),
      ends.whole === null ? null : timeSpent(reads, id, { now: app.now(), deadBefore: () => deadBefore(app, reads) }),
      signsOfLife(reads, [steps], () => deadBefore(app, reads)),
      runnersAhead(reads, app.now()),
      status === undefined ? null : slotHold(reads, status, history, app.now()),
      waits$,
      status !== undefined && life.info.available
        ? waits$.then(({ waiting }) => waitingPlace(app, reads, messages, waitedBy(waiting).length))
        : null,
    ]);
    const waited_by = waitedBy(waits.waiting);
    const hostOf = hostsIn(names);
    const signs = { ...alive, ahead };
    const stretches = lifeStretches(steps, status === undefined ? null : app.now(), signs, hostOf);
    const rowById = new Map(rows.map((row) => [row.invocation_id, row]));
    const rowsOf = (ids: readonly string[]) => ids.flatMap((other) => rowById.get(other) ?? []);
    const timedHistory = timed(history, hostOf, ahead);
    const entries = historyEntries(timedHistory, names, ends.before);
    addSilence(entries, timedHistory, stretches);
    const measured = life.clocksDisagree && ends.whole !== null ? measuredSeconds(stretches) : null;
    const owner = life.info.requires_ownership ? (status?.status_runner_id ?? null) : null;
    const task = status?.task_id_key ?? definition?.task_id_key ?? null;
    const parts = task === null ? null : parseTaskKey(task);
    const detail: Omit<InvocationDetail, "answer" | "notes"> = {
      invocation_id: id,
      task_id_key: task,
      module: parts?.module ?? null,
      function: parts?.func ?? null,
      call_id_key: status?.call_id_key ?? definition?.call_id_key ?? null,
      arguments_id: definition?.arguments_id ?? null,
      status: life.status,
      status_source: life.status_source,
      final: life.info.final,
      retry_count: status?.retry_count ?? ends.whole?.filter((entry) => entry.status === "retry").length ?? null,
      owner: owner === null ? null : (names.get(owner) ?? null),
      registered_at: isoOrNull(life.registeredAt),
      status_at: isoOrNull(life.changedAt),
      completed_at: life.info.final ? isoOrNull(life.changedAt) : null,
      duration_seconds: measured ?? durationSoFar(life, app.now()),
      duration_meaning: durationMeaning(life.status, measured !== null),
      auto_purge: autoPurgeDue(app, status),
      repeats,
      phases: ends.whole === null ? null : phaseDurations(stretches),
      critical_path: spent?.critical_path ?? null,
      waiting,
      slot,
      queued,
      requeueable,
      ...stored.shown(show),
      result: result === undefined ? null : show(result.stored, result),
      result_raw: result === undefined ? null : result.stored.slice(0, SHOWN_CHARACTERS),
      exception: exception === undefined ? null : readException(exception.stored, exception),
      exception_raw: exception === undefined ? null : exception.stored.slice(0, SHOWN_CHARACTERS),
      ...workflowOf(id, definition),
      parent: parentId === null ? null : (rowById.get(parentId) ?? null),
      parent_event_id: definition?.parent_event_id ?? null,
      ...triggers,
      timeline: invocationTimeline(
        id,
        [
          ...history.map((entry) => entry.timestamp),
          epochFromIso(triggers.triggered_by?.executed_at ?? triggers.triggered_by?.claimed_at ?? ""),
        ],
        [
          ...(parentId === null ? [] : [parentId]),
          ...children.map((c) => c.invocation_id),
          ...(triggers.triggered_by?.source_invocation_ids ?? []),
          ...triggers.triggered_runs_caused.flatMap((run) => run.triggered_invocation_id ?? []),
        ],
        triggers.triggered_by?.participants.map((participant) => participant.context_timestamp),
      ),
      children: rowsOf(children.map((c) => c.invocation_id)),
      children_count,
      waits_for: rowsOf(waitsFor(waits.waiting)),
      waited_by: rowsOf(waited_by),
      stale_waits_for: rowsOf(waitsFor(waits.stale)),
      stale_waited_by: rowsOf(waitedBy(waits.stale)),
      history: entries,
      history_count: ends.count,
      history_truncated: ends.gap !== null,
      history_gap: ends.gap,
      ...rerunsOf(reruns, rowById),
    };
    const lost = requeueable && queued === false && !isTakenForWaiter(detail);
    const notes = [
      ...repeatNotes(repeats, life.status, result !== undefined, exception !== undefined),
      ...clockNotes(timedHistory),
      ...notesOn(status, definition, history, entries, lost, rowById, parentId),
    ];
    const silent = silentOwner(stretches, signs.heard, app.now());
    const answer = answerOf(detail, below, edges.length === RELATED_LIMIT, silent, app.now());
    return { ...detail, notes, answer: withDetails(answer, answer?.details, slot?.sentences, waiting?.sentences) };
  });
}

/** The original of an invocation that was registered again, and what it was registered again as. */
function rerunsOf({ made_by, reruns }: RerunsOfOne, rows: ReadonlyMap<string, InvocationRow>) {
  const linked = ({ at, who, via }: RecordedRerun, id: string): RerunLink[] => {
    const invocation = rows.get(id);
    return invocation === undefined ? [] : [{ invocation, at, who, via }];
  };
  const [rerun_of = null] = made_by === null ? [] : linked(made_by, made_by.invocation_id);
  const rerun_as = reruns.slice(0, RERUNS).flatMap((one) => linked(one, one.new_invocation_id));
  return { rerun_of, rerun_as, rerun_count: reruns.length };
}

/** Its exception, of one that has failed or has no status. */
async function exceptionIfFailed(reads: AppReads, id: string): Promise<StoredOutcome[]> {
  const [status] = await reads.orchestrator.statusesByIds([id]);
  return status === undefined || status.status === "failed" ? reads.state_backend.outcomesOf(["exception"], [id]) : [];
}

/** How many that failed on their own are named. */
const OWN_NAMED = 3;

/** The deepest failed invocation below it, and a sentence if several failed on their own; null if there is none. */
async function failureBelow(
  reads: AppReads,
  id: string,
): Promise<{ row: InvocationRow; more: boolean; several: string | null } | null> {
  const found = await deepestFailure(reads, id);
  if (found === null) return null;
  const { invocation_id: deepest, more, own } = found;
  const named = [deepest, ...own.filter((one) => one !== deepest)].slice(0, OWN_NAMED);
  const rows = await invocationRows(reads, named);
  const row = rows.find(({ invocation_id }) => invocation_id === deepest);
  if (row === undefined) return null;
  const names = rows.map(
    ({ invocation_id, task_id_key: task }) => `${invocation_id.slice(0, 8)} (${task ?? "unknown task"})`,
  );
  const others = own.length > named.length ? `, and ${grouped(own.length - named.length)} more` : "";
  const several =
    more || own.length < 2
      ? null
      : `${grouped(own.length)} calls below failed on their own: ${names.join(", ")}${others}.`;
  return { row, more, several };
}

function hostsIn(names: ReadonlyMap<string, RunnerName>): HostOf {
  return (runner) => names.get(runner)?.hostname ?? undefined;
}

function runnersOf(history: readonly HistoryRecord[], status: InvocationStatusRecord | undefined): string[] {
  const ids = history.flatMap((entry) => (entry.runner_context_id === null ? [] : [entry.runner_context_id]));
  if (status?.status_runner_id) ids.push(status.status_runner_id);
  return ids;
}

/** Its owner, if that counts as silent: by the rule of the verdicts on runners without a recent heartbeat. */
function silentOwner(
  stretches: readonly Stretch[],
  heard: ReadonlyMap<string, EpochSeconds>,
  now: EpochSeconds,
): SilentOwner | null {
  const last = stretches.at(-1);
  if (last === undefined || !last.ongoing) return null;
  if (last.phase === "dead_runner") {
    const at = heard.get(last.runner ?? "");
    return { silent_for: at === undefined ? null : secondsSince(at, now) };
  }
  return last.phase === "not_known" && phaseOf(last.status) !== null ? { silent_for: null } : null;
}

/** Says it if the clocks of the hosts that wrote a history disagree. */
function clockNotes(steps: readonly TimedStep<HistoryRecord>[]): string[] {
  if (!steps.at(-1)?.clocks_disagree) return [];
  const clocks = [...new Set(steps.flatMap(({ clock }) => clock ?? []))];
  const most = Math.max(...steps.map(({ moved }) => moved));
  return [
    `The clocks of ${clocks.length < 2 ? "its hosts" : clocks.join(" and ")} disagree${most > 0 ? ` by at least ${lasting(most)}` : ""}. The history is in its true order, but times between entries of different clocks are not known.`,
  ];
}

/** @param before for each entry, the one before it. */
function historyEntries(
  life: readonly TimedStep<HistoryRecord>[],
  names: ReadonlyMap<string, RunnerName>,
  before: readonly (HistoryRecord | null)[] = life.map((_, at) => life[at - 1]?.entry ?? null),
): HistoryEntry[] {
  return life.map((step, index) => {
    const { entry } = step;
    const previous = before[index] ?? undefined;
    const earlier = life[index - 1];
    const across_clocks = earlier !== undefined && isAcrossClocks(earlier, step);
    return {
      status: entry.status,
      timestamp: isoFromEpoch(entry.timestamp),
      written_at: isoFromEpoch(entry.written_at),
      since_previous_seconds:
        previous === undefined || across_clocks ? null : Math.max(0, entry.timestamp - previous.timestamp),
      ...(across_clocks && { across_clocks }),
      possible: isPossibleInHistory(previous?.status ?? null, entry.status),
      status_runner_id: entry.status_runner_id,
      owner_runner_id: entry.status === "registered" ? null : entry.status_runner_id,
      runner: entry.runner_context_id === null ? null : (names.get(entry.runner_context_id) ?? null),
      registered_by_inv_id: entry.registered_by_inv_id,
    };
  });
}

/** Adds when a runner fell silent in a status. @param life of the entries */
function addSilence(entries: HistoryEntry[], life: readonly TimedStep<HistoryRecord>[], stretches: readonly Stretch[]) {
  for (const { phase, status, from } of stretches) {
    const entry = entries[life.findLastIndex(({ at }) => integerMicros(at) <= from)];
    if (phase === "dead_runner" && entry?.status === status) entry.dead_from = isoFromEpoch(from / 1e6);
  }
}

/**
 * The role in a workflow (storage-format.md 1.3): the defining invocation has its own id as workflow id. Up to 0.2.4 every root invocation is one.
 */
function workflowOf(
  id: string,
  definition: InvocationRecord | undefined,
): Pick<InvocationDetail, "workflow" | "workflow_role"> {
  if (definition === undefined || definition.workflow_id === null) return { workflow: null, workflow_role: "none" };
  const { workflow_id, workflow_type_key, parent_workflow_id } = definition;
  return {
    workflow: { workflow_id, workflow_type_key, parent_workflow_id, is_subworkflow: parent_workflow_id !== null },
    workflow_role: workflow_id === id ? "root" : "member",
  };
}

/** By the same rule as requeue. If the queue can only be counted, it is assumed to have no message. */
function isRequeueable(
  status: InvocationStatusRecord | undefined,
  defined: boolean,
  queued: boolean | null,
  now: EpochSeconds,
): boolean {
  if (status === undefined) return false;
  const facts = { status: { word: status.status, since: status.status_timestamp }, defined, queued: queued === true };
  return requeueRefusal(facts, now - REQUEUE_GRACE_SECONDS) === null;
}

function notesOn(
  status: InvocationStatusRecord | undefined,
  definition: InvocationRecord | undefined,
  history: readonly HistoryRecord[],
  entries: readonly HistoryEntry[],
  lost: boolean,
  rows: ReadonlyMap<string, InvocationRow>,
  parentId: string | null,
): string[] {
  const notes: string[] = [];
  if (status === undefined) notes.push(withoutStatus(definition !== undefined, history.length > 0));
  if (definition === undefined) notes.push("No definition is stored: arguments, parent and workflow are not known.");
  if (history.length === 0 && status !== undefined) notes.push("No status history is stored.");
  const last = history.at(-1);
  if (status !== undefined && last !== undefined && last.status !== status.status) {
    notes.push(
      `The history ends with ${last.status}, but the status is ${status.status}: the last entry is missing or late.`,
    );
  }
  const missing = new Set(entries.flatMap((e) => (e.runner?.context_missing ? [e.runner.runner_id] : [])));
  if (missing.size > 0)
    notes.push(
      `The context of ${missing.size === 1 ? "a runner" : `${missing.size} runners`} named in the history is not stored.`,
    );
  const parent = parentId === null ? undefined : rows.get(parentId);
  if (parent?.status_source === "none" && parent.task_id_key === null)
    notes.push("The parent invocation is not in this store.");
  if (lost) {
    notes.push(
      `It is ${status?.status} but missing from the queue, so no runner takes it. Requeue puts its message back.`,
    );
  }
  return notes;
}

/** What a missing status in the orchestrator means. */
function withoutStatus(defined: boolean, hasHistory: boolean): string {
  if (hasHistory) {
    return "The orchestrator has no status for it, as after a purge. Shown is the last one in its history.";
  }
  return defined
    ? "It has neither a status nor a history: its registration was interrupted, or both were purged. No runner can take it; its call can be rerun."
    : "Neither a status nor a history of it is stored.";
}

/** Its first `HISTORY_LIMIT` entries, in the order of their statuses. @throws NotFoundError */
export async function invocationHistory(app: OpenedApp, id: string): Promise<HistoryEntry[]> {
  return app.store.read(async (reads) => {
    const history = inOrder(await reads.state_backend.historyOf([id], HISTORY_LIMIT));
    if (history.length === 0) await assertKnown(reads, id);
    const [names, ahead] = await Promise.all([
      runnerNames(reads, runnersOf(history, undefined)),
      runnersAhead(reads, app.now()),
    ]);
    return historyEntries(timed(history, hostsIn(names), ahead), names);
  });
}

async function assertKnown(reads: AppReads, id: string): Promise<void> {
  const [row] = await invocationRows(reads, [id]);
  if (row === undefined || row.task_id_key === null) throw new NotFoundError("invocation", id);
}

/** The trigger context alone, without the rest of the detail. @throws NotFoundError */
export function invocationTriggerContext(app: OpenedApp, id: string): Promise<InvocationTriggerContext> {
  return app.store.read(async (reads) => {
    const [[row], [definition]] = await Promise.all([
      invocationRows(reads, [id]),
      reads.state_backend.invocationsByIds([id]),
    ]);
    if (row === undefined || (row.status_source === "none" && definition === undefined)) {
      throw new NotFoundError("invocation", id);
    }
    const parent_event_id = definition?.parent_event_id ?? null;
    const context = await triggerContext(reads, id, parent_event_id);
    return { invocation_id: id, parent_event_id, ...context };
  });
}
