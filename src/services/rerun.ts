/** Registering calls once more (storage.md 7.4): that of one invocation, or those of all that meet a filter. */
import { hostname } from "node:os";
import { InvalidInputError, NotFoundError, RefusedError } from "../errors.ts";
import { counted, grouped } from "../pynenc/numbers.ts";
import { type ControlTold, externalCaller } from "../pynenc/rerun.ts";
import type { AppReads, Rerun, RerunRefusal, RerunRequest } from "../stores/ports.ts";
import { UnqueuedError } from "../stores/unqueued-error.ts";
import type { ActionOutcome } from "./action-log.ts";
import { type AliveRunners, aliveRunners, refusalNow } from "./action-preview.ts";
import { integer, optionalFlag, parseInput, type RawInput } from "./input.ts";
import { type InvocationFilter, isUnfiltered } from "./invocation-filter.ts";
import { type InvocationRow, invocationRows } from "./invocation-rows.ts";
import { exportInvocations, listInvocations, readInvocationInput } from "./invocations.ts";
import type { OpenedApp } from "./opened-app.ts";
import type { PageInfo } from "./paging.ts";
import { reuseNotes } from "./rerun-notes.ts";

export interface RerunPreview {
  app_id: string;
  location: string;
  invocation: InvocationRow;
  /** Register although the same call waits already. */
  force: boolean;
  /** The new invocation starts a workflow of its own. */
  own_workflow: boolean;
  /** Arguments that are put into the index for concurrency control, whether or not the task has any. */
  indexed_arguments: number;
  control: ControlTold;
  /** What a reader should know before. */
  notes: string[];
  runners_alive: AliveRunners;
  /** Why it would be refused now, or null. */
  refused: string | null;
  /** `force` would help. */
  forcible: boolean;
}

export interface RerunOutcome extends ActionOutcome {
  invocation_id: string;
  new_invocation_id: string;
}

export interface RerunManyPreview {
  app_id: string;
  location: string;
  filter: InvocationFilter;
  /** How many meet the filter. */
  matching: Pick<PageInfo, "total" | "total_capped">;
  /** At most so many are taken, the newest. */
  limit: number;
  force: boolean;
  /** Of those taken: how many would be registered, and how many not, by reason. */
  registered: number;
  refusals: RefusalCount[];
  /** The first few that would be registered. */
  examples: InvocationRow[];
  notes: string[];
  runners_alive: AliveRunners;
  refused: string | null;
}

export interface RefusalCount {
  kind: RerunRefusal["kind"];
  /** A sentence fragment: `arguments that were externalised are gone`. */
  reason: string;
  count: number;
}

export interface RerunManyOutcome extends ActionOutcome {
  /** Looked at. */
  taken: number;
  registered: number;
  refusals: RefusalCount[];
  new_invocation_ids: string[];
  /** Those of them that have no message in the queue, so that no runner executes them. */
  unqueued_invocation_ids: string[];
  /** Why it ended before all were looked at, or null. */
  stopped: string | null;
}

const ONE_SHAPE = { force: optionalFlag };

/** @throws InvalidInputError; NotFoundError. */
export async function previewRerun(app: OpenedApp, invocationId: string, raw: RawInput): Promise<RerunPreview> {
  const { force = false } = parseInput(ONE_SHAPE, raw);
  return app.store.read(async (reads) => {
    const [row] = await invocationRows(reads, [invocationId]);
    if (row === undefined || row.task_id_key === null) throw new NotFoundError("invocation", invocationId);
    const { reruns, refused } = await foundBy(reads, [invocationId], force);
    const [one] = reruns;
    const refusal = one?.refusal ?? null;
    const runners_alive = await aliveRunners(app, reads);
    return {
      app_id: app.app_id,
      location: app.store.location,
      invocation: row,
      force,
      own_workflow: one?.own_workflow ?? false,
      indexed_arguments: one?.indexed_arguments ?? 0,
      control: one?.control ?? "unknown",
      notes: [...notesOn(runners_alive, row), ...reuseNotes(app, reruns)],
      runners_alive,
      refused: (await refusalNow(app, reads)) ?? refused ?? (one === undefined ? null : refusalText(one)),
      forcible: refusal?.kind === "duplicate",
    };
  });
}

/** @throws InvalidInputError; NotFoundError; RefusedError, StoreUnreachableError: then nothing was registered. */
export async function rerun(app: OpenedApp, invocationId: string, raw: RawInput): Promise<RerunOutcome> {
  const { force = false } = parseInput(ONE_SHAPE, raw);
  const [done] = await app.store.actions.rerun([invocationId], request(force));
  if (done === undefined || done.refusal?.kind === "unknown") throw new NotFoundError("invocation", invocationId);
  if (done.refusal !== null || done.new_invocation_id === null) {
    const hint = done.refusal?.kind === "duplicate" ? "force=1 (--force) registers it all the same." : null;
    throw new RefusedError(`Nothing was registered: ${refusalText(done) ?? "no id was made"}.`, hint, 409);
  }
  return {
    success: true,
    action: "rerun",
    app_id: app.app_id,
    invocation_id: invocationId,
    new_invocation_id: done.new_invocation_id,
    message: `Registered ${done.task_id_key} again as ${done.new_invocation_id}.`,
  };
}

const MANY_SHAPE = { force: optionalFlag, limit: integer(1, 100_000, 1_000) };
const EXAMPLES = 10;
/** Registered per transaction: runners get their turn in between. */
const BATCH = 100;

interface ManyInput {
  filter: InvocationFilter;
  limit: number;
  force: boolean;
}

/**
 * The filter of the invocation list, with `limit` for how many to take (default 1,000) and `force`.
 *
 * @throws InvalidInputError, also when nothing is filtered: registering everything once more is never meant.
 */
async function readManyInput(app: OpenedApp, raw: RawInput): Promise<ManyInput> {
  const { force: givenForce, limit: givenLimit, page: _, ...filters } = raw;
  const { force = false, limit } = parseInput(MANY_SHAPE, { force: givenForce, limit: givenLimit });
  const { filter } = await readInvocationInput(app, filters);
  if (isUnfiltered(filter)) {
    throw new InvalidInputError(
      [{ parameter: "status", value: "", accepted: "a filter is needed, such as status or task_id" }],
      null,
      "Name what to register again: a filter is needed, such as a status or a task.",
    );
  }
  return { filter, limit, force };
}

/** @throws InvalidInputError */
export async function previewRerunMany(app: OpenedApp, raw: RawInput): Promise<RerunManyPreview> {
  const { filter, limit, force } = await readManyInput(app, raw);
  const { page } = await listInvocations(app, { filter, page: { number: 1, size: 1 } });
  const ids = await matchingIds(app, filter, limit);
  return app.store.read(async (reads) => {
    const { reruns, refused } = await foundBy(reads, ids, force);
    const possible = reruns.filter((one) => one.refusal === null);
    const runners_alive = await aliveRunners(app, reads);
    return {
      app_id: app.app_id,
      location: app.store.location,
      filter,
      matching: { total: page.total, total_capped: page.total_capped },
      limit,
      force,
      registered: possible.length,
      refusals: refusalCounts(reruns),
      examples: await invocationRows(
        reads,
        possible.slice(0, EXAMPLES).map((one) => one.invocation_id),
      ),
      notes: notesOn(runners_alive, null),
      runners_alive,
      refused: (await refusalNow(app, reads)) ?? refused,
    };
  });
}

/**
 * Registers in batches, each a transaction of its own: whatever stops it, every invocation is registered wholly or not at all.
 *
 * @param onProgress is told how many of how many were looked at.
 * @param signal ends it after the batch at hand.
 * @throws InvalidInputError; RefusedError and StoreUnreachableError of the first batch; a later one ends the list and says so.
 */
export async function rerunMany(
  app: OpenedApp,
  raw: RawInput,
  onProgress: (taken: number, of: number) => void = () => undefined,
  signal: AbortSignal | null = null,
): Promise<RerunManyOutcome> {
  const { filter, limit, force } = await readManyInput(app, raw);
  const ids = await matchingIds(app, filter, limit);
  const done: Rerun[] = [];
  let unqueued: readonly string[] = [];
  let stopped: string | null = null;
  for (let start = 0; start < ids.length; start += BATCH) {
    try {
      done.push(...(await app.store.actions.rerun(ids.slice(start, start + BATCH), request(force))));
    } catch (error) {
      if (error instanceof UnqueuedError) {
        done.push(...error.reruns);
        unqueued = error.invocation_ids;
        stopped = `${counted(unqueued.length, "call is", "calls are")} registered but not in the queue, so that no runner executes ${unqueued.length === 1 ? "it" : "them"}: ${error.why}`;
        break;
      }
      if (done.length === 0 || !(error instanceof Error)) throw error;
      stopped = `the next ones failed: ${error.message}`;
      break;
    }
    onProgress(done.length, ids.length);
    // A command acts in its own thread: whatever aborts the signal has to be heard in between.
    await new Promise((resolve) => setImmediate(resolve));
    if (signal?.aborted === true && done.length < ids.length) {
      stopped = "interrupted.";
      break;
    }
  }
  const new_invocation_ids = done.flatMap((one) => one.new_invocation_id ?? []);
  const refusals = refusalCounts(done);
  const refused = refusals.map(({ reason, count }) => ` ${grouped(count)} not: ${reason}.`).join("");
  return {
    success: true,
    action: "rerun",
    app_id: app.app_id,
    taken: done.length,
    registered: new_invocation_ids.length,
    refusals,
    new_invocation_ids,
    unqueued_invocation_ids: [...unqueued],
    stopped,
    message: `Registered ${counted(new_invocation_ids.length, "call")} again.${refused}${stopped === null ? "" : ` Stopped after ${grouped(done.length)} of ${grouped(ids.length)}: ${stopped}`}`,
  };
}

async function matchingIds(app: OpenedApp, filter: InvocationFilter, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const rows of exportInvocations(app, filter)) {
    ids.push(...rows.map((row) => row.invocation_id));
    if (ids.length >= limit) break;
  }
  return ids.slice(0, limit);
}

function request(force: boolean): RerunRequest {
  return { caller: externalCaller(hostname(), process.pid), force };
}

/** What the action would answer; a refusal of the whole action is told like one of the call. */
async function foundBy(
  reads: AppReads,
  ids: readonly string[],
  force: boolean,
): Promise<{ reruns: Rerun[]; refused: string | null }> {
  try {
    return { reruns: await reads.preview.rerun(ids, request(force)), refused: null };
  } catch (error) {
    if (error instanceof RefusedError) return { reruns: [], refused: error.message };
    throw error;
  }
}

function notesOn(alive: AliveRunners, row: InvocationRow | null): string[] {
  const notes = [
    "The new invocation is independent: no parent, no event, a new id. Triggers that watch for the status registered do not see it.",
  ];
  if (row !== null && !row.final) notes.push(`The invocation itself is not final yet: its status is ${row.status}.`);
  if (alive.count === 0) notes.push("No runner is alive now: it waits in the queue until one is.");
  return notes;
}

/** Why a call is not registered, without the ids: a sentence fragment; null where it is. */
function reasonOf({ refusal, control }: Rerun): string | null {
  switch (refusal?.kind) {
    case "unknown":
      return "no definition is stored";
    case "unreadable":
      return "the stored arguments cannot be read";
    case "dangling":
      return "arguments that were externalised are not in this store";
    case "duplicate":
      return control === "some"
        ? "the task has concurrency control and the same call waits already"
        : "it is not known whether the task has concurrency control, and the same call waits already";
    default:
      return null;
  }
}

/** As `reasonOf`, naming what is missing or in the way. */
function refusalText(one: Rerun): string | null {
  const { refusal } = one;
  if (refusal?.kind === "dangling") return `${reasonOf(one)}: ${refusal.references.join(", ")}`;
  if (refusal?.kind === "duplicate") return `${reasonOf(one)} as ${refusal.invocation_id}`;
  return reasonOf(one);
}

/** In the order in which they are met first. */
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
