/** `--watch`: prints a list repeatedly in the same place. */
import { InvalidInputError, MonitorError } from "../../errors.ts";
import { visible } from "../../presentation/text.ts";
import { lengthOf } from "../../services/input/moment.ts";
import type { Flags } from "../flags.ts";
import type { Output } from "../print/output.ts";
import { time } from "../print/zone.ts";
import { pause, Screen } from "./screen.ts";

const SECONDS = 2;
const SHORTEST = 0.1;
const LONGEST = 3_600;

/** The interval of `--watch` in seconds. @throws InvalidInputError also if combined with output for programs. */
export function watchSeconds(flags: Flags, json: boolean): number {
  const given = String(flags.watch);
  const refuse = (parameter: string, value: string, accepted: string): never => {
    throw new InvalidInputError([{ parameter, value, accepted }]);
  };
  if (json) refuse("--json", "", "not allowed with --watch, which prints for people");
  for (const name of ["format", "follow"]) {
    const value = flags[name];
    if (value !== undefined) refuse(`--${name}`, String(value), "not allowed with --watch");
  }
  const asked = /^\d+(\.\d+)?$/.test(given) ? Number(given) : lengthOf(given);
  const seconds = flags.watch === true ? SECONDS : asked;
  if (seconds !== null && seconds >= SHORTEST && seconds <= LONGEST) return seconds;
  return refuse("--watch", given, `seconds from ${SHORTEST} to ${LONGEST}`);
}

/**
 * Prints a frame after each interval until the user quits with `q` or Ctrl-C. If a frame cannot be read because the store is
 * unreachable or locked, it says so; the next one may succeed.
 *
 * @param frame prints to the given output.
 * @throws MonitorError if the first frame fails
 */
export async function watched(
  seconds: number,
  output: () => Output,
  frame: (out: Output) => Promise<void>,
  now: () => number,
): Promise<void> {
  const first = await output().framed(frame);
  const screen = Screen.open("--watch", "Run the command without --watch.");
  try {
    screen.onKey(({ name }) => {
      if (name === "q" || name === "escape") screen.end();
    });
    let lines = first;
    const paint = () => screen.paint([headLine(seconds, now()), "", ...fitted(lines, screen.rows - 2)]);
    screen.onResize(paint);
    paint();
    while (await pause(screen, seconds * 1_000)) {
      lines = await output()
        .framed(frame)
        .catch((error: unknown) => {
          if (error instanceof MonitorError)
            return [visible(error.message), ...(error.hint ? [visible(error.hint)] : [])];
          throw error;
        });
      paint();
    }
  } finally {
    screen.close();
  }
}

function headLine(seconds: number, now: number): string {
  return `${time(new Date(now * 1_000).toISOString())}  every ${seconds} s; q ends`;
}

function fitted(lines: readonly string[], rows: number): readonly string[] {
  if (lines.length <= rows) return lines;
  const shown = Math.max(0, rows - 1);
  return [...lines.slice(0, shown), `(${lines.length - shown} more lines do not fit)`];
}
