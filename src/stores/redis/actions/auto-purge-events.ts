import { listsOf } from "../../../pynenc/groups.ts";
import { parseEvent, parseTriggerRun } from "../../../pynenc/json-records.ts";
import type { EpochSeconds } from "../../../pynenc/time.ts";
import { noEventsRecorded } from "../../no-events.ts";
import type { EventPurge, EventRetention } from "../../ports/actions.ts";
import { type EventStep, type EventsRemoved, purgeEvents, STEP } from "../../server/auto-purge.ts";
import { layoutReads } from "../keys/layout.ts";
import type { RedisReading } from "../keys/reading.ts";
import type { Command } from "../server/connection.ts";
import { type RedisDb, scoredOf, textsOf } from "../server/db.ts";
import { type Changes, entireCollection, membersOfSet, membersOfSortedSet } from "./changes.ts";

/** Ids read per round trip. */
const READ_STEP = 5_000;

/** @throws RefusedError for a layout that records no events. */
export async function autoPurgeEvents(
  reading: RedisReading,
  changes: Changes,
  retention: EventRetention,
): Promise<EventPurge> {
  if (!(await layoutReads(reading).capabilities()).events) throw noEventsRecorded();
  const db = reading.db("trigger");
  const key = (...parts: string[]) => reading.keys.key("trigger", ...parts);
  const indexes = { events: key("evts_by_time"), runs: key("truns_by_time") };
  const times = { events: eventTimes(reading), runs: runTimes(reading) };
  const purged = await purgeEvents(
    {
      older: (kind, before) => olderThan(db, indexes[kind], before, times[kind]),
      count: (kind) => db.number("ZCARD", indexes[kind]),
      async *oldest(kind) {
        for (let start = 0; ; start += READ_STEP) {
          const ids = await db.texts("ZRANGE", indexes[kind], String(start), String(start + READ_STEP - 1));
          if (ids.length === 0) return;
          yield ids;
        }
      },
      async runsOf(events) {
        const found = await db.exchange(events.map((id) => ["SMEMBERS", key("truns_for_event", id)]));
        return membersAmong(db, indexes.runs, [...new Set(found.flatMap(textsOf))]);
      },
      remove: (kind, step) => (kind === "events" ? removeEvents : removeRuns)(reading, changes, step),
    },
    retention,
  );
  await dropEmptyCodes(reading, changes);
  return purged;
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

async function membersAmong(db: RedisDb, index: string, ids: readonly string[]): Promise<string[]> {
  const scores = await db.scores(index, ids);
  return ids.filter((_, i) => (scores[i] ?? null) !== null);
}

async function removeRuns(reading: RedisReading, changes: Changes, { ids, byRule }: EventStep): Promise<EventsRemoved> {
  const key = (...parts: string[]) => reading.keys.key("trigger", ...parts);
  let participants = 0;
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
  const removed = byRule.map((some) => membersOfSortedSet(key("truns_by_time"), some));
  return { byRule: await changes.remove("trigger", removed, () => [own, ...named]), rows: [participants] };
}

async function removeEvents(
  reading: RedisReading,
  changes: Changes,
  { ids, byRule }: EventStep,
): Promise<EventsRemoved> {
  const db = reading.db("trigger");
  const key = (...parts: string[]) => reading.keys.key("trigger", ...parts);
  const records = (await recordsOf(reading, "evts_hash", ids)).map((json) => parseEvent(json ?? ""));
  const lists = await db.existing(ids.map((id) => key("evts_triggered_invocations", id)));
  const codes = records.map((record) => record?.event_code ?? null);
  // An event without a record may have any code.
  const anyCode = codes.includes(null) ? await db.texts("SMEMBERS", key("evts_codes")) : [];
  const idsByCode = listsOf(
    ids.flatMap((id, i) => (codes[i] === null ? anyCode : [codes[i] ?? ""]).map((code) => [code, id] as const)),
  );
  const others: Command[] = [
    ["UNLINK", ...ids.flatMap((id) => [key("evts_hash", id), key("truns_for_event", id)])],
    ...["evts_matched", "evts_triggered"].map((index): Command => ["ZREM", key(index), ...ids]),
    ...[...idsByCode].map(([code, some]): Command => ["ZREM", key("evts_by_code", code), ...some]),
  ];
  const removed = byRule.map((some) => membersOfSortedSet(key("evts_by_time"), some));
  const counted = lists.map((list) => entireCollection(list, "LLEN"));
  const counts = await changes.remove("trigger", [...removed, ...counted], () => others);
  const conditions = records.reduce((sum, record) => sum + (record?.matched_condition_ids.length ?? 0), 0);
  const invocations = counts.slice(removed.length).reduce((sum, count) => sum + count, 0);
  return { byRule: counts, rows: [conditions, invocations] };
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
