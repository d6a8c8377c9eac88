/** Externalised values (storage-format.md 11.3). */
import type { ClientDataRecord } from "../../../pynenc/records.ts";
import type { ClientDataReads } from "../../ports/client-data.ts";
import { inChunks } from "../../server/chunks.ts";
import { singleItemOf } from "../collections/chunk-form.ts";
import { instantOrNull, text } from "../collections/fields.ts";
import { findIn } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Document } from "../server/db.ts";

/** The one item of a document. */
const ITEM = "data";

/** Documents read at once: each may have 16 MB. */
const VALUES = 100;

/** Values whose sizes are added up; those of more are estimated by them. */
const MEASURED = 1_000;
const MEASURED_BYTES = 10_000_000;

export function clientDataReads(reading: MongoReading): ClientDataReads {
  const values = reading.of("client_data_store", "values");
  const chunks = reading.of("client_data_store", "chunks");
  const record = async (stored: Document, bytes: number): Promise<ClientDataRecord> => {
    const data_key = text(stored.cache_key);
    const created_at = instantOrNull(stored.created_at);
    const value = await singleItemOf(stored, ITEM, chunks, data_key, bytes);
    const size = value?.whole_size ?? Buffer.byteLength(value?.text ?? "");
    return { data_key, text: value?.text ?? "", size, created_at };
  };

  return {
    async valuesByKeys(references, maxCharacters) {
      const records: ClientDataRecord[] = [];
      for (const some of inChunks([...new Set(references)], VALUES)) {
        for (const stored of await findIn(values, "cache_key", some)) {
          // UTF-8 needs at most four bytes per character, so this many bytes always contain the wanted characters.
          const found = await record(stored, maxCharacters * 4);
          records.push({ ...found, text: found.text.slice(0, maxCharacters) });
        }
      }
      return records;
    },

    async listValues({ limit, offset }) {
      const found = await values.find({}, { sort: { created_at: -1 }, skip: offset, limit });
      const records = await Promise.all(found.map((stored) => record(stored, 0)));
      return records.map(({ data_key, size, created_at }) => ({ data_key, size, created_at }));
    },

    /** A server before 4.4 cannot tell the size of a value, so the newest ones are read. */
    async figures() {
      const newestFirst = { sort: { created_at: -1 } } as const;
      const [count, some, last] = await Promise.all([
        values.count({}),
        values.find({}, { ...newestFirst, limit: MEASURED, bytes: MEASURED_BYTES }),
        values.findOne({}, { sort: { created_at: 1 }, only: { created_at: 1 } }),
      ]);
      const sizes = await Promise.all(some.map(async (stored) => (await record(stored, 0)).size));
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      return {
        values: count,
        bytes: some.length === 0 ? 0 : Math.round((bytes * Math.max(count, some.length)) / some.length),
        oldest: instantOrNull(last?.created_at),
        newest: instantOrNull(some[0]?.created_at),
      };
    },
  };
}
