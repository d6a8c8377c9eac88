import { validConditionId } from "../../../src/pynenc/identifiers.ts";
import { pythonJson } from "../../../src/pynenc/python-dump.ts";
import type { EventRecord, EventSummary, TriggerRunRecord } from "../../../src/pynenc/records.ts";
import type { EventFilter, EventPosition, TriggerReads, TriggerRunFilter } from "../../../src/stores/ports/trigger.ts";
import type { Sync } from "../../../src/stores/sqlite/calls/sync.ts";
import { VALUE_BYTES } from "../../../src/stores/value-limit.ts";
import { boundedText, limited, type MemoryRows, sliceOf, sortedBy, unique } from "./rows.ts";

export function triggerReads(rows: MemoryRows): Sync<TriggerReads> {
  const { conditions, triggers, events, links, runs, capabilities } = rows;
  const startedSomething = new Set(links.map((link) => link.event_id));
  const summary = (event: EventRecord): EventSummary => {
    const { matched_condition_ids, valid_condition_ids: _, payload: __, ...columns } = event;
    return {
      ...columns,
      matched_conditions: matched_condition_ids.length,
      triggered: startedSomething.has(event.event_id),
    };
  };
  const oldestFirst = sortedBy(
    events.map(summary),
    (event) => event.timestamp,
    (event) => event.event_id,
  );
  const newestRuns = sortedBy(runs, (run) => timeOf(run) ?? 0).reverse();
  const runsMeeting = ({ after, ...filter }: TriggerRunFilter) => {
    const place = newestRuns.findIndex((run) => run.trigger_run_id === after);
    const behind = after === undefined ? newestRuns : place < 0 ? [] : newestRuns.slice(place + 1);
    return behind.filter((run) => runMeets(run, filter));
  };
  const triggersInOrder = sortedBy(
    triggers,
    (trigger) => trigger.task_id_key,
    (trigger) => trigger.trigger_id,
  );
  return {
    eventCounters: () =>
      capabilities.events
        ? {
            recorded: events.length,
            matched: events.filter((event) => event.matched_condition_ids.length > 0).length,
            triggered: startedSomething.size,
            codes: new Set(events.map((event) => event.event_code)).size,
            trigger_runs: runs.length,
          }
        : null,
    triggeredTasks: () =>
      unique([...rows.watched_tasks, ...triggers.map((trigger) => trigger.task_id_key)]).map((task_id_key) => ({
        task_id_key,
        triggers: triggers.filter((trigger) => trigger.task_id_key === task_id_key).length,
      })),
    countValidConditions: () => rows.valid_conditions.length,
    countDefinitions: () => ({ triggers: triggers.length, conditions: conditions.length }),

    listEvents: (filter, slice, after) => {
      const met = oldestFirst.filter((event) => eventMeets(event, filter)).reverse();
      return sliceOf(after === undefined ? met : met.filter((event) => isBefore(event, after)), slice);
    },
    listEventsForward: (filter, slice) =>
      sliceOf(
        oldestFirst.filter((event) => eventMeets(event, filter)),
        slice,
      ),
    countEvents: (filter, cap) => Math.min(cap, oldestFirst.filter((event) => eventMeets(event, filter)).length),
    countEventsBetween: (filter, instants, cap) =>
      instants.slice(1).map((end, i) => {
        const from = instants[i] ?? end;
        const inside = oldestFirst.filter(({ timestamp }) => timestamp >= from && timestamp < end);
        return Math.min(cap, inside.filter((event) => eventMeets(event, filter)).length);
      }),
    eventCodes: (limit) =>
      unique(events.map((event) => event.event_code))
        .sort()
        .slice(0, limit),
    eventsByIds: (ids, payloadBytes = VALUE_BYTES) =>
      events
        .filter((event) => ids.includes(event.event_id))
        .map((event) => {
          if (Buffer.byteLength(JSON.stringify(event)) <= payloadBytes) return event;
          return { ...event, payload: null, whole_size: Buffer.byteLength(pythonJson({ ...event.payload })) };
        }),
    eventsEmittedBy: (ids, limit) =>
      limited(
        oldestFirst.filter((event) => ids.includes(event.emitted_by_invocation_id ?? "")),
        (event) => event.emitted_by_invocation_id ?? "",
        limit,
      ),
    triggeredBy: (ids, limit) =>
      limited(
        sortedBy(
          links.filter((link) => ids.includes(link.event_id)),
          (link) => link.linked_at ?? 0,
        ),
        (link) => link.event_id,
        limit,
      ),

    triggerRunsByIds: (ids) => runs.filter((run) => ids.includes(run.trigger_run_id)),
    triggerRunsOf(kind, ids, limit) {
      const took = (run: TriggerRunRecord): (string | null)[] => {
        if (kind === "triggered_invocation") return [run.triggered_invocation_id];
        const member = `${kind}_id` as const;
        return run.participants.map((participant) => participant[member]);
      };
      const found = runs.flatMap((run) =>
        ids.filter((id) => took(run).includes(id)).map((of) => ({ trigger_run_id: run.trigger_run_id, of })),
      );
      return limited(found, (link) => link.of, limit);
    },
    listTriggerRuns: (filter, slice) => sliceOf(runsMeeting(filter), slice),
    searchTriggerRuns({ trigger_id, context_type, atomic_service_run_id, ...indexed }, slice, scanLimit) {
      const others = { trigger_id, context_type, atomic_service_run_id };
      const led = runsMeeting(indexed);
      const byIndex = Object.values(others).every((wanted) => wanted === undefined);
      const scanned = led.slice(0, scanLimit);
      const matches = scanned.filter((run) => runMeets(run, others));
      return {
        runs: sliceOf(byIndex ? led : matches, slice),
        matching: matches.length,
        scanned: scanned.length,
        complete: byIndex ? led.length < scanLimit : led.length <= scanLimit,
        last_scanned: byIndex ? null : (scanned.at(-1)?.trigger_run_id ?? null),
      };
    },
    countTriggerRuns: (filter, cap) => Math.min(cap, runsMeeting(filter).length),

    triggersByIds: (ids) => triggers.filter((trigger) => ids.includes(trigger.trigger_id)),
    listTriggers: (slice) => sliceOf(triggersInOrder, slice),
    triggersOfTasks: (keys, limit) =>
      triggersInOrder.filter((trigger) => keys.includes(trigger.task_id_key)).slice(0, limit),
    triggersOfConditions: (ids, limit) =>
      triggersInOrder.filter((trigger) => trigger.condition_ids.some((id) => ids.includes(id))).slice(0, limit),
    conditionsByIds: (ids) => conditions.filter((condition) => ids.includes(condition.condition_id)),
    listValidConditions: (slice) => sliceOf([...rows.valid_conditions].reverse(), slice),
    validConditionsOf: (ids, each) =>
      sortedBy(
        unique(ids).flatMap((condition_id) =>
          sortedBy(
            rows.valid_conditions.filter((row) =>
              row.valid_condition_id.startsWith(validConditionId(condition_id, "")),
            ),
            (row) => row.valid_condition_id,
          )
            .slice(0, each)
            .map((row) => ({ condition_id, ...row })),
        ),
        (row) => row.valid_condition_id,
      ),
    countValidConditionsOf: (ids, cap) =>
      Object.fromEntries(
        ids.flatMap((id) => {
          const { length } = rows.valid_conditions.filter((row) =>
            row.valid_condition_id.startsWith(validConditionId(id, "")),
          );
          return length > 0 ? [[id, Math.min(length, cap)]] : [];
        }),
      ),
    validConditionsByIds: (ids, bytes = VALUE_BYTES) =>
      rows.valid_conditions
        .filter((row) => ids.includes(row.valid_condition_id))
        .map(({ valid_condition_id, valid_condition_json: whole }) => {
          const { text: valid_condition_json, ...mark } = boundedText(whole, bytes);
          return { valid_condition_id, valid_condition_json, ...mark };
        }),
  };
}

function isBefore(event: EventSummary, other: EventPosition): boolean {
  return event.timestamp < other.timestamp || (event.timestamp === other.timestamp && event.event_id < other.event_id);
}

function eventMeets(event: EventSummary, filter: EventFilter): boolean {
  return (
    (filter.event_code === undefined || event.event_code === filter.event_code) &&
    (filter.from === undefined || event.timestamp >= filter.from) &&
    (filter.to === undefined || event.timestamp <= filter.to) &&
    (filter.matched === undefined || event.matched_conditions > 0 === filter.matched) &&
    (filter.triggered === undefined || event.triggered === filter.triggered)
  );
}

function timeOf(run: TriggerRunRecord): number | null {
  return run.executed_at ?? run.claimed_at;
}

function runMeets(
  run: TriggerRunRecord,
  filter: { [Name in keyof TriggerRunFilter]: TriggerRunFilter[Name] | undefined },
): boolean {
  const at = timeOf(run);
  const bounded = filter.from !== undefined || filter.to !== undefined;
  return (
    (filter.task_id_key === undefined || run.task_id_key === filter.task_id_key) &&
    (filter.trigger_id === undefined || run.trigger_id === filter.trigger_id) &&
    (!bounded ||
      (at !== null && at >= (filter.from ?? Number.NEGATIVE_INFINITY) && at <= (filter.to ?? Number.MAX_VALUE))) &&
    (filter.context_type === undefined ||
      run.participants.some((participant) => participant.context_type === filter.context_type)) &&
    (filter.atomic_service_run_id === undefined || run.atomic_service_run_id === filter.atomic_service_run_id)
  );
}
