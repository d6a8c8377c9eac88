import type { ComponentChildren } from "preact";

type Attributes = Record<`data-${string}`, string | number | undefined>;

export interface LinkedProps extends Attributes {
  /** Null in a drawing that leaves the monitor: there the same marks are in a plain group. */
  href: string | null;
  class: string;
  children: ComponentChildren;
}

/** A mark that links to the page of what it represents. */
export function Linked({ href, children, ...attributes }: LinkedProps & { children: ComponentChildren }) {
  return href === null ? (
    <g {...attributes}>{children}</g>
  ) : (
    <a href={href} {...attributes}>
      {children}
    </a>
  );
}
