import { listsOf } from "../../../pynenc/groups.ts";
import { parseEvent, parseTriggerRun } from "../../../pynenc/json-records.ts";
import type { EpochSeconds } from "../../../pynenc/time.ts";
import { noEventsRecorded } from "../../no-events.ts";
import type { EventPurge, EventRetention } from "../../ports/actions.ts";
import { inChunks } from "../../server/chunks.ts";
import { layoutReads } from "../keys/layout.ts";
import type { RedisReading } from "../keys/reading.ts";
import type { Command } from "../server/connection.ts";
import { type RedisDb, scoredOf, textsOf } from "../server/db.ts";
import { type Changes, entireCollection, membersOfSet, membersOfSortedSet, type Removal } from "./changes.ts";

/** Records removed per step, each completely. */
const STEP = 500;

/** Ids read per round trip. */
const READ_STEP = 5_000;

type EventRule = "age" | "capacity";
type RunRule = EventRule | "event";

/**
 * Removes events and trigger runs that are too old or too many, and with an event every run it took part in (storage-format.md 5.7, 9.4). First
 * decides what to remove, in pynenc's order of rules. Runs are removed before events, so that a repeated action after an interruption finds the rest.
 *
 * @throws RefusedError for a layout that records no events.
 */
export async function autoPurgeEvents(
  reading: RedisReading,
  changes: Changes,
  { before, max_events, max_trigger_runs }: EventRetention,
): Promise<EventPurge> {
  if (!(await layoutReads(reading).capabilities()).events) throw noEventsRecorded();
  const db = reading.db("trigger");
  const key = (...parts: string[]) => reading.keys.key("trigger", ...parts);
  const [events, runs] = [key("evts_by_time"), key("truns_by_time")];

  const dueEvents = new Map<string, EventRule>();
  const dueRuns = new Map<string, RunRule>();
  for await (const ids of olderThan(db, events, before, eventTimes(reading))) mark(dueEvents, ids, "age");
  for await (const ids of olderThan(db, runs, before, runTimes(reading))) mark(dueRuns, ids, "age");
  await markExcess(db, events, max_events, dueEvents);
  for (const ids of inChunks([...dueEvents.keys()], READ_STEP)) {
    const found = new Set(
      (await db.exchange(ids.map((id) => ["SMEMBERS", key("truns_for_event", id)]))).flatMap(textsOf),
    );
    mark(dueRuns, await membersAmong(db, runs, [...found]), "event");
  }
  await markExcess(db, runs, max_trigger_runs, dueRuns);
  return { ...(await removeRuns(reading, changes, dueRuns)), ...(await removeEvents(reading, changes, dueEvents)) };
}

/** The first rule that matches a record counts. */
function mark<Rule>(due: Map<string, Rule>, ids: readonly string[], rule: Rule): void {
  for (const id of ids) if (!due.has(id)) due.set(id, rule);
}

/** Times by id; null for a record that does not age. If a record is missing, its score in the index is used. */
type TimesOf = (scored: readonly { member: string; score: number }[]) => Promise<(EpochSeconds | null)[]>;

function eventTimes(reading: RedisReading): TimesOf {
  return async (scored) => {
    const records = await recordsOf(
      reading,
      "evts_hash",
      scored.map(({ member }) => member),
    );
    return scored.map(({ score }, i) => parseEvent(records[i] ?? "")?.timestamp ?? score / 1000);
  };
}

/** A run that was claimed but never executed is removed by other rules only. */
function runTimes(reading: RedisReading): TimesOf {
  return async (scored) => {
    const records = await recordsOf(
      reading,
      "trun_hash",
      scored.map(({ member }) => member),
    );
    return scored.map(({ score }, i) => {
      const run = parseTriggerRun(records[i] ?? "");
      return run === null ? score / 1000 : run.executed_at;
    });
  };
}

function recordsOf(reading: RedisReading, family: string, ids: readonly string[]): Promise<(string | null)[]> {
  return reading.db("trigger").strings(ids.map((id) => reading.keys.key("trigger", family, id)));
}

/** Ids before an instant, oldest first. Scores are milliseconds, so the microsecond times in the records decide. */
async function* olderThan(
  db: RedisDb,
  index: string,
  before: EpochSeconds,
  timesOf: TimesOf,
): AsyncGenerator<string[], void, undefined> {
  const bound = Math.ceil(before * 1000);
  const end = await db.number("ZCOUNT", index, "-inf", Number.isFinite(bound) ? String(bound) : "+inf");
  for (let start = 0; start < end; start += STEP) {
    const last = Math.min(start + STEP, end) - 1;
    const scored = scoredOf(await db.ask("ZRANGE", index, String(start), String(last), "WITHSCORES"));
    const times = await timesOf(scored);
    yield scored.flatMap(({ member }, i) => ((times[i] ?? before) < before ? [member] : []));
  }
}

/** Marks the oldest of the remaining ids that exceed the limit. 0 means no limit. */
async function markExcess(
  db: RedisDb,
  index: string,
  max: number,
  due: Map<string, EventRule | RunRule>,
): Promise<void> {
  if (max === 0) return;
  let excess = (await db.number("ZCARD", index)) - due.size - max;
  for (let start = 0; excess > 0; start += READ_STEP) {
    const ids = await db.texts("ZRANGE", index, String(start), String(start + READ_STEP - 1));
    if (ids.length === 0) return;
    const some = ids.filter((id) => !due.has(id)).slice(0, excess);
    mark(due, some, "capacity");
    excess -= some.length;
  }
}

async function membersAmong(db: RedisDb, index: string, ids: readonly string[]): Promise<string[]> {
  const scores = await db.scores(index, ids);
  return ids.filter((_, i) => (scores[i] ?? null) !== null);
}

async function removeRuns(
  reading: RedisReading,
  changes: Changes,
  due: ReadonlyMap<string, RunRule>,
): Promise<
  Pick<
    EventPurge,
    "trigger_runs_by_age" | "trigger_runs_of_events" | "trigger_runs_by_capacity" | "trigger_run_conditions"
  >
> {
  const key = (...parts: string[]) => reading.keys.key("trigger", ...parts);
  const byRule = { age: 0, event: 0, capacity: 0 };
  let participants = 0;
  for (const ids of inChunks([...due.keys()], STEP)) {
    const records = await recordsOf(reading, "trun_hash", ids);
    const named = ids.flatMap((id, i): Command[] => {
      const run = parseTriggerRun(records[i] ?? "");
      if (run === null) return [];
      participants += run.participants.length;
      const naming = (family: string, others: readonly (string | null)[]) =>
        [...new Set(others)].flatMap((other): Command[] => (other === null ? [] : [["SREM", key(family, other), id]]));
      const ofParticipants = <Name extends "event_id" | "source_invocation_id" | "valid_condition_id">(name: Name) =>
        run.participants.map((participant) => participant[name]);
      return [
        ...naming("truns_for_event", [...run.event_ids, ...ofParticipants("event_id")]),
        ...naming("truns_for_invocation", [run.triggered_invocation_id]),
        ...naming("truns_sourced_by_invocation", [
          ...run.source_invocation_ids,
          ...ofParticipants("source_invocation_id"),
        ]),
        ...naming("truns_for_valid_condition", [...run.valid_condition_ids, ...ofParticipants("valid_condition_id")]),
      ];
    });
    const own: Command = ["UNLINK", ...ids.map((id) => key("trun_hash", id))];
    await removeByRule(changes, key("truns_by_time"), ids, due, byRule, [own, ...named]);
  }
  return {
    trigger_runs_by_age: byRule.age,
    trigger_runs_of_events: byRule.event,
    trigger_runs_by_capacity: byRule.capacity,
    trigger_run_conditions: participants,
  };
}

async function removeEvents(
  reading: RedisReading,
  changes: Changes,
  due: ReadonlyMap<string, EventRule>,
): Promise<
  Pick<EventPurge, "events_by_age" | "events_by_capacity" | "event_conditions" | "event_triggered_invocations">
> {
  const db = reading.db("trigger");
  const key = (...parts: string[]) => reading.keys.key("trigger", ...parts);
  const byRule = { age: 0, capacity: 0 };
  let [conditions, invocations] = [0, 0];
  for (const ids of inChunks([...due.keys()], STEP)) {
    const records = (await recordsOf(reading, "evts_hash", ids)).map((json) => parseEvent(json ?? ""));
    const lists = await db.existing(ids.map((id) => key("evts_triggered_invocations", id)));
    const codes = records.map((record) => record?.event_code ?? null);
    // An event without a record may have any code.
    const anyCode = codes.includes(null) ? await db.texts("SMEMBERS", key("evts_codes")) : [];
    const idsByCode = listsOf(
      ids.flatMap((id, i) => (codes[i] === null ? anyCode : [codes[i] ?? ""]).map((code) => [code, id] as const)),
    );
    conditions += records.reduce((sum, record) => sum + (record?.matched_condition_ids.length ?? 0), 0);
    const others: Command[] = [
      ["UNLINK", ...ids.flatMap((id) => [key("evts_hash", id), key("truns_for_event", id)])],
      ...["evts_matched", "evts_triggered"].map((index): Command => ["ZREM", key(index), ...ids]),
      ...[...idsByCode].map(([code, some]): Command => ["ZREM", key("evts_by_code", code), ...some]),
    ];
    const counted = lists.map((list) => entireCollection(list, "LLEN"));
    const counts = await removeByRule(changes, key("evts_by_time"), ids, due, byRule, others, counted);
    invocations += counts.reduce((sum, count) => sum + count, 0);
  }
  await dropEmptyCodes(reading, changes);
  return {
    events_by_age: byRule.age,
    events_by_capacity: byRule.capacity,
    event_conditions: conditions,
    event_triggered_invocations: invocations,
  };
}

/**
 * Executes one step. Adds the number of removed index entries per rule to `total`.
 *
 * @returns the counts of `further`.
 */
async function removeByRule<Rule extends string>(
  changes: Changes,
  index: string,
  ids: readonly string[],
  due: ReadonlyMap<string, Rule>,
  total: Record<Rule, number>,
  others: readonly Command[],
  further: readonly Removal[] = [],
): Promise<number[]> {
  const idsByRule = [...listsOf(ids.map((id) => [due.get(id) as Rule, id] as const))] as [Rule, string[]][];
  const scored = idsByRule.map(([, some]) => membersOfSortedSet(index, some));
  const counts = await changes.remove("trigger", [...scored, ...further], () => others);
  for (const [i, [rule]] of idsByRule.entries()) total[rule] += counts[i] ?? 0;
  return counts.slice(scored.length);
}

/** Keeps only codes that occur in the list of codes. Checks all of them, because an auto-purge interrupted here leaves some behind. */
async function dropEmptyCodes(reading: RedisReading, changes: Changes): Promise<void> {
  const db = reading.db("trigger");
  const indexOf = (code: string) => reading.keys.key("trigger", "evts_by_code", code);
  const list = reading.keys.key("trigger", "evts_codes");
  const codes = await db.texts("SMEMBERS", list);
  const occurring = new Set(await db.existing(codes.map(indexOf)));
  const empty = codes.filter((code) => !occurring.has(indexOf(code)));
  if (empty.length === 0) return;
  await changes.remove("trigger", [membersOfSet(list, empty)]);
  // An event may have been recorded in between.
  const again = new Set(await db.existing(empty.map(indexOf)));
  const back = empty.filter((code) => again.has(indexOf(code)));
  if (back.length > 0) await changes.write([{ component: "trigger", command: ["SADD", list, ...back] }]);
}
