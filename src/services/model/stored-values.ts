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
import type { AppReads } from "../../stores/ports/store.ts";
import { EXCEPTION_BYTES } from "../../stores/value-limit.ts";

/** Characters of a value shown on a page. A link or a flag shows the rest. */
export const SHOWN_CHARACTERS = 10_000;

/** Characters read of a stored text. A longer JSON text is shown unparsed and cut. */
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
 * As `valueReader`, for stored exceptions. Pages, JSON, commands and lists all use it.
 *
 * @param characters read of a value in the client data store; a longer one is cut.
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
    const exception = displayException(text, limit, (reference) => {
      const row = behind.get(reference);
      return row && { text: row.text, cut: row.text.length === characters };
    });
    const isReference = exception.data !== null && exception.value?.reference != null;
    return {
      exception,
      resolved: isReference ? shownValue(exception.data ?? "", {}, behind, limit, characters) : null,
    };
  };
}

/**
 * Class names of the exceptions of these invocations, by the same rule wherever exceptions are counted, searched or listed. Invocations without
 * a stored exception are absent. One batched read.
 */
export async function exceptionNames(
  reads: AppReads,
  invocationIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (invocationIds.length === 0) return new Map();
  const rows = await reads.state_backend.exceptionsOf(invocationIds, EXCEPTION_BYTES);
  return new Map(
    rows.map(({ invocation_id, stored, whole_size }) => {
      const shown =
        whole_size === undefined
          ? displayException(stored, EXCEPTION_BYTES)
          : displayExceptionBeginning(stored, whole_size, EXCEPTION_BYTES);
      return [invocation_id, shown.error_name];
    }),
  );
}

/** Resolves the references among these stored strings. */
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

/** @param wholeSize bytes, if the text is only the beginning. */
function shownText(text: string, wholeSize: number | undefined, limit: number): DisplayValue {
  if (wholeSize !== undefined) return displayBeginning(text, wholeSize, limit);
  if (text.length <= PARSED_CHARACTERS) return displayValue(text, limit);
  return displayBeginning(text.slice(0, PARSED_CHARACTERS), Buffer.byteLength(text), limit);
}
