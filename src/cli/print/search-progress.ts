/** How far a search is that no index answers, for whoever waits for it on a terminal. */
import { count } from "../../presentation/text.ts";
import { counted } from "../../pynenc/numbers.ts";
import type { WalkProgress } from "../../services/model/invocation-walk.ts";
import type { Output } from "./output.ts";

/** Milliseconds. Most searches end before the first line. */
const QUIET = 500;
const BETWEEN_LINES = 100;

/** Runs a search; the line is removed when it has ended. */
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
