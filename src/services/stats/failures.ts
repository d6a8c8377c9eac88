import type { FailureGroup, Failures } from "../../api/stats.ts";
import { failuresInput } from "../../inputs/stats.ts";
import { type EpochSeconds, isoOrNull } from "../../pynenc/time.ts";
import { argumentsMap } from "../../pynenc/values.ts";
import type { TimeSpan } from "../../rollups/buckets.ts";
import type { RunExample } from "../../rollups/facts.ts";
import type { FailureRow, FiguresRow, RollupReads } from "../../rollups/reads.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { queryValue } from "../input/query-text.ts";
import { valueLine } from "../model/arguments-line.ts";
import { unknownAmong } from "../model/known-names.ts";
import { withTaskKey } from "../model/task-keys.ts";
import { standingOut, type Traits } from "./stands-out.ts";
import { isPassed, laterNotes, rangeNotes, rangeOf, requestedSpan, rollupsOf, storedHistory } from "./stats-range.ts";
import { finishedOf, sumOf } from "./stats-rows.ts";

/** Number of slices in the trend of a group. */
const SLICES = 30;

/** Examples shown per group, and how many are needed to say that an argument is the same in all. */
const EXAMPLES = 10;
/** Examples shown for several groups together. */
const MERGED_EXAMPLES = 20;
const MIN_EXAMPLES = 3;

/** How many groups are compared with successes, and how many successes each. */
const COMPARED_GROUPS = 20;
const SUCCESSES = 40;

/**
 * Failures and retries in a time range, grouped by what they have in common. The default range is the last hour.
 *
 * Those that failed most come first, then those that were only retried.
 *
 * @param compared number of groups, in this order, whose failures are compared with successes.
 * @param newest when the newest entry is stamped, if that is later than now.
 * @throws InvalidInputError, RefusedError if figures over time are switched off.
 */
export async function failures(
  app: OpenedApp,
  raw: RawInput,
  compared = COMPARED_GROUPS,
  newest: EpochSeconds | null = null,
): Promise<Failures> {
  const input = parseInput(failuresInput, await withTaskKey(app, raw, "task_id"));
  const rollups = rollupsOf(app);
  const now = app.now();
  const span = requestedSpan(input, raw, now, newest);
  const filter = { task_id_key: input.task_id };
  const [{ groups: found, slice, ...answered }, { rows }, stored] = await Promise.all([
    rollups.failures(span, SLICES, filter, input.by !== "group"),
    rollups.rows(span, "task", filter),
    storedHistory(app),
  ]);
  if (newest === null && isPassed(span, requestedSpan(input, raw, now, stored?.last))) {
    return failures(app, raw, compared, stored?.last ?? null);
  }
  const ends = endsByTask(rows);
  const merged = mergedBy(found, input.by);
  merged.sort((a, b) => b.failed - a.failed || b.retries - a.retries || (b.last_seen ?? 0) - (a.last_seen ?? 0));
  const listed = merged.slice(0, input.limit);
  const found_in = await commonTraits(app, rollups, span, listed, compared);
  return {
    ...rangeOf(answered, span, now),
    filter: { by: input.by, task_id_key: input.task_id ?? null },
    slice_seconds: slice,
    groups: listed.map((group) => shownGroup(group, ends, answered.reach.whole, found_in.get(group))),
    groups_total: merged.length,
    groups_failed: merged.filter(({ failed }) => failed > 0).length,
    total: merged.reduce((sum, group) => sum + countOf(group), 0),
    newest: isoOrNull(stored?.last),
    notes: [
      ...rangeNotes(answered),
      ...laterNotes(input, now, stored?.last ?? null),
      ...(input.task_id !== undefined && merged.length === 0
        ? await unknownAmong(app, { tasks: [input.task_id] })
        : []
      ).map(({ sentence }) => sentence),
    ],
  };
}

/** One or several groups of the rollup. */
interface MergedGroup extends FailureRow {
  tasks: ReadonlySet<string | null>;
  /** Exception and kind of message of each group, as `causeOf`. */
  causes: ReadonlySet<string>;
  /** Of the same exception, outside the range: `ever` counts those too. */
  other_messages: boolean;
}

function causeOf({ type, message }: Pick<FailureRow, "type" | "message">): string {
  return JSON.stringify([type, message]);
}

const NOT_STORED = causeOf({ type: null, message: null });

function countOf({ failed, retries }: FailureRow): number {
  return failed + retries;
}

function mergedBy(groups: readonly FailureRow[], by: Failures["filter"]["by"]): MergedGroup[] {
  const merged = new Map<string, MergedGroup>();
  for (const group of groups) {
    const { task_id_key, type, message } = group;
    const key = {
      type: [task_id_key, type],
      group: [task_id_key, type, message],
      exception: [type, message],
      task: [task_id_key],
    }[by];
    const name = JSON.stringify(key);
    const known = merged.get(name);
    const one = { ...group, tasks: new Set([task_id_key]), causes: new Set([causeOf(group)]), other_messages: false };
    merged.set(name, known === undefined ? one : mergedGroups(known, one));
  }
  return [...merged.values()].filter((group) => countOf(group) > 0);
}

function mergedGroups(a: MergedGroup, b: MergedGroup): MergedGroup {
  const ever = everOf(a, b);
  const same = <T>(one: T, other: T): T | null => (one === other ? one : null);
  const others = a.other_messages || b.other_messages;
  // A group without failures in the range only counts for what there ever was.
  if (countOf(a) === 0 || countOf(b) === 0) {
    const other_messages = others || (a.type === b.type && a.message !== b.message);
    return { ...(countOf(a) === 0 ? b : a), ever, other_messages };
  }
  return {
    task_id_key: same(a.task_id_key, b.task_id_key),
    type: same(a.type, b.type),
    message: same(a.message, b.message),
    failed: a.failed + b.failed,
    retries: a.retries + b.retries,
    first_seen: earliest(a.first_seen, b.first_seen),
    last_seen: latest(a.last_seen, b.last_seen),
    ever,
    trend: a.trend.map((count, i) => count + (b.trend[i] ?? 0)),
    examples: newestOfEach([...a.examples, ...b.examples]).slice(0, MERGED_EXAMPLES),
    tasks: new Set([...a.tasks, ...b.tasks]),
    causes: new Set([...a.causes, ...b.causes]),
    other_messages: others,
  };
}

function everOf({ ever: a }: FailureRow, { ever: b }: FailureRow): FailureRow["ever"] {
  return {
    failed: a.failed + b.failed,
    retries: a.retries + b.retries,
    first_seen: earliest(a.first_seen, b.first_seen),
    last_seen: latest(a.last_seen, b.last_seen),
  };
}

function latest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

function earliest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** The newest failure of each invocation, newest first: one that was retried may be in several groups. */
function newestOfEach(examples: readonly RunExample[]): RunExample[] {
  const newest = new Map<string, RunExample>();
  for (const example of [...examples].sort((one, other) => other.at - one.at)) {
    if (!newest.has(example.invocation_id)) newest.set(example.invocation_id, example);
  }
  return [...newest.values()];
}

interface Ends {
  /** Invocations that became final. */
  finished: number;
  /** Runs that ended with success, failure or a retry. */
  runs: number;
}

function endsByTask(rows: readonly FiguresRow[]): ReadonlyMap<string | null, Ends> {
  return new Map(
    rows.map(({ name, entered }) => [
      name,
      { finished: finishedOf(entered), runs: sumOf(entered, ["success", "failed", "retry"]) },
    ]),
  );
}

function shownGroup(
  group: MergedGroup,
  ends: ReadonlyMap<string | null, Ends>,
  whole: boolean,
  traits: CommonTraits = { same_arguments: [], stands_out: [] },
): FailureGroup {
  const { task_id_key, type, message, other_messages, failed, retries, trend, tasks } = group;
  const examples = group.examples.slice(0, EXAMPLES);
  const of = failed > 0 ? "finished" : "runs";
  const all = [...tasks].reduce((sum, task) => sum + (ends.get(task)?.[of] ?? 0), 0);
  return {
    task_id_key,
    type,
    message,
    other_messages,
    query: queryOf(group),
    count: countOf(group),
    failed,
    retries,
    tasks: [...tasks].flatMap((task) => task ?? []).sort(),
    causes: group.causes.size - (group.causes.has(NOT_STORED) ? 1 : 0),
    share: all === 0 ? null : (failed || retries) / all,
    trend,
    first_seen: isoOrNull(group.first_seen),
    last_seen: isoOrNull(group.last_seen),
    ever: {
      failed: group.ever.failed,
      retries: group.ever.retries,
      first_seen: isoOrNull(group.ever.first_seen),
      complete: whole,
    },
    runners: runnersOf(examples),
    ...traits,
    invocation_ids: examples.map((example) => example.invocation_id),
  };
}

/** Retries are left out: what is retried has no exception stored. */
function queryOf({ type, message, failed }: FailureRow): string | null {
  if (type === null || failed === 0) return null;
  const kind = message === null || message === "" ? [] : [`error:${queryValue(message)}`];
  return [`exception:${queryValue(type)}`, ...kind].join(" ");
}

function runnersOf(examples: readonly RunExample[]): FailureGroup["runners"] {
  const counts = new Map<string, number>();
  for (const { runner_id } of examples) {
    if (runner_id !== null) counts.set(runner_id, (counts.get(runner_id) ?? 0) + 1);
  }
  return [...counts].map(([runner_id, n]) => ({ runner_id, examples: n })).sort((a, b) => b.examples - a.examples);
}

type CommonTraits = Pick<FailureGroup, "same_arguments" | "stands_out">;

/** What the failures of each group have in common, in one read for all groups. */
async function commonTraits(
  app: OpenedApp,
  rollups: RollupReads,
  span: TimeSpan,
  groups: readonly MergedGroup[],
  most: number,
): Promise<ReadonlyMap<MergedGroup, CommonTraits>> {
  if (groups.length === 0) return new Map();
  const compared = groups.slice(0, most).flatMap((group) => {
    const times = group.examples.map(({ at }) => at);
    const { task_id_key } = group;
    if (task_id_key === null || times.length < MIN_EXAMPLES) return [];
    return [{ group, task_id_key, from: Math.min(...times), to: Math.max(...times) }];
  });
  const { examples } = await rollups.successes(span, compared, SUCCESSES);
  const successes = new Map(compared.map(({ group }, i) => [group, examples[i] ?? []]));
  const shown = groups.flatMap((group) => (successes.has(group) ? group.examples : group.examples.slice(0, EXAMPLES)));
  const ids = new Set([...shown, ...examples.flat()].map((example) => example.invocation_id));
  const definitions = await app.store.read((reads) => reads.state_backend.invocationsByIds([...ids]));
  const values = new Map(
    definitions.map((row) => [
      row.invocation_id,
      row.whole_size === undefined ? argumentsMap(row.serialized_arguments) : null,
    ]),
  );
  return new Map(
    groups.map((group) => {
      const stands_out = comparison(group.examples, successes.get(group) ?? [], values);
      return [group, { same_arguments: sameArguments(group.examples.slice(0, EXAMPLES), values), stands_out }];
    }),
  );
}

type ArgumentsById = ReadonlyMap<string, ReadonlyMap<string, string> | null>;

/** Arguments with the same value in all examples of a group. */
function sameArguments(examples: readonly RunExample[], values: ArgumentsById): FailureGroup["same_arguments"] {
  const distinct = [...new Set(examples.map((example) => example.invocation_id))];
  const all = distinct.map((id) => values.get(id) ?? null);
  const [first] = all;
  if (all.length < MIN_EXAMPLES || first == null) return [];
  const same = [...first].filter(([name, stored]) => all.every((one) => one?.get(name) === stored));
  return same.map(([name, stored]) => ({ name, value: valueLine(stored) }));
}

/** Prefix of traits that are arguments, because an argument may have any name. */
const ARGUMENT = "=";
const RUNNER = "runner";

function comparison(
  failed: readonly RunExample[],
  succeeded: readonly RunExample[],
  values: ArgumentsById,
): FailureGroup["stands_out"] {
  const ids = new Set(failed.map(({ invocation_id }) => invocation_id));
  // An invocation that failed and was run again has the same arguments in both samples.
  const others = succeeded.filter(({ invocation_id }) => !ids.has(invocation_id));
  const traitsOf = ({ invocation_id, runner_id }: RunExample): Traits =>
    new Map([
      ...[...(values.get(invocation_id) ?? [])].map(([name, stored]) => [`${ARGUMENT}${name}`, stored] as const),
      ...(runner_id === null ? [] : [[RUNNER, runner_id] as const]),
    ]);
  return standingOut(failed.map(traitsOf), others.map(traitsOf)).map(({ trait, value, failures, successes }) => ({
    ...(trait === RUNNER
      ? { kind: "runner" as const, name: null, value }
      : { kind: "argument" as const, name: trait.slice(ARGUMENT.length), value: valueLine(value) }),
    failures,
    failures_looked_at: failed.length,
    successes,
    successes_looked_at: others.length,
  }));
}
