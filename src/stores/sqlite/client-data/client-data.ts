import type { ClientDataRecord } from "../../../pynenc/records.ts";
import type { ClientDataReads } from "../../ports/client-data.ts";
import type { Sync } from "../calls/sync.ts";
import { beginning, julianInstant, number, text, withoutSplitCharacter } from "../tables/columns.ts";
import type { Queries } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";

/** Externalised values (storage-format.md 3.5). */
export function clientDataReads(handle: Queries, tables: AppTables): Sync<ClientDataReads> {
  const exists = tables.has("client_data_store", "data");
  const data = tables.sql("client_data_store", "data");
  return {
    valuesByKeys(references, maxCharacters) {
      if (!exists || references.length === 0) return [];
      // UTF-8 needs at most four bytes per character, so this many bytes always contain the wanted characters.
      return handle
        .all(
          `SELECT data_key, ${beginning("data_value", maxCharacters * 4)} AS head, octet_length(data_value) AS size, created_at
           FROM ${data} WHERE data_key IN (SELECT value FROM json_each(?))`,
          JSON.stringify(references),
        )
        .map(
          (row): ClientDataRecord => ({
            data_key: text(row.data_key),
            text: withoutSplitCharacter(text(row.head)).slice(0, maxCharacters),
            size: bytes(row.size),
            created_at: julianInstant(row.created_at),
          }),
        );
    },

    listValues({ limit, offset }) {
      if (!exists) return [];
      return handle
        .all(
          `SELECT data_key, octet_length(data_value) AS size, created_at FROM ${data}
           ORDER BY created_at DESC LIMIT ? OFFSET ?`,
          limit,
          offset,
        )
        .map((row) => ({
          data_key: text(row.data_key),
          size: bytes(row.size),
          created_at: julianInstant(row.created_at),
        }));
    },

    figures() {
      const none = { values: 0, bytes: 0, oldest: null, newest: null };
      if (!exists) return none;
      const row = handle.get(
        `SELECT count(*) AS n, sum(octet_length(data_value)) AS bytes, min(created_at) AS oldest, max(created_at) AS newest FROM ${data}`,
      );
      if (row === undefined) return none;
      return {
        values: number(row.n),
        bytes: bytes(row.bytes),
        oldest: julianInstant(row.oldest),
        newest: julianInstant(row.newest),
      };
    },
  };
}

/** SQLite has no length of NULL. */
function bytes(size: unknown): number {
  return typeof size === "number" ? size : 0;
}
