import type { ComponentChildren } from "preact";

/** An explanation behind an "i", which opens without scripts. @param about what it explains, for screen readers. */
export function Info({ about, children }: { about: string; children: ComponentChildren }) {
  return (
    <details class="menu info">
      <summary aria-label={`About ${about}`}>i</summary>
      <div class="menu-panel">{children}</div>
    </details>
  );
}
