import type { ClientDataOverview } from "../../api/components.ts";
import { NotFoundError } from "../../errors.ts";
import { clientDataInput } from "../../inputs/components.ts";
import { CLIENT_DATA_PREFIX, isClientDataReference } from "../../pynenc/identifiers.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import { displayBeginning, displayValue } from "../../pynenc/values.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { pageOf, sliceOf } from "../input/paging.ts";
import { settingRows } from "../model/setting-rows.ts";

/** A looked-up value may be longer than one that is part of another page. */
const LOOKUP_CHARACTERS = 200_000;

/**
 * Figures, a page of values, and the value of `reference` if given.
 *
 * @throws InvalidInputError, NotFoundError if the reference is not in this store.
 */
export async function clientDataOverview(app: OpenedApp, raw: RawInput): Promise<ClientDataOverview> {
  const input = parseInput(clientDataInput, raw);
  const reference = input.reference ?? null;
  const wanted = { number: input.page, size: input.limit };
  const figures = await app.memo("client data figures", (reads) => reads.client_data_store.figures());
  return app.store.read(async (reads) => {
    const [{ components }, listed, found] = await Promise.all([
      reads.layout.capabilities(),
      reads.client_data_store.listValues(sliceOf(wanted)),
      reference === null ? [] : reads.client_data_store.valuesByKeys([reference], LOOKUP_CHARACTERS),
    ]);
    if (reference !== null && found[0] === undefined) {
      throw new NotFoundError("client data value", reference, whyMissing(reference, components.client_data_store));
    }
    const { rows, page } = pageOf(listed, wanted, figures.values);
    const lookup = found[0];
    return {
      present: components.client_data_store,
      values: figures.values,
      bytes: figures.bytes,
      oldest: isoOrNull(figures.oldest),
      newest: isoOrNull(figures.newest),
      rows: rows.map((row) => ({ data_key: row.data_key, size: row.size, stored_at: isoOrNull(row.created_at) })),
      page,
      looked_up:
        lookup === undefined
          ? null
          : {
              data_key: lookup.data_key,
              size: lookup.size,
              stored_at: isoOrNull(lookup.created_at),
              value:
                lookup.text.length === LOOKUP_CHARACTERS
                  ? displayBeginning(lookup.text, lookup.size, LOOKUP_CHARACTERS)
                  : displayValue(lookup.text, LOOKUP_CHARACTERS),
            },
      settings: settingRows(
        app.settings,
        [
          "client_data_store_cls",
          "disable_client_data_store",
          "min_size_to_cache",
          "max_size_to_cache",
          "local_cache_size",
          "warn_threshold",
          "compression_enabled",
        ],
        components,
      ),
    };
  });
}

function whyMissing(reference: string, present: boolean): string {
  // The digits alone are accepted if they belong to an existing reference.
  if (!isClientDataReference(reference) && !/^[0-9a-f]{64}$/.test(reference)) {
    return `A reference is ${CLIENT_DATA_PREFIX}<sha256>; the 64 hex digits alone are enough.`;
  }
  return present
    ? "It may have been purged, or the process that made it kept it in memory only (MemClientDataStore)."
    : "This store has no client data: the app keeps large values in the memory of its processes (MemClientDataStore).";
}
