/** Shows the progress of a slow search, one that no index answers, on a terminal. */
import { count } from "../../presentation/text.ts";
import { counted } from "../../pynenc/numbers.ts";
import type { WalkProgress } from "../../services/model/invocation-walk.ts";
import type { Output } from "./output.ts";

/** Interval in milliseconds. Most searches end before the first line is printed. */
const QUIET = 500;
const BETWEEN_LINES = 100;

/** Runs a search and removes the progress line at its end. */
export async function withProgress<T>(
  out: Output,
  search: (onProgress: WalkProgress) => Promise<T>,
  clock = () => performance.now(),
): Promise<T> {
  let due = clock() + QUIET;
  try {
    return await search((scanned, found) => {
      if (clock() < due) return;
      due = clock() + BETWEEN_LINES;
      out.progress(`Searched ${counted(scanned, "candidate")}, ${count(found)} found. Press Ctrl-C to stop.`);
    });
  } finally {
    out.progress("");
  }
}
