/** Which verdicts on the app concern one thing: the same for its page, `why`, `show`, documents and tools. */
import type { InvocationDetail } from "../../api/invocations.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import type { ShownKind } from "../../api/show.ts";
import type { TriggerDetail } from "../../api/triggers.ts";
import type { AppVerdictCode, Evidence } from "../../api/verdicts.ts";
import { invocationIdOf } from "../../pynenc/keys.ts";
import type { InvocationStatusRecord } from "../../pynenc/records.ts";
import { statusInfo } from "../../pynenc/statuses.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { VALUE_BYTES } from "../../stores/value-limit.ts";
import { inOneSnapshot, type OpenedApp } from "../app/opened-app.ts";
import { OPEN_STATUSES } from "../app/taken.ts";
import { detailWith, figuresBefore } from "../invocations/invocation-detail.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { queuesOf } from "../model/queue-health.ts";
import { livenessOf } from "../model/runner-liveness.ts";
import { checkEdges } from "../model/waiting-edges.ts";
import type { EventFacts } from "../triggers/event-detail.ts";
import { waitingTriggersOf } from "../triggers/triggers.ts";
import { scopedVerdicts } from "../verdicts/app-verdicts.ts";
import type { FoundVerdict, VerdictScope } from "../verdicts/verdicts.ts";

/** A thing, with what has been read of it where verdicts depend on that. */
export type Concerned =
  | { kind: "invocation"; detail: InvocationDetail }
  | { kind: "event"; detail: Pick<EventFacts, "pending"> }
  | { kind: "trigger"; detail: Pick<TriggerDetail, "trigger_id" | "waiting"> }
  /** Null for all of them. */
  | { kind: "queue" | "runner"; id: string | null }
  | { kind: Exclude<ShownKind, "invocation" | "event" | "trigger" | "queue" | "runner">; id: string };

/** Things that figures over time may say something about. */
const OF_FIGURES: ReadonlySet<Concerned["kind"]> = new Set<Concerned["kind"]>([
  "invocation",
  "workflow",
  "task",
  "workflow_type",
  "queue",
]);

/** The verdicts on the app that concern a thing, and what could not be examined of figures over time that may. */
export interface VerdictsOn {
  verdicts: FoundVerdict[];
  not_looked_at: string[];
}

/** Not inside `store.read`. @param patience see `appVerdicts`. */
export async function verdictsOn(
  app: OpenedApp,
  kind: ShownKind,
  loading: Concerned | Promise<Concerned>,
  patience: number,
): Promise<VerdictsOn> {
  const thing$ = Promise.resolve(loading);
  // It may fail before the figures are there.
  thing$.catch(() => undefined);
  const verdictsIn = await verdictsBeside(app, kind, patience);
  const scope = scopeOfKind(kind);
  const [thing, { verdicts, figures }] = await Promise.all([
    thing$,
    app.store.read((reads) => verdictsIn(reads, scope)),
  ]);
  const found = verdicts.length === 0 ? [] : app.store.read((reads) => concerning(app, reads, verdicts, thing));
  return { verdicts: await found, not_looked_at: missing(thing, figures) };
}

/** Before a snapshot. @param patience see `appVerdicts`. */
export function verdictsBeside(app: OpenedApp, kind: ShownKind, patience: number) {
  // Figures over time say nothing about other things, so these do not wait for them.
  return scopedVerdicts(app, OF_FIGURES.has(kind) ? patience : 0);
}

/** Something that was read with the verdicts on it. */
export interface WithVerdicts<Model> extends VerdictsOn {
  model: Model;
}

/**
 * An invocation or anything else, and the verdicts on the app that concern it, from one snapshot. Not inside `store.read`.
 *
 * @param load reads it; gets the app in that snapshot.
 * @param patience see `appVerdicts`.
 */
export async function withVerdictsOn<Model>(
  app: OpenedApp,
  { kind, id }: { kind: ShownKind; id: string },
  load: (one: OpenedApp) => Promise<Model>,
  thingOf: (model: Model) => Concerned,
  patience: number,
): Promise<WithVerdicts<Model>> {
  const verdictsIn = await verdictsBeside(app, kind, patience);
  // A large or slow store may not have been counted within that patience, and these cannot be read without.
  if (kind === "task" || kind === "call") await app.inventory();
  return inOneSnapshot(app, async (one, reads) => {
    const [model, { verdicts, figures }] = await Promise.all([
      load(one),
      verdictsIn(reads, scopeOf(one, reads, kind, id)),
    ]);
    const thing = thingOf(model);
    return { model, verdicts: await concerning(one, reads, verdicts, thing), not_looked_at: missing(thing, figures) };
  });
}

/** @throws NotFoundError */
export async function invocationWithVerdicts(
  app: OpenedApp,
  id: string,
  patience: number,
): Promise<WithVerdicts<InvocationDetail>> {
  const figures = await figuresBefore(app, id, patience);
  const thingOf = (detail: InvocationDetail): Concerned => ({ kind: "invocation", detail });
  return withVerdictsOn(app, { kind: "invocation", id }, (one) => detailWith(one, id, figures), thingOf, patience);
}

/** Verdicts that concern workflow runs and queues are all among those on invocations. */
function scopeOfKind(kind: ShownKind): VerdictScope {
  return kind === "workflow" || kind === "queue" ? "invocations" : "app";
}

/** Which verdicts may concern a thing. Mostly reads what its detail reads too. */
export async function scopeOf(app: OpenedApp, reads: AppReads, kind: ShownKind, id: string): Promise<VerdictScope> {
  if (kind !== "invocation") return scopeOfKind(kind);
  const [[status], [definition]] = await Promise.all([
    reads.orchestrator.statusesByIds([id]),
    reads.state_backend.invocationsByIds([id], VALUE_BYTES),
  ]);
  if (status === undefined || definition === undefined || !statusInfo(status.status).final) return "invocations";
  // The rest of a workflow run may be open after the invocation that defines it.
  return definition.workflow_id === id && (await mayHaveOpenMembers(app, reads, id)) ? "invocations" : "ended";
}

/** Open invocations whose workflow runs are looked up. */
const OPEN_CHECKED = 50;

/** Whether an invocation of the run may not have ended, apart from the one that defines it. */
async function mayHaveOpenMembers(app: OpenedApp, reads: AppReads, workflowId: string): Promise<boolean> {
  const without = app.knownInventory()?.forgotten;
  if (!without?.complete || without.matching({ statuses: OPEN_STATUSES }).length > 0) return true;
  const open = await reads.orchestrator.listInvocations(
    { statuses: OPEN_STATUSES },
    { limit: OPEN_CHECKED + 1, offset: 0 },
  );
  if (open.length > OPEN_CHECKED) return true;
  const definitions = await reads.state_backend.invocationsByIds(open.map(invocationIdOf), 0);
  return definitions.some(({ workflow_id }) => workflow_id === workflowId);
}

/** What of the figures over time was not examined; nothing if none is about such a thing. */
export function missing(thing: Concerned, { not_looked_at }: { not_looked_at: string[] }): string[] {
  if (!OF_FIGURES.has(thing.kind) || (thing.kind === "invocation" && thing.detail.final)) return [];
  return not_looked_at;
}

/** @param verdicts all on the app. */
export async function concerning(
  app: OpenedApp,
  reads: AppReads,
  verdicts: readonly FoundVerdict[],
  thing: Concerned,
): Promise<FoundVerdict[]> {
  switch (thing.kind) {
    case "invocation":
      return ofInvocation(app, reads, verdicts, thing.detail, await waitChain(reads, thing.detail));
    case "workflow":
      return ofRun(app, reads, verdicts, thing.id);
    case "event": {
      const { pending } = thing.detail;
      const ready = pending.some(({ triggers }) => triggers.some(({ state }) => state === "ready"));
      const about = pending.flatMap((one) => naming(verdicts, "valid_condition", one.valid_condition_id));
      return [...new Set([...about, ...(ready ? blockingTriggers(verdicts) : [])])];
    }
    case "trigger": {
      const { trigger_id, waiting } = thing.detail;
      return [
        ...naming(verdicts, "trigger", trigger_id),
        ...(waiting?.state === "ready" ? blockingTriggers(verdicts) : []),
      ];
    }
    case "task":
    case "workflow_type":
      return ofTask(app, reads, verdicts, thing.id);
    case "queue":
      return ofQueue(app, reads, verdicts, thing.id);
    default:
      return naming(verdicts, thing.kind, thing.id);
  }
}

/** Verdicts on the app that name this thing, or any of its kind if that is null. */
function naming(verdicts: readonly FoundVerdict[], kind: Evidence["kind"], id: string | null): FoundVerdict[] {
  return verdicts.filter(({ evidence }) => evidence.some((one) => one.kind === kind && (id === null || one.id === id)));
}

/**
 * One that waits is concerned by what keeps the last one waiting that it waits for; one that has ended only by verdicts that name it. If it defines a
 * workflow run, verdicts on other invocations of the run are included.
 *
 * @param waits its chain of waits (`waitChain`).
 */
export async function ofInvocation(
  app: OpenedApp,
  reads: AppReads,
  verdicts: readonly FoundVerdict[],
  detail: InvocationDetail,
  waits: readonly InvocationRow[],
): Promise<FoundVerdict[]> {
  const { invocation_id: id, final, status_source } = detail;
  const open = !final && status_source === "orchestrator";
  const [own, inside] = await Promise.all([
    open
      ? ofOpen(app, reads, verdicts, { ...detail, status_runner_id: detail.owner?.runner_id ?? null }, waits.at(-1))
      : naming(verdicts, "invocation", id),
    detail.workflow_role === "member" ? [] : ofMembers(reads, verdicts, id),
  ]);
  return [...new Set([...own, ...inside])];
}

type Open = Pick<InvocationStatusRecord, "invocation_id" | "status" | "status_runner_id">;

/** @param last the last invocation in its chain of waits; undefined if it waits for none. */
async function ofOpen(
  app: OpenedApp,
  reads: AppReads,
  verdicts: readonly FoundVerdict[],
  one: Open,
  last: InvocationRow | undefined,
): Promise<FoundVerdict[]> {
  const queued = statusInfo(last?.status ?? one.status).available;
  const [ofOwner, ofQueue] = await Promise.all([
    ofItsOwner(app, reads, one, verdicts),
    queued ? ofItsQueue(app, reads, last?.invocation_id ?? one.invocation_id, verdicts) : [],
  ]);
  return [
    ...naming(verdicts, "invocation", one.invocation_id),
    ...ofOwner,
    ...(last === undefined ? [] : naming(verdicts, "invocation", last.invocation_id)),
    ...ofQueue,
  ];
}

/** Verdicts on its invocations, and on what keeps the defining one waiting if that is still open. */
async function ofRun(
  app: OpenedApp,
  reads: AppReads,
  verdicts: readonly FoundVerdict[],
  id: string,
): Promise<FoundVerdict[]> {
  const [[root], inside] = await Promise.all([reads.orchestrator.statusesByIds([id]), ofMembers(reads, verdicts, id)]);
  if (root === undefined || statusInfo(root.status).final) return inside;
  const waits = await chainOf(reads, id, await nextWait(reads, id, new Set([id])));
  return [...new Set([...(await ofOpen(app, reads, verdicts, root, waits.at(-1))), ...inside])];
}

/** Verdicts that name an invocation of the run, with one read for everything named. */
async function ofMembers(
  reads: AppReads,
  verdicts: readonly FoundVerdict[],
  workflowId: string,
): Promise<FoundVerdict[]> {
  const records = await namedRecords(verdicts, (ids) => reads.state_backend.invocationsByIds(ids));
  return namingAny(verdicts, records, ({ workflow_id }) => workflow_id === workflowId);
}

/** Verdicts that name the task, or an invocation of it. */
async function ofTask(
  app: OpenedApp,
  reads: AppReads,
  verdicts: readonly FoundVerdict[],
  task: string,
): Promise<FoundVerdict[]> {
  const blocking = blockingTriggers(verdicts);
  const [rows, triggers] = await Promise.all([
    namedRecords(verdicts, (ids) => reads.orchestrator.statusesByIds(ids)),
    blocking.length === 0 ? [] : waitingTriggersOf(app, reads, task),
  ]);
  return [
    ...new Set([
      ...naming(verdicts, "task", task),
      ...namingAny(verdicts, rows, ({ task_id_key }) => task_id_key === task),
      ...(triggers.some(({ waiting }) => waiting.state === "ready") ? blocking : []),
    ]),
  ];
}

interface NamedRecord {
  invocation_id: string;
}

async function namedRecords<Row extends NamedRecord>(
  verdicts: readonly FoundVerdict[],
  read: (ids: readonly string[]) => Promise<Row[]>,
): Promise<Row[]> {
  const named = new Set(verdicts.flatMap(({ evidence }) => idsOf(evidence)));
  return named.size === 0 ? [] : read([...named]);
}

/** Verdicts that name an invocation with such a record. */
function namingAny<Row extends NamedRecord>(
  verdicts: readonly FoundVerdict[],
  rows: readonly Row[],
  wanted: (row: Row) => boolean,
): FoundVerdict[] {
  const ids = new Set(rows.flatMap((row) => (wanted(row) ? [row.invocation_id] : [])));
  return verdicts.filter(({ evidence }) => idsOf(evidence).some((id) => ids.has(id)));
}

function idsOf(evidence: FoundVerdict["evidence"]): string[] {
  return evidence.flatMap(({ kind, id }) => (kind === "invocation" ? [id] : []));
}

/** Verdicts on problems that keep all triggers from running. */
const OF_ALL_TRIGGERS: ReadonlySet<string> = new Set<AppVerdictCode>([
  "stuck_atomic_service",
  "no_service_runner",
  "invalid_slots",
  "starved_atomic_service",
]);

function blockingTriggers(verdicts: readonly FoundVerdict[]): FoundVerdict[] {
  return verdicts.filter(({ code }) => OF_ALL_TRIGGERS.has(code));
}

/** Verdicts on its runner, if that counts as silent. They only list the first few of its invocations. */
async function ofItsOwner(
  app: OpenedApp,
  reads: AppReads,
  { status_runner_id: owner, status }: Open,
  verdicts: readonly FoundVerdict[],
): Promise<FoundVerdict[]> {
  if (owner === null || (status !== "running" && status !== "paused")) return [];
  const code: AppVerdictCode = status === "running" ? "running_on_dead_runner" : "paused_on_dead_runner";
  const some = verdicts.filter((verdict) => verdict.code === code);
  if (some.length === 0) return [];
  const [[heartbeat], { dead_before }] = await Promise.all([
    reads.orchestrator.heartbeatsByIds([owner]),
    livenessOf(app, reads),
  ]);
  return heartbeat !== undefined && heartbeat.last_heartbeat >= dead_before ? [] : some;
}

/** Verdicts that say why messages wait. */
const OF_WAITING: ReadonlySet<string> = new Set<AppVerdictCode>([
  "unreachable_queue",
  "deadlocked_pool",
  "unconsumed_queue",
  "undeclared_queue",
  "old_message",
]);

/** All verdicts on queues. */
const OF_QUEUES: ReadonlySet<string> = new Set<string>([
  ...OF_WAITING,
  "queue_grows",
  "message_without_invocation",
  "waiting_in_no_queue",
]);

/** Verdicts on the queue of its message, or on all queues if that has no name. */
async function ofItsQueue(
  app: OpenedApp,
  reads: AppReads,
  id: string,
  verdicts: readonly FoundVerdict[],
): Promise<FoundVerdict[]> {
  const some = verdicts.filter(({ code }) => OF_WAITING.has(code));
  if (some.length === 0) return [];
  const [{ unreachable }, { queue_peek }] = await Promise.all([queuesOf(app, reads), reads.layout.capabilities()]);
  if (unreachable !== null || !queue_peek) return some;
  const messages = await reads.broker.messagesOf([id]);
  return some.filter(({ code, evidence }) => {
    const queues = queuesIn(evidence);
    if (code === "deadlocked_pool" || queues.length === 0) return messages.length > 0;
    return messages.some(({ queue_name }) => queue_name !== null && queues.includes(queue_name));
  });
}

/**
 * Verdicts on a queue: those that name it, or a message in it, or that are on all of them.
 *
 * @param queue null for all queues.
 */
async function ofQueue(
  app: OpenedApp,
  reads: AppReads,
  verdicts: readonly FoundVerdict[],
  queue: string | null,
): Promise<FoundVerdict[]> {
  const some = verdicts.filter(({ code, evidence }) => OF_QUEUES.has(code) || queuesIn(evidence).length > 0);
  const { unreachable } = await queuesOf(app, reads);
  if (queue === null || unreachable !== null) return some;
  const unnamed = some.filter(({ evidence }) => queuesIn(evidence).length === 0);
  const messages = await namedRecords(unnamed, (ids) => reads.broker.messagesOf(ids));
  const inIt = namingAny(unnamed, messages, ({ queue_name }) => queue_name === queue);
  return some.filter((verdict) => {
    const queues = queuesIn(verdict.evidence);
    return queues.length > 0 ? queues.includes(queue) : idsOf(verdict.evidence).length === 0 || inIt.includes(verdict);
  });
}

function queuesIn(evidence: FoundVerdict["evidence"]): string[] {
  return evidence.flatMap(({ kind, id }) => (kind === "queue" ? [id] : []));
}

/** Maximum length of a chain of waits. */
const LEVELS = 20;

/** Maximum waits read per invocation. */
const WAITS_EACH = 50;

/** The chain of waits from the first invocation it waits for. If one waits for several, the first recorded is followed. */
export async function waitChain(
  reads: AppReads,
  { invocation_id, final, waits_for: [first] }: InvocationDetail,
): Promise<InvocationRow[]> {
  return final ? [] : chainOf(reads, invocation_id, first);
}

async function chainOf(reads: AppReads, id: string, first: InvocationRow | undefined): Promise<InvocationRow[]> {
  const chain: InvocationRow[] = [];
  const seen = new Set([id]);
  for (let at = first; at !== undefined; at = await nextWait(reads, at.invocation_id, seen)) {
    seen.add(at.invocation_id);
    chain.push(at);
    if (chain.length === LEVELS) break;
  }
  return chain;
}

/** The first recorded invocation that it waits for and that is not in the chain yet. */
async function nextWait(reads: AppReads, id: string, seen: ReadonlySet<string>): Promise<InvocationRow | undefined> {
  const edges = await reads.orchestrator.blockingEdges({ limit: WAITS_EACH, offset: 0 }, id);
  const { waiting } = await checkEdges(
    reads,
    edges.filter((edge) => edge.waiter_id === id),
  );
  const next = waiting.find((edge) => !seen.has(edge.waited_id));
  const [row] = next === undefined ? [] : await invocationRows(reads, [next.waited_id]);
  return row;
}
