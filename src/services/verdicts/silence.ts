/** Nothing happens any more although runners are active. */
import { counted, lasting } from "../../pynenc/numbers.ts";
import { utcText } from "../../pynenc/time.ts";
import type { AppFacts } from "./facts.ts";
import type { Finding } from "./finding.ts";

/** Seconds without an entry after which the day before is examined. */
export const MIN_SILENCE = 900;

/** How many times the longest gap of the day before a silence must last. */
const TIMES = 3;

/** Minimum entries in a day to know how long it is usually quiet. */
const MIN_ENTRIES = 100;

export function appSilent({ trends, active, now }: AppFacts): Finding | null {
  const silence = trends?.silence ?? null;
  if (silence === null || active === 0 || silence.entries < MIN_ENTRIES) return null;
  const quiet = now - silence.last_entry;
  if (quiet < MIN_SILENCE || quiet <= TIMES * silence.longest_gap_seconds) return null;
  return {
    code: "app_silent",
    severity: "warning",
    sentence: `Nothing registered or changed, although ${counted(active, "runner is", "runners are")} active`,
    detail: `The last entry of the history is from ${utcText(silence.last_entry)}. In the 24 h before, there were ${counted(silence.entries, "entry", "entries")}, at most ${lasting(silence.longest_gap_seconds)} apart. Check that the processes that call tasks still run and write to this store.`,
    since: silence.last_entry,
    evidence: [],
    count: 1,
  };
}
