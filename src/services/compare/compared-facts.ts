/** Reads the facts by which invocations are compared, in batches: no read is about a single invocation. */
import type { ComparedDimension } from "../../api/compare.ts";
import { isClientDataReference } from "../../pynenc/identifiers.ts";
import { plainText } from "../../pynenc/json-text.ts";
import { historiesInOrder, type LifePhase, lifeStretches, secondsIn } from "../../pynenc/life.ts";
import { type JsonDocument, type JsonNode, ROOT, scanPythonJson } from "../../pynenc/python-json.ts";
import type { HistoryRecord, InvocationRecord, InvocationStatusRecord } from "../../pynenc/records.ts";
import { UNKNOWN_STATUS } from "../../pynenc/statuses.ts";
import { argumentsMap } from "../../pynenc/values.ts";
import { messageKind } from "../../rollups/failure-message.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { exceptionLines, MESSAGE_READ } from "../model/invocation-rows.ts";
import { deadBefore } from "../model/runner-liveness.ts";
import { signsOfLife } from "../model/signs-of-life.ts";
import { BATCH, type Range, spreadBatches } from "./compared-sample.ts";
import type { ComparedInvocation, Having } from "./differences.ts";

/** Maximum size in bytes of the arguments of an invocation. Larger ones are not compared. */
export const ARGUMENT_BYTES = 4_000;

/** Limits: characters of a compared value, values per invocation, and levels of members inside an argument. */
const VALUE_CHARACTERS = 100;
const VALUES = 60;
const DEPTH = 3;

/** History entries read per batch. */
const HISTORY_READ = 50_000;

/** Facts about one invocation, before the host of its runner is read. */
interface WithoutHost extends ComparedInvocation {
  invocation_id: string;
  runner_id: string | null;
}

/**
 * Facts about the invocations that are stored and whose latest status change is in the range. If the store is slow, only some of them are read.
 *
 * @param until instant on the clock of `performance.now()` after which no further batch is read.
 * @returns `examined`: how many of the ids were read.
 */
export async function comparedFacts(
  app: OpenedApp,
  ids: readonly string[],
  range: Range,
  until: number,
): Promise<{ facts: Map<string, ComparedInvocation>; examined: number }> {
  const known: WithoutHost[] = [];
  let examined = 0;
  for (const batch of spreadBatches(ids, BATCH, until)) {
    known.push(...(await app.store.read((reads) => factsOf(app, reads, batch, range))));
    examined += batch.length;
  }
  const runners = [...new Set(known.flatMap(({ runner_id }) => runner_id ?? []))];
  const contexts = await app.store.read((reads) => reads.state_backend.runnerContexts(runners));
  const hosts = new Map(contexts.map(({ runner_id, hostname }) => [runner_id, hostname]));
  const facts = new Map(
    known.map(({ invocation_id, runner_id, ...one }): [string, ComparedInvocation] => {
      const host = hosts.get(runner_id ?? "");
      if (host === undefined) return [invocation_id, { ...one, unknown: [...one.unknown, "host"] }];
      return [invocation_id, { ...one, having: [oneValue("host", host), ...one.having] }];
    }),
  );
  return { facts, examined };
}

function oneValue(dimension: ComparedDimension, value: string | null): Having {
  return { dimension, argument: null, value };
}

async function factsOf(app: OpenedApp, reads: AppReads, ids: readonly string[], range: Range): Promise<WithoutHost[]> {
  const [statuses, definitions, history, triggers] = await Promise.all([
    reads.orchestrator.statusesByIds(ids),
    reads.state_backend.invocationsByIds(ids, ARGUMENT_BYTES),
    reads.state_backend.historyOf(ids, HISTORY_READ),
    triggersOf(reads, ids),
  ]);
  const statusOf = new Map(statuses.map((row) => [row.invocation_id, row]));
  const definitionOf = new Map(definitions.map((row) => [row.invocation_id, row]));
  // If the limit was reached, the history of any invocation may be incomplete.
  const histories = history.length < HISTORY_READ ? historiesInOrder(history) : new Map<string, HistoryRecord[]>();
  const word = (id: string) => statusOf.get(id)?.status ?? histories.get(id)?.at(-1)?.status ?? UNKNOWN_STATUS;
  const failed = ids.filter((id) => word(id) === "failed");
  const parents = new Set(definitions.flatMap(({ parent_invocation_id }) => parent_invocation_id ?? []));
  const [exceptions, tasks, signs] = await Promise.all([
    failed.length === 0 ? new Map<string, never>() : exceptionLines(reads, failed, MESSAGE_READ),
    reads.state_backend.tasksOf([...parents]),
    signsOfLife(reads, histories.values(), () => deadBefore(app, reads)),
  ]);
  const taskOfParent = new Map(tasks.map((row) => [row.invocation_id, row.task_id_key]));
  return ids.flatMap((invocation_id): WithoutHost[] => {
    const [status, definition] = [statusOf.get(invocation_id), definitionOf.get(invocation_id)];
    const entries = histories.get(invocation_id) ?? [];
    const changed = status?.status_timestamp ?? entries.at(-1)?.timestamp;
    if (status === undefined && definition === undefined) return [];
    if (!isWithin(changed, range)) return [];
    const task = status?.task_id_key ?? definition?.task_id_key ?? null;
    const exception = exceptions.get(invocation_id);
    const failure =
      exception === undefined ? null : [exception.type, ...(exception.message ? [messageKind(exception.message)] : [])];
    const facts = new Facts();
    facts.add("task", task ?? undefined);
    for (const having of argumentsOf(definition) ?? facts.missing("argument")) facts.having.push(having);
    const ran = entries.findLast(isRunning);
    const runner_id = ran?.status_runner_id ?? ran?.runner_context_id ?? null;
    facts.add("runner", runner_id ?? undefined);
    const [first] = entries;
    facts.add("hour", first?.status === "registered" ? hourOf(first.timestamp) : undefined);
    facts.add("parent_task", parentTask(definition, taskOfParent));
    facts.add("trigger", triggers === null ? undefined : (triggers.get(invocation_id) ?? null));
    facts.add("retries", retriesOf(status));
    facts.add("status", word(invocation_id) === UNKNOWN_STATUS ? undefined : word(invocation_id));
    if (failure !== null) facts.add("exception", failure.join(": "));
    const stretches = lifeStretches(entries, null, signs);
    const lasting = (names: readonly LifePhase[]) =>
      stretches.some(({ phase }) => names.includes(phase)) ? secondsIn(stretches, names) : null;
    const { having, unknown } = facts;
    const [run, wait] = [lasting(["running"]), lasting(["queued", "pending"])];
    return [{ invocation_id, runner_id, task, having, unknown, run, wait }];
  });
}

/** Values of one invocation, and the dimensions that are not known. */
class Facts {
  readonly having: Having[] = [];
  readonly unknown: ComparedDimension[] = [];

  /** @param value undefined if it is not known, null for none. */
  add(dimension: ComparedDimension, value: string | null | undefined): void {
    if (value === undefined) this.unknown.push(dimension);
    else this.having.push(oneValue(dimension, value));
  }

  missing(dimension: ComparedDimension): Having[] {
    this.unknown.push(dimension);
    return [];
  }
}

function isWithin(at: number | undefined, { from, to }: Range): boolean {
  if (from === null && to === null) return true;
  return at !== undefined && at >= (from ?? Number.NEGATIVE_INFINITY) && at <= (to ?? Number.POSITIVE_INFINITY);
}

function isRunning({ status }: HistoryRecord): boolean {
  return status === "running" || status === "resumed";
}

function hourOf(at: number): string {
  return String(Math.floor(at / 3_600) % 24).padStart(2, "0");
}

/** NaN means that the column is missing. */
function retriesOf(status: InvocationStatusRecord | undefined): string | undefined {
  return status === undefined || Number.isNaN(status.retry_count) ? undefined : String(status.retry_count);
}

function parentTask(
  definition: InvocationRecord | undefined,
  taskOf: ReadonlyMap<string, string>,
): string | null | undefined {
  if (definition === undefined) return undefined;
  const { parent_invocation_id } = definition;
  return parent_invocation_id === null ? null : taskOf.get(parent_invocation_id);
}

/** Id of the trigger that started each invocation, without those that no trigger started; null if the layout does not record it. */
async function triggersOf(reads: AppReads, ids: readonly string[]): Promise<ReadonlyMap<string, string> | null> {
  const { events: recorded } = await reads.layout.capabilities();
  if (!recorded) return null;
  const links = await reads.trigger.triggerRunsOf("triggered_invocation", ids, { each: 1 });
  const runs = await reads.trigger.triggerRunsByIds([...new Set(links.map((link) => link.trigger_run_id))]);
  const triggerOf = new Map(runs.map((run) => [run.trigger_run_id, run.trigger_id]));
  return new Map(
    links.flatMap(({ of, trigger_run_id }) => {
      const trigger = triggerOf.get(trigger_run_id);
      return trigger === undefined ? [] : [[of, trigger] as const];
    }),
  );
}

/** Values of arguments and of members inside them; null if they were not read in full. References to client data are left out. */
function argumentsOf(definition: InvocationRecord | undefined): Having[] | null {
  if (definition === undefined || definition.whole_size !== undefined) return null;
  const stored = argumentsMap(definition.serialized_arguments);
  if (stored === null) return null;
  const found: Having[] = [];
  for (const [name, text] of stored) {
    if (isClientDataReference(text)) continue;
    const document = scanPythonJson(text);
    if (document === null) addValue(found, name, text);
    else valuesIn(found, name, document, ROOT, DEPTH);
  }
  return found.slice(0, VALUES);
}

/** Adds values as the search term `arg.<path>=<value>` compares them: a string as it is, anything else as JSON. */
function valuesIn(found: Having[], argument: string, document: JsonDocument, node: JsonNode, depth: number): void {
  if (found.length >= VALUES) return;
  if (document.kind(node) !== "object") {
    addValue(found, argument, plainText(document, node));
  } else if (depth > 0) {
    for (const [key, member] of document.members(node)) {
      valuesIn(found, `${argument}.${document.string(key)}`, document, member, depth - 1);
    }
  }
}

function addValue(found: Having[], argument: string, value: string): void {
  if (value.length <= VALUE_CHARACTERS) found.push({ dimension: "argument", argument, value });
}
