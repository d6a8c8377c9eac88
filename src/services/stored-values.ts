import { type DisplayValue, displayValue, referencesIn } from "../pynenc/values.ts";
import type { AppReads } from "../stores/ports.ts";

/** A stored value ready to be shown: as it stands and, when it was externalised, the value behind the reference. */
export interface ShownValue {
  /** What the row holds. */
  stored: DisplayValue;
  /** The value behind a reference; null when `stored` is no reference or the reference dangles. */
  resolved: DisplayValue | null;
  /** A reference that is not in this store: the producer kept it in memory, or the client data was purged (storage.md 4.6). */
  dangling: boolean;
}

/** Characters of a value that a page shows; the rest is a click or a flag away. */
export const SHOWN_CHARACTERS = 10_000;

/** Characters of a stored text that are looked at: a longer JSON text is shown as its beginning, not parsed on the way to a page. */
const PARSED_CHARACTERS = 200_000;

/** Resolves the references among these stored strings in one batched read and returns a function that shows any of them. */
export async function valueReader(
  reads: AppReads,
  stored: Iterable<string>,
  limit: number = SHOWN_CHARACTERS,
): Promise<(stored: string) => ShownValue> {
  const references = referencesIn(stored);
  const found =
    references.length === 0 ? [] : await reads.client_data_store.valuesByKeys(references, PARSED_CHARACTERS);
  const byKey = new Map(found.map((row) => [row.data_key, row]));
  return (text) => {
    const shown = { ...displayValue(text.slice(0, PARSED_CHARACTERS), limit), size: text.length };
    if (shown.reference === null) return { stored: shown, resolved: null, dangling: false };
    const row = byKey.get(shown.reference);
    if (row === undefined) return { stored: shown, resolved: null, dangling: true };
    const resolved = displayValue(row.text, limit);
    const cut = row.text.length === PARSED_CHARACTERS;
    return {
      stored: shown,
      resolved: cut ? { ...resolved, size: row.size, truncated: true } : resolved,
      dangling: false,
    };
  };
}
