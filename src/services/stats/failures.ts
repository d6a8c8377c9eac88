import type { FailureGroup, Failures } from "../../api/stats.ts";
import { isoFromEpoch, isoOrNull } from "../../pynenc/time.ts";
import { argumentsMap } from "../../pynenc/values.ts";
import type { FailureRow, FiguresRow } from "../../rollups/reads.ts";
import type { FailureExample } from "../../rollups/rollup.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { choice, integer, parseInput, type RawInput, text } from "../input/input.ts";
import { TIME_BOUNDS } from "../input/time-bounds.ts";
import { valueLine } from "../model/arguments-line.ts";
import { askedSpan, newestEntry, rangeNotes, rangeOf, rollupsOf } from "./stats-range.ts";

/** Slices of the trend of a group. */
const SLICES = 30;

/** Examples of a group, and those from which it can be told that an argument is the same in all. */
const EXAMPLES = 10;
const ENOUGH = 3;

const INPUT = {
  ...TIME_BOUNDS,
  by: choice(["group", "exception", "task"], "group"),
  task_id: text,
  limit: integer(1, 500, 50),
};

/**
 * Failures and retries of a range of time by what they have in common: the last hour unless asked otherwise.
 *
 * @throws InvalidInputError, RefusedError where figures over time are switched off.
 */
export async function failures(app: OpenedApp, raw: RawInput): Promise<Failures> {
  const input = parseInput(INPUT, raw);
  const span = askedSpan(input, raw, app.now());
  const rollups = rollupsOf(app);
  const filter = { task_id_key: input.task_id };
  const [{ groups: found, slice, ...answered }, { rows }, newest] = await Promise.all([
    rollups.failures(span, SLICES, filter),
    rollups.rows(span, "task", filter),
    newestEntry(app),
  ]);
  const ends = endsByTask(rows);
  const merged = mergedBy(found, input.by);
  merged.sort((a, b) => countOf(b) - countOf(a) || (b.last_seen ?? 0) - (a.last_seen ?? 0));
  const listed = merged.slice(0, input.limit);
  const same = await sameArguments(app, listed);
  return {
    ...rangeOf(answered),
    filter: { by: input.by, task_id_key: input.task_id ?? null },
    slice_seconds: slice,
    groups: listed.map((group) => shownGroup(group, ends, same)),
    groups_total: merged.length,
    total: merged.reduce((sum, group) => sum + countOf(group), 0),
    newest: isoOrNull(newest),
    notes: rangeNotes(answered),
  };
}

/** One or several groups of the rollup. */
interface MergedGroup extends FailureRow {
  tasks: ReadonlySet<string | null>;
  /** Exception and kind of message of each, as one text. */
  causes: ReadonlySet<string>;
}

function countOf({ failed, retries }: FailureRow): number {
  return failed + retries;
}

function mergedBy(groups: readonly FailureRow[], by: Failures["filter"]["by"]): MergedGroup[] {
  const merged = new Map<string, MergedGroup>();
  for (const group of groups) {
    const { task_id_key, type, message } = group;
    const key = { group: [task_id_key, type, message], exception: [type, message], task: [task_id_key] }[by];
    const name = JSON.stringify(key);
    const known = merged.get(name);
    const one = { ...group, tasks: new Set([task_id_key]), causes: new Set([JSON.stringify([type, message])]) };
    merged.set(name, known === undefined ? one : mergedGroups(known, one));
  }
  return [...merged.values()];
}

function mergedGroups(a: MergedGroup, b: MergedGroup): MergedGroup {
  const same = <T>(one: T, other: T): T | null => (one === other ? one : null);
  const earliest = [a.first_seen, b.first_seen].flatMap((at) => at ?? []);
  const latest = [a.last_seen, b.last_seen].flatMap((at) => at ?? []);
  return {
    task_id_key: same(a.task_id_key, b.task_id_key),
    type: same(a.type, b.type),
    message: same(a.message, b.message),
    failed: a.failed + b.failed,
    retries: a.retries + b.retries,
    first_seen: earliest.length === 0 ? null : Math.min(...earliest),
    last_seen: latest.length === 0 ? null : Math.max(...latest),
    trend: a.trend.map((count, i) => count + (b.trend[i] ?? 0)),
    examples: [...a.examples, ...b.examples].sort((one, other) => other.at - one.at).slice(0, EXAMPLES),
    tasks: new Set([...a.tasks, ...b.tasks]),
    causes: new Set([...a.causes, ...b.causes]),
  };
}

/** Runs that ended with success, failure or a retry. */
function endsByTask(rows: readonly FiguresRow[]): ReadonlyMap<string | null, number> {
  const ends = ({ entered }: FiguresRow) => (entered.success ?? 0) + (entered.failed ?? 0) + (entered.retry ?? 0);
  return new Map(rows.map((row) => [row.name, ends(row)]));
}

function shownGroup(
  group: MergedGroup,
  ends: ReadonlyMap<string | null, number>,
  same: ReadonlyMap<MergedGroup, FailureGroup["same_arguments"]>,
): FailureGroup {
  const { task_id_key, type, message, failed, retries, trend, examples, tasks } = group;
  const all = [...tasks].reduce((sum, task) => sum + (ends.get(task) ?? 0), 0);
  return {
    task_id_key,
    type,
    message,
    count: countOf(group),
    failed,
    retries,
    tasks: [...tasks].flatMap((task) => task ?? []).sort(),
    causes: group.causes.size,
    share: all === 0 ? null : countOf(group) / all,
    trend,
    first_seen: group.first_seen === null ? null : isoFromEpoch(group.first_seen),
    last_seen: group.last_seen === null ? null : isoFromEpoch(group.last_seen),
    runners: runnersOf(examples),
    same_arguments: same.get(group) ?? [],
    invocation_ids: examples.map((example) => example.invocation_id),
  };
}

function runnersOf(examples: readonly FailureExample[]): FailureGroup["runners"] {
  const counts = new Map<string, number>();
  for (const { runner_id } of examples) {
    if (runner_id !== null) counts.set(runner_id, (counts.get(runner_id) ?? 0) + 1);
  }
  return [...counts].map(([runner_id, n]) => ({ runner_id, examples: n })).sort((a, b) => b.examples - a.examples);
}

/** Arguments that have one value in all examples of a group, in one read for all groups. */
async function sameArguments(
  app: OpenedApp,
  groups: readonly MergedGroup[],
): Promise<ReadonlyMap<MergedGroup, FailureGroup["same_arguments"]>> {
  const ids = [...new Set(groups.flatMap(({ examples }) => examples.map((example) => example.invocation_id)))];
  if (ids.length === 0) return new Map();
  const definitions = await app.store.read((reads) => reads.state_backend.invocationsByIds(ids));
  const values = new Map(
    definitions.map((row) => [
      row.invocation_id,
      row.whole_size === undefined ? argumentsMap(row.serialized_arguments) : null,
    ]),
  );
  return new Map(
    groups.map((group) => {
      const distinct = [...new Set(group.examples.map((example) => example.invocation_id))];
      const all = distinct.map((id) => values.get(id) ?? null);
      const [first] = all;
      if (all.length < ENOUGH || first == null) return [group, []];
      const same = [...first].filter(([name, stored]) => all.every((one) => one?.get(name) === stored));
      return [group, same.map(([name, stored]) => ({ name, value: valueLine(stored) }))];
    }),
  );
}
