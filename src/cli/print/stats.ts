/** Notes for a time range in which nothing was found. */
import type { Stats } from "../../api/stats.ts";
import { age, asFarAsRead } from "../../presentation/text.ts";
import { epochFromIso } from "../../pynenc/time.ts";
import { time } from "./zone.ts";

/** @param words what did not happen: `Nothing failed`. */
export function nothingThen(
  { from, to, newest, complete }: Pick<Stats, "from" | "to" | "newest" | "complete">,
  now: number,
  words: string,
): string[] {
  const lines = [`${words} from ${time(from)} to ${time(to)}${asFarAsRead({ complete })}.`];
  if (newest === null) return [...lines, "No history yet."];
  const at = epochFromIso(newest) ?? now;
  if (newest >= from) return lines;
  const days = Math.max(1, Math.ceil((now - at) / 86_400));
  return [...lines, `The newest history entry is from ${age(now - at)}: --since ${days}d reaches back that far.`];
}
