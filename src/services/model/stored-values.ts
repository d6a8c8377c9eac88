import type { ShownException, ShownValue } from "../../api/model/values.ts";
import type { ClientDataRecord, CutMark } from "../../pynenc/records.ts";
import {
  type DisplayValue,
  displayBeginning,
  displayException,
  displayExceptionBeginning,
  displayValue,
  exceptionName,
  referencesIn,
} from "../../pynenc/values.ts";
import type { StoredOutcome } from "../../stores/ports/state-backend.ts";
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

/** The result and the exception of one invocation; it may have both if it was retried. */
export function outcomeOf(stored: readonly StoredOutcome[]): { result?: StoredOutcome; exception?: StoredOutcome } {
  return Object.fromEntries(stored.map((one) => [one.kind, one]));
}

/**
 * Class names of the exceptions of these invocations, by the same rule wherever exceptions are counted, searched or listed. Invocations without
 * a stored exception are absent. One batched read, or two if some names come late.
 */
export async function exceptionNames(
  reads: AppReads,
  invocationIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (invocationIds.length === 0) return new Map();
  const names = new Map<string, string>();
  const read = async (ids: readonly string[], bytes: number) => {
    const rows = ids.length === 0 ? [] : await reads.state_backend.outcomesOf(["exception"], ids, bytes);
    return rows.flatMap(({ invocation_id, stored, whole_size }) => {
      const name = exceptionName(stored, whole_size !== undefined, EXCEPTION_BYTES);
      if (name !== null) names.set(invocation_id, name);
      return name === null ? [{ invocation_id, stored, whole_size }] : [];
    });
  };
  const unnamed = await read(invocationIds, NAME_BYTES);
  const ids = unnamed.map(({ invocation_id }) => invocation_id);
  for (const { invocation_id, stored, whole_size } of await read(ids, EXCEPTION_BYTES)) {
    names.set(invocation_id, displayExceptionBeginning(stored, whole_size ?? 0, EXCEPTION_BYTES).error_name);
  }
  return names;
}

/** Bytes of a stored exception in which its name nearly always ends: pynenc writes it first. */
const NAME_BYTES = 400;

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
