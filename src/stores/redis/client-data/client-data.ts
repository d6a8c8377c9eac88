import type { ClientDataRecord } from "../../../pynenc/records.ts";
import type { ClientDataReads } from "../../ports/client-data.ts";
import { inChunks } from "../../server/chunks.ts";
import type { RedisReading } from "../keys/reading.ts";
import { numberOf } from "../server/db.ts";

/** Most values whose sizes are added up. */
const MAX_SIZES = 10_000;

/** Values read per step. */
const STEP = 100;

/** Externalised values (storage-format.md 4.6, 9.2). Redis keeps no times for them, so they are listed by reference. */
export function clientDataReads(reading: RedisReading): ClientDataReads {
  const db = reading.db("client_data_store");
  const keyOf = (reference: string) => reading.keys.key("client_data_store", "client_data_store", reference);
  const sizesOf = async (references: readonly string[]) =>
    (await db.exchange(references.map((reference) => ["STRLEN", keyOf(reference)]))).map(numberOf);

  return {
    async valuesByKeys(references, maxCharacters) {
      const found: ClientDataRecord[] = [];
      // UTF-8 needs at most four bytes per character, so a character split by the cut is beyond the wanted ones.
      const end = String(Math.max(0, maxCharacters * 4 - 1));
      for (const some of inChunks([...new Set(references)], STEP)) {
        const replies = await db.exchange(
          some.flatMap((reference) => [
            ["STRLEN", keyOf(reference)],
            ["GETRANGE", keyOf(reference), "0", end],
          ]),
        );
        for (const [i, data_key] of some.entries()) {
          const [size, head] = [numberOf(replies[2 * i]), replies[2 * i + 1]];
          // Serialized texts are never empty: no bytes means no value.
          if (size === 0 || typeof head !== "string") continue;
          found.push({ data_key, text: head.slice(0, maxCharacters), size, created_at: null });
        }
      }
      return found;
    },

    async listValues({ limit, offset }) {
      const { names } = await reading.catalogue.names("client_data");
      const references = names.slice(offset, offset + limit);
      const sizes = await sizesOf(references);
      // A value deleted since the names were read has no size.
      return references.flatMap((data_key, i) => (sizes[i] ? [{ data_key, size: sizes[i], created_at: null }] : []));
    },

    /** Above 10,000 values, bytes are estimated from the first ones. References are hashes, so these are a random sample. */
    async figures() {
      const { names, total } = await reading.catalogue.names("client_data");
      const some = names.slice(0, MAX_SIZES);
      const bytes = (await sizesOf(some)).reduce((sum, size) => sum + size, 0);
      const share = some.length === 0 ? 0 : total / some.length;
      return { values: total, bytes: Math.round(bytes * share), oldest: null, newest: null };
    },
  };
}
