import type { LogLineReference } from "../../src/api/logs.ts";
import type { LogEntry } from "../../src/log-lines/model.ts";
import { LogReader } from "../../src/log-lines/reader.ts";
import type { OpenedApp } from "../../src/services/app/opened-app.ts";
import { exploreLog, parseLogInput } from "../../src/services/logs/log-explorer.ts";

/** All of a log at once. */
export function parseLog(log: string): { entries: LogEntry[]; limited: boolean } {
  const reader = new LogReader();
  const entries = [...reader.read(log), ...reader.end()];
  return { entries, limited: reader.limited };
}

/** References of the first entry: where they stand, and what they are. */
export async function named(app: OpenedApp, log: string): Promise<[shown: string, reference: string][]> {
  const { entries } = await exploreLog(app, parseLogInput({ log: [log] }));
  return (entries[0]?.references ?? []).map((one: LogLineReference) => [
    (entries[0]?.text ?? "").slice(one.start, one.end),
    `${one.kind} ${one.id} ${one.state}`,
  ]);
}
