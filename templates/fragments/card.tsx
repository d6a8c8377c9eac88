import type { ComponentChildren } from "preact";

export interface CardProps {
  title: ComponentChildren;
  children: ComponentChildren;
  /** Links or buttons at the right of the title. */
  actions?: ComponentChildren;
  /** Anchor. */
  id?: string | undefined;
  /** No padding around the content: for a table that reaches the edges. */
  flush?: boolean | undefined;
}

/** A titled section of a page. */
export function Card({ title, children, actions, id, flush = false }: CardProps) {
  return (
    <section class={flush ? "card card-flush" : "card"} id={id}>
      <div class="card-header">
        <h2>{title}</h2>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      <div class="card-body">{children}</div>
    </section>
  );
}
