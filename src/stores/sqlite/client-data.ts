import type { ClientDataRecord } from "../../pynenc/records.ts";
import { epochFromJulianDay } from "../../pynenc/time.ts";
import type { ClientDataReads } from "../ports.ts";
import { utf8 } from "./columns.ts";
import type { Queries } from "./queries.ts";
import type { Sync } from "./sync.ts";
import type { AppTables } from "./tables.ts";

/** Externalised values (storage.md 3.5). */
export function clientDataReads(handle: Queries, tables: AppTables): Sync<ClientDataReads> {
  const exists = tables.has("client_data_store", "data");
  const data = tables.sql("client_data_store", "data");
  return {
    valuesByKeys(references, maxCharacters) {
      if (!exists || references.length === 0) return [];
      // UTF-8 needs at most four bytes a character, so this many bytes always hold the wanted beginning.
      return handle
        .all<{ data_key: string; head: Uint8Array | string; size: number; created_at: number }>(
          `SELECT data_key, substr(CAST(data_value AS BLOB), 1, ?) AS head, octet_length(data_value) AS size, created_at
           FROM ${data} WHERE data_key IN (SELECT value FROM json_each(?))`,
          maxCharacters * 4,
          JSON.stringify(references),
        )
        .map(
          (row): ClientDataRecord => ({
            data_key: row.data_key,
            text: utf8Beginning(row.head).slice(0, maxCharacters),
            size: row.size,
            created_at: epochFromJulianDay(row.created_at),
          }),
        );
    },

    listValues({ limit, offset }) {
      if (!exists) return [];
      return handle
        .all<{ data_key: string; size: number; created_at: number }>(
          `SELECT data_key, octet_length(data_value) AS size, created_at FROM ${data}
           ORDER BY created_at DESC LIMIT ? OFFSET ?`,
          limit,
          offset,
        )
        .map((row) => ({ data_key: row.data_key, size: row.size, created_at: epochFromJulianDay(row.created_at) }));
    },

    figures() {
      const none = { values: 0, bytes: 0, oldest: null, newest: null };
      if (!exists) return none;
      const row = handle.get<{ n: number; bytes: number | null; oldest: number | null; newest: number | null }>(
        `SELECT count(*) AS n, sum(octet_length(data_value)) AS bytes, min(created_at) AS oldest, max(created_at) AS newest FROM ${data}`,
      );
      if (row === undefined) return none;
      const instant = (day: number | null) => (day === null ? null : epochFromJulianDay(day));
      return { values: row.n, bytes: row.bytes ?? 0, oldest: instant(row.oldest), newest: instant(row.newest) };
    },
  };
}

/** The cut may fall inside a character; the decoder's replacement for that half character is dropped. */
function utf8Beginning(head: Uint8Array | string): string {
  return typeof head === "string" ? head : utf8(head).replace(/\uFFFD$/, "");
}
