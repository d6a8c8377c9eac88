import type { ShownException, ShownValue } from "../../api/model/values.ts";
import type { ClientDataRecord, CutMark } from "../../pynenc/records.ts";
import {
  type DisplayValue,
  displayBeginning,
  displayException,
  displayExceptionBeginning,
  displayValue,
  referencesIn,
} from "../../pynenc/values.ts";
import type { AppReads } from "../../stores/ports.ts";

/** Characters of a value that a page shows; the rest is a click or a flag away. */
export const SHOWN_CHARACTERS = 10_000;

/** Characters of a stored text that are looked at: a longer JSON text is shown as its beginning, not parsed on the way to a page. */
const PARSED_CHARACTERS = 200_000;

/** Resolves the references among these stored strings in one batched read and returns a function that shows any of them. */
export async function valueReader(
  reads: AppReads,
  stored: Iterable<string>,
  limit: number = SHOWN_CHARACTERS,
): Promise<(stored: string, mark?: CutMark) => ShownValue> {
  const behind = await valuesBehind(reads, stored, PARSED_CHARACTERS);
  return (text, mark) => shownValue(text, mark, behind, limit, PARSED_CHARACTERS);
}

/**
 * As `valueReader`, of stored exceptions: the one way in which pages, JSON, commands and lists read them.
 *
 * @param characters that are read of an object in the client data store. Of a longer one only the class name is known, which stands beside it.
 */
export async function exceptionReader(
  reads: AppReads,
  stored: Iterable<string>,
  limit: number = SHOWN_CHARACTERS,
  characters: number = PARSED_CHARACTERS,
): Promise<(stored: string, mark?: CutMark) => ShownException> {
  const behind = await valuesBehind(reads, stored, characters);
  return (text, { whole_size } = {}) => {
    if (whole_size !== undefined)
      return { exception: displayExceptionBeginning(text, whole_size, limit), resolved: null };
    const exception = displayException(text, limit, (reference) => behind.get(reference)?.text);
    const isReference = exception.data !== null && exception.value?.reference != null;
    return {
      exception,
      resolved: isReference ? shownValue(exception.data ?? "", {}, behind, limit, characters) : null,
    };
  };
}

/** The class name of a stored exception, which stands beside its object; `unreadable` where nothing can be read. */
export function exceptionName(stored: string, { whole_size }: CutMark = {}): string {
  const { error_name } =
    whole_size === undefined
      ? displayException(stored, NAME_CHARACTERS)
      : displayExceptionBeginning(stored, whole_size);
  return error_name;
}

const NAME_CHARACTERS = 500;

/** What the references among these stored strings stand for. */
async function valuesBehind(
  reads: AppReads,
  stored: Iterable<string>,
  characters: number,
): Promise<ReadonlyMap<string, ClientDataRecord>> {
  const references = referencesIn(stored);
  const found = references.length === 0 ? [] : await reads.client_data_store.valuesByKeys(references, characters);
  return new Map(found.map((row) => [row.data_key, row]));
}

function shownValue(
  text: string,
  mark: CutMark | undefined,
  behind: ReadonlyMap<string, ClientDataRecord>,
  limit: number,
  characters: number,
): ShownValue {
  const shown = shownText(text, mark?.whole_size, limit);
  if (shown.reference === null) return { stored: shown, resolved: null, dangling: false };
  const row = behind.get(shown.reference);
  if (row === undefined) return { stored: shown, resolved: null, dangling: true };
  const cut = row.text.length === characters;
  const resolved = cut ? displayBeginning(row.text, row.size, limit) : displayValue(row.text, limit);
  return { stored: shown, resolved, dangling: false };
}

/** @param wholeSize bytes, where the text is only a beginning. */
function shownText(text: string, wholeSize: number | undefined, limit: number): DisplayValue {
  if (wholeSize !== undefined) return displayBeginning(text, wholeSize, limit);
  if (text.length <= PARSED_CHARACTERS) return displayValue(text, limit);
  return displayBeginning(text.slice(0, PARSED_CHARACTERS), Buffer.byteLength(text), limit);
}
