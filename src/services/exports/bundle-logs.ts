/** Extracts log entries about some invocations. */
import { maskText } from "../../config/masked-text.ts";
import type { LogEntry } from "../../log-lines/model.ts";
import { LogReader } from "../../log-lines/reader.ts";

export interface BundledLog {
  file: string;
  /** Each with all its lines, secrets masked. */
  entries: { line: number; text: string }[];
  /** Number of entries in the file that name one of the invocations. */
  found: number;
}

/** Limit of entries per log. */
const ENTRIES = 2_000;
/** Limit of characters per entry. */
const CHARACTERS = 4_000;

/** Entries that name one of these ids, from the start of the log. Entries beyond the limit are only counted. */
export async function logsAbout(
  ids: ReadonlySet<string>,
  file: string,
  pieces: AsyncIterable<string>,
): Promise<BundledLog> {
  const log: BundledLog = { file, entries: [], found: 0 };
  const reader = new LogReader(Number.POSITIVE_INFINITY);
  const take = (entries: readonly LogEntry[]) => {
    for (const entry of entries) {
      if (!names(entry, ids)) continue;
      log.found++;
      const { line, text } = entry;
      if (log.entries.length >= ENTRIES) continue;
      const masked = maskText(text);
      log.entries.push({ line, text: masked.length > CHARACTERS ? `${masked.slice(0, CHARACTERS)}…` : masked });
    }
  };
  for await (const piece of pieces) take(reader.read(piece));
  take(reader.end());
  return log;
}

function names({ context, marks }: LogEntry, ids: ReadonlySet<string>): boolean {
  const own = context?.invocation_id ?? null;
  return (own !== null && ids.has(own)) || marks.some((mark) => mark.kind !== "status" && ids.has(mark.id));
}
