/** `--follow` of lists: prints a JSON line for each new row, until Ctrl-C. */
import { setTimeout as wait } from "node:timers/promises";
import { versioned } from "../api/version.ts";
import type { FollowClock, Followed } from "../services/app/following.ts";
import { conflict } from "./exported.ts";
import { camelCase, type Flags } from "./flags.ts";
import { terminalSafeJson } from "./print/json.ts";
import type { Output } from "./print/output.ts";
import { streamed } from "./print/stream.ts";

/** Whether `--follow` is given. @param others names of flags that filter stored rows. @throws InvalidInputError */
export function asksToFollow(flags: Flags, others: readonly string[]): boolean {
  if (flags.follow !== true) return false;
  for (const name of others) {
    const value = flags[camelCase(name)];
    if (value !== undefined)
      throw conflict(`--${name}`, String(value), "not allowed with --follow, which prints only what is new");
  }
  return true;
}

export async function printFollowed<Row extends object>(
  follow: (clock: FollowClock) => AsyncIterable<Followed<Row>>,
  out: Output,
): Promise<void> {
  const stopped = untilStopped();
  const sleep = (milliseconds: number) => wait(milliseconds, undefined, { signal: stopped }).catch(() => undefined);
  const lines = async function* () {
    for await (const { rows, notes } of follow({ sleep, stopped })) {
      out.say(...notes);
      if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(versioned(row))}\n`).join("");
    }
  };
  await streamed(lines(), terminalSafeJson);
}

/** Ends following cleanly on SIGINT and SIGTERM. */
export function untilStopped(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());
  return stop.signal;
}
