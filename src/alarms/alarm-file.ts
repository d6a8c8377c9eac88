/**
 * Verdicts that an alarm has already reported, so that none is reported twice after a restart: one JSON document in a file in the user's home, never
 * next to a store.
 */
import { join } from "node:path";
import type { Verdict } from "../api/verdicts.ts";
import { readRegularFile, replaceRegularFile } from "../regular-file.ts";

/** Larger files are ignored: this program never writes one. */
const MAX_BYTES = 4_194_304;

/** The apps whose alarms changed last are kept. */
const MAX_APPS = 100;

/** A verdict that was there at the last check. */
export interface KnownVerdict {
  /** Identifies it across checks. */
  key: string;
  verdict: Omit<Verdict, "next">;
  /** What was not examined when it was last found, as in `not_looked_at` of `VerdictList`. */
  not_looked_at: string[];
}

/** The verdicts of one app of one store. */
interface AppAlarms {
  app_id: string;
  location: string;
  known: KnownVerdict[];
}

/** What an alarm remembers between two runs of the program. */
export interface AlarmRecord {
  /** Null if nothing was recorded yet, or the file cannot be read. */
  read(): KnownVerdict[] | null;
  /** @throws UnusableFileError if something else has the name of the file; errors of node:fs. */
  write(known: readonly KnownVerdict[]): void;
}

export function alarmPath(folder: string): string {
  return join(folder, "alarms.json");
}

/** @param folder created when the first verdict is written. */
export function alarmRecord(folder: string, { app_id, location }: Omit<AppAlarms, "known">): AlarmRecord {
  const path = alarmPath(folder);
  const isOwn = (one: AppAlarms) => one.app_id === app_id && one.location === location;
  return {
    read: () => appsIn(path).find(isOwn)?.known ?? null,
    write(known) {
      // Read again: another monitor may have written about another app.
      const others = appsIn(path).filter((one) => !isOwn(one));
      const apps = [{ app_id, location, known }, ...others].slice(0, MAX_APPS);
      replaceRegularFile(path, `${JSON.stringify({ apps })}\n`);
    },
  };
}

/** The file can contain anything, because other programs can write to it. */
function appsIn(path: string): AppAlarms[] {
  try {
    const { apps } = JSON.parse(readRegularFile(path, MAX_BYTES).toString("utf8")) as { apps?: unknown };
    return Array.isArray(apps) ? apps.filter(isAppAlarms) : [];
  } catch {
    return [];
  }
}

function isAppAlarms(one: Partial<AppAlarms> | null): one is AppAlarms {
  return (
    typeof one?.app_id === "string" &&
    typeof one.location === "string" &&
    Array.isArray(one.known) &&
    one.known.every(isKnown)
  );
}

function isKnown(one: Partial<KnownVerdict> | null): boolean {
  const { code, severity, sentence, evidence } = one?.verdict ?? {};
  return (
    [one?.key, code, severity, sentence].every((text) => typeof text === "string") &&
    Array.isArray(evidence) &&
    Array.isArray(one?.not_looked_at)
  );
}
