/** Log lines with what the store knows about the ids in them. An assistant can only read the files that the user allowed. */

import { basename } from "node:path";
import type { LogLine, LogLines } from "../../api/logs.ts";
import { versioned } from "../../api/version.ts";
import { logFilterInput } from "../../inputs/logs.ts";
import type { LogEntry } from "../../log-lines/model.ts";
import { LogReader } from "../../log-lines/reader.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { parseInput, type RawInput } from "../../services/input/input.ts";
import { logFilter, logLine, meetsLogFilter } from "../../services/logs/log-entries.ts";
import { NOTHING_RESOLVED, resolveReferences } from "../../services/logs/log-references.ts";
import { taskKeys } from "../../services/model/task-keys.ts";
import { assertLogFile, wholeLog } from "../log-source.ts";

/** Maximum number of entries in one answer. */
const ENTRIES = 500;
/** Maximum number of characters of one entry. */
const CHARACTERS = 4_000;

/** The files by the names an assistant uses: their file names, with a number if two are the same. */
export function logNames(files: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const file of files) {
    const name = basename(file);
    let own = name;
    for (let n = 2; names.has(own); n++) own = `${name} (${n})`;
    names.set(own, file);
  }
  return names;
}

/**
 * @param file path of the log; null for pasted lines.
 * @param filter which entries, as for the log explorer.
 * @throws InvalidInputError
 */
export async function readLogLines(
  app: OpenedApp,
  file: string | null,
  pasted: string,
  filter: RawInput,
): Promise<LogLines> {
  const meets = meetsLogFilter(logFilter(parseInput(logFilterInput, filter)), NOTHING_RESOLVED);
  const reader = new LogReader(Number.POSITIVE_INFINITY);
  let last: LogEntry[] = [];
  let matching = 0;
  const take = (entries: readonly LogEntry[]) => {
    const found = entries.filter(meets);
    matching += found.length;
    last = [...last, ...found].slice(-ENTRIES);
  };
  if (file === null) take(reader.read(pasted));
  else {
    // Another file may have its name by now. A pipe would keep all later answers waiting.
    await assertLogFile("file", file);
    for await (const piece of wholeLog(file)) take(reader.read(piece));
  }
  take(reader.end());
  const keys = await taskKeys(app);
  const resolved = await app.store.read((reads) => resolveReferences(reads, last, keys));
  return { lines: last.map((entry) => versioned(logLine(entry, resolved, CHARACTERS)) as LogLine), matching };
}
