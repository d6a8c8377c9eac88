import type { LogEntry } from "../../src/log-lines/model.ts";
import { LogReader } from "../../src/log-lines/reader.ts";

/** All of a log at once. */
export function parseLog(log: string): { entries: LogEntry[]; limited: boolean } {
  const reader = new LogReader();
  const entries = [...reader.read(log), ...reader.end()];
  return { entries, limited: reader.limited };
}
