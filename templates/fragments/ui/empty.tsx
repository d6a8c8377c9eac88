import type { ComponentChildren } from "preact";

export interface EmptyProps {
  /** What is not there: `No invocations match`. */
  title: string;
  /** Why, and what to do. */
  children?: ComponentChildren;
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="empty stack">
      <p class="empty-title">{title}</p>
      {children !== undefined && children !== false && <div class="empty-text">{children}</div>}
    </div>
  );
}
