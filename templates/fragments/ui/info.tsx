import type { ComponentChildren } from "preact";
import { TERMS } from "../../../src/presentation/terms.ts";

/** An explanation behind an "i", which opens without scripts. @param about what it explains, for screen readers. */
export function Info({ about, children }: { about: string; children: ComponentChildren }) {
  return (
    <details class="menu info">
      <summary aria-label={`About ${about}`}>i</summary>
      <div class="menu-panel">{children}</div>
    </details>
  );
}

/** The meaning of a word. @param term one of `TERMS`. */
export function TermInfo({ term }: { term: string }) {
  return <Info about={term}>{TERMS[term]}.</Info>;
}
