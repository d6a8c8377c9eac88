/** Checks for verdicts periodically and reports those that appear or end. */
import type { AlarmRecord, KnownVerdict } from "../../alarms/alarm-file.ts";
import type { Severity, VerdictAlarm } from "../../api/verdicts.ts";
import { outgoing } from "../../config/masking.ts";
import { StoreUnreachableError } from "../../errors.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { FollowClock, Followed } from "../app/following.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { Appearances } from "../verdicts/appearances.ts";
import { currentVerdicts } from "./current-verdicts.ts";

/** Milliseconds between two checks. */
const INTERVAL = 10_000;

export interface VerdictChange extends Pick<VerdictAlarm, "change" | "as_of"> {
  /** One that ended is as it was last found. */
  verdict: KnownVerdict["verdict"];
}

export interface VerdictChangesOptions {
  severities: readonly Severity[];
  /** What an earlier run knew; null to begin anew and remember nothing. */
  record: AlarmRecord | null;
  /** Gets unexpected errors, and a warning if the record cannot be written. The checks go on. */
  log: { warn(words: string): void; error(words: string, error: unknown): void };
  every?: number;
}

/** Runs until it is stopped. Notes say when the store cannot be reached. */
export async function* verdictChanges(
  app: OpenedApp,
  { severities, record, log, every = INTERVAL }: VerdictChangesOptions,
  { sleep, stopped }: FollowClock,
): AsyncGenerator<Followed<VerdictChange>> {
  const appearances = new Appearances(isoFromEpoch(app.now()), record?.read() ?? null);
  let tried: string | null = null;
  let unreachable: string | null = null;
  while (!stopped.aborted) {
    try {
      const rows = await look();
      unreachable = null;
      if (stopped.aborted) return;
      // Before they are reported: rather none than twice.
      remember();
      if (rows.length > 0) yield { rows, notes: [] };
    } catch (error) {
      if (stopped.aborted) return;
      if (!(error instanceof StoreUnreachableError)) log.error("Checking for verdicts failed:", error);
      else if (error.message !== unreachable) {
        unreachable = error.message;
        yield { rows: [], notes: [unreachable] };
      }
    }
    await sleep(every);
  }

  async function look(): Promise<VerdictChange[]> {
    const { verdicts, not_looked_at, as_of } = await currentVerdicts(app);
    const alarming = verdicts.filter(({ severity }) => severities.includes(severity));
    const settled = await isSettled(app);
    const at = performance.now() / 1_000;
    const { appeared, ended } = appearances.look({ verdicts: alarming, not_looked_at, at, settled });
    return [
      ...appeared.map((verdict) => ({ change: "appeared" as const, as_of, verdict })),
      ...ended.map((verdict) => ({ change: "ended" as const, as_of, verdict })),
    ];
  }

  function remember(): void {
    const { known } = appearances;
    const keys = JSON.stringify(known.map(({ key }) => key).sort());
    if (record === null || keys === tried) return;
    tried = keys;
    try {
      record.write(known.map(({ verdict, ...rest }) => ({ ...rest, verdict: outgoing(verdict) })));
    } catch (error) {
      log.warn(`A restart may report verdicts again: they cannot be recorded (${(error as Error).message}).`);
    }
  }
}

async function isSettled({ rollups, now }: OpenedApp): Promise<boolean> {
  if (rollups === null) return true;
  return (await rollups.arrived({ from: now(), to: now(), patience: 0 })).reach.whole;
}
