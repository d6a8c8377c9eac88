/** The store has a layout that this monitor, or the programs of the app, do not know. */
import type { AppFacts } from "./facts.ts";
import type { Finding } from "./finding.ts";

export function layoutTroubled({ layout: { mixed, unknown } }: AppFacts): Finding | null {
  const sentences = [...mixed, ...unknown];
  if (sentences.length === 0) return null;
  return {
    code: "layout_trouble",
    severity: mixed.length > 0 ? "error" : "warning",
    sentence:
      mixed.length > 0
        ? "The store mixes tables of two pynenc versions"
        : "This monitor knows only part of this store's layout",
    detail: sentences.join(" "),
    since: null,
    evidence: [],
    count: sentences.length,
  };
}
