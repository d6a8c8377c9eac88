import type { ComponentChildren } from "preact";

/** A link that looks like a button: where else to go from what a page is about. */
export function ButtonLink({ href, children }: { href: string; children: ComponentChildren }) {
  return (
    <a class="button" href={href}>
      {children}
    </a>
  );
}
