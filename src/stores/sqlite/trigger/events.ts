/** Events and what they started (storage-format.md 5.3). */

import { parseEvent } from "../../../pynenc/json-records.ts";
import { withoutLargeMember } from "../../../pynenc/large-document.ts";
import type { EventRecord, EventSummary, TriggeredInvocation } from "../../../pynenc/records.ts";
import { type EventColumns, eventRecord, largePayload } from "../../../pynenc/trigger-records.ts";
import type { EventFilter, EventPosition, EventReads } from "../../ports/trigger.ts";
import { TAIL_BYTES, VALUE_BYTES } from "../../value-limit.ts";
import type { Sync } from "../calls/sync.ts";
import type { Row } from "../file/connection.ts";
import { bounded, boundedText, ending, instant, instantOrNull, number, text, textOrNull } from "../tables/columns.ts";
import { distinctSql, distinctValues } from "../tables/distinct-values.ts";
import type { Queries, Values } from "../tables/queries.ts";
import { limitedPerId } from "../tables/row-limit.ts";
import type { AppTables, ReadableTable } from "../tables/tables.ts";

export function eventReads(handle: Queries, tables: AppTables): Sync<EventReads> {
  const events = tables.readable("trigger", "events");
  const matches = tables.readable("trigger", "event_conditions");
  const links = tables.readable("trigger", "event_triggered_invocations");
  const runs = tables.readable("trigger", "trigger_runs");
  const runnerColumn = tables.has("trigger", "events", "emitted_by_runner_context_id")
    ? "e.emitted_by_runner_context_id"
    : "NULL AS emitted_by_runner_context_id";
  const isTriggered = links.exists ? `EXISTS (SELECT 1 FROM ${links.sql} l WHERE l.event_id = e.event_id)` : "0";
  const summaryColumns = `e.event_id, e.event_code, e.event_timestamp, e.matched_condition_count,
    ${isTriggered} AS triggered, e.emitted_by_invocation_id, e.emitted_by_task_id, ${runnerColumn}`;

  function eventConditions(filter: EventFilter, after?: EventPosition): { where: string; values: Values } {
    const parts: string[] = [];
    const values: Values = [];
    const restrict = (condition: string, ...given: Values) => {
      parts.push(condition);
      values.push(...given);
    };
    if (filter.event_code !== undefined) restrict("e.event_code = ?", filter.event_code);
    if (filter.from !== undefined) restrict("e.event_timestamp >= ?", filter.from);
    if (filter.to !== undefined) restrict("e.event_timestamp <= ?", filter.to);
    if (filter.matched !== undefined) restrict(`e.matched_condition_count ${filter.matched ? "> 0" : "= 0"}`);
    if (filter.triggered !== undefined) restrict(filter.triggered ? isTriggered : `NOT ${isTriggered}`);
    if (after !== undefined) restrict("(e.event_timestamp, e.event_id) < (?, ?)", after.timestamp, after.event_id);
    return { where: parts.length > 0 ? `WHERE ${parts.join(" AND ")}` : "", values };
  }

  /** The last value is the cap. */
  function countSql(filter: EventFilter): { sql: string; values: Values } {
    const { where, values } = eventConditions(filter);
    return { sql: `SELECT count(*) FROM (SELECT 1 FROM ${events.sql} e ${where} LIMIT ?)`, values };
  }

  const matchesReadable = tables.has("trigger", "event_conditions", "valid_condition_id");

  /** The conditions that an event met, for a record that is too large for a list to read. */
  function matchesOf(row: Row): Pick<EventRecord, "matched_condition_ids" | "valid_condition_ids"> {
    const rows = handle.all(
      `SELECT condition_id, valid_condition_id FROM ${matches.sql} WHERE event_id = ? AND valid_condition_id IS NOT NULL ORDER BY rowid`,
      text(row.event_id),
    );
    return {
      matched_condition_ids: rows.map(({ condition_id }) => text(condition_id)),
      valid_condition_ids: rows.map(({ valid_condition_id }) => text(valid_condition_id)),
    };
  }

  /** For a record not in pynenc's format, which SQLite reads completely. */
  const withoutPayload = (row: Row) =>
    text(
      handle.get(
        `SELECT json_remove(event_json, '$.payload') AS json FROM ${events.sql} WHERE event_id = ? AND json_valid(event_json)`,
        text(row.event_id),
      )?.json,
    );

  return {
    eventCounters() {
      if (!events.exists || !runs.exists) return null;
      const eventsIn = ({ exists, sql }: ReadableTable) =>
        exists ? `(SELECT count(DISTINCT event_id) FROM ${sql})` : "0";
      const counts = handle.get(
        `SELECT (SELECT count(*) FROM ${events.sql}) AS recorded,
           ${eventsIn(matches)} AS matched, ${eventsIn(links)} AS triggered,
           (SELECT count(*) FROM (${distinctSql(events.sql, "event_code")} LIMIT -1)) AS codes,
           (SELECT count(*) FROM ${runs.sql}) AS trigger_runs`,
      );
      return {
        recorded: number(counts?.recorded),
        // This table has only matches (storage-format.md 3.6), and its primary key is a tenth of the size of the events table.
        matched: number(counts?.matched),
        triggered: number(counts?.triggered),
        codes: number(counts?.codes),
        trigger_runs: number(counts?.trigger_runs),
      };
    },

    listEvents(filter, { limit, offset }, order = "newest", after) {
      if (!events.exists) return [];
      const { where, values } = eventConditions(filter, after);
      const direction = order === "newest" ? "DESC" : "ASC";
      const ordered = `ORDER BY e.event_timestamp ${direction}, e.event_id ${direction}`;
      // Selects rows before computing their columns; otherwise a page far down the list would compute them for every skipped row.
      return handle
        .all(
          `SELECT ${summaryColumns}
           FROM (SELECT e.rowid AS chosen FROM ${events.sql} e ${where} ${ordered} LIMIT ? OFFSET ?) page
           CROSS JOIN ${events.sql} e ON e.rowid = page.chosen ${ordered}`,
          ...values,
          limit,
          offset,
        )
        .map(eventSummary);
    },

    countEvents(filters, cap) {
      if (!events.exists) return filters.map(() => 0);
      if (filters.length === 0) return [];
      const counts = filters.map(countSql);
      const row = handle.get(
        `SELECT ${counts.map(({ sql }, i) => `(${sql}) AS n${i}`).join(", ")}`,
        ...counts.flatMap(({ values }) => [...values, cap]),
      );
      return filters.map((_, i) => number(row?.[`n${i}`]));
    },

    eventCodes: (limit) => (events.exists ? distinctValues(handle, events.sql, "event_code", limit) : []),

    eventsByIds(eventIds, payloadBytes = VALUE_BYTES) {
      if (!events.exists || eventIds.length === 0) return [];
      const recordBytes = Math.max(payloadBytes, TAIL_BYTES);
      return handle
        .all(
          `SELECT e.event_id, e.event_code, e.event_timestamp, e.emitted_by_invocation_id, e.emitted_by_task_id, ${runnerColumn},
             ${bounded("e.event_json", recordBytes, "json")},
             ${ending("e.event_json", recordBytes, TAIL_BYTES)} AS tail
           FROM ${events.sql} e WHERE e.event_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(eventIds),
        )
        .map((row) => {
          const { text: json, whole_size } = boundedText(row, "json");
          if (whole_size === undefined) {
            return eventRecord(eventColumns(row), parseEvent(json), largePayload(json, payloadBytes));
          }
          if (json === "" && matchesReadable)
            return { ...eventRecord(eventColumns(row), null, whole_size), ...matchesOf(row) };
          const ends = withoutLargeMember(json, text(row.tail), whole_size, "payload");
          return eventRecord(
            eventColumns(row),
            parseEvent(ends?.json ?? withoutPayload(row)),
            ends?.size ?? whole_size,
          );
        });
    },

    eventsEmittedBy(invocationIds, limit) {
      if (!events.exists || invocationIds.length === 0) return [];
      const found = limitedPerId(
        { table: events.sql, column: "emitted_by_invocation_id", order: "k.event_timestamp, k.rowid" },
        limit,
      );
      return handle
        .all(
          `SELECT ${summaryColumns} FROM json_each(?) j
           CROSS JOIN ${events.sql} e ON ${found.on("e")}
           ORDER BY e.event_timestamp LIMIT ?`,
          JSON.stringify(invocationIds),
          ...found.values,
        )
        .map(eventSummary);
    },

    triggeredBy(eventIds, limit) {
      if (!links.exists || eventIds.length === 0) return [];
      const found = limitedPerId({ table: links.sql, column: "event_id", order: "k.linked_at, k.rowid" }, limit);
      return handle
        .all(
          `SELECT l.event_id, l.invocation_id, l.trigger_run_id, l.linked_at FROM json_each(?) j
           CROSS JOIN ${links.sql} l ON ${found.on("l")} ORDER BY l.linked_at LIMIT ?`,
          JSON.stringify(eventIds),
          ...found.values,
        )
        .map(
          (row): TriggeredInvocation => ({
            event_id: text(row.event_id),
            invocation_id: text(row.invocation_id),
            trigger_run_id: textOrNull(row.trigger_run_id),
            linked_at: instantOrNull(row.linked_at),
          }),
        );
    },
  };
}

function eventSummary(row: Row): EventSummary {
  return {
    ...eventColumns(row),
    matched_conditions: number(row.matched_condition_count),
    triggered: row.triggered === 1,
  };
}

function eventColumns(row: Row): EventColumns {
  return {
    event_id: text(row.event_id),
    event_code: text(row.event_code),
    timestamp: instant(row.event_timestamp),
    emitted_by_invocation_id: textOrNull(row.emitted_by_invocation_id),
    emitted_by_task_id: textOrNull(row.emitted_by_task_id),
    emitted_by_runner_context_id: textOrNull(row.emitted_by_runner_context_id),
  };
}
