import { type ComponentChildren, Fragment, h } from "preact";
import { useParts } from "../../parts.ts";

export interface CardProps {
  title: ComponentChildren;
  children: ComponentChildren;
  /** Links or buttons at the right of the title. */
  actions?: ComponentChildren;
  /** Anchor; by default derived from the title. */
  id?: string | undefined;
  /** No padding around the content: for a table that reaches the edges. */
  flush?: boolean | undefined;
}

/** A titled section of a page. */
export function Card({ title, children, actions, id, flush = false }: CardProps) {
  const content = useParts([h(Fragment, null, children)], 1);
  // "0 tasks" above "No task is stored" would say it twice, but a section without a heading is not found by those who go from heading to heading.
  const hidden = typeof title === "string" && title.startsWith("0 ") ? "visually-hidden" : undefined;
  return (
    <section class={flush ? "card card-flush" : "card"} id={id ?? anchor(title)}>
      <div class={actions === undefined ? (hidden ?? "card-header") : "card-header"}>
        <h2 class={hidden}>{title}</h2>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      <div class="card-body">{content}</div>
    </section>
  );
}

/**
 * The id lets a refresh find the card even if something appears above it; otherwise the card would be recreated, and what the viewer
 * opened or focused in it would be lost. Numbers change between refreshes, so they are left out.
 */
function anchor(title: ComponentChildren): string | undefined {
  if (typeof title !== "string") return undefined;
  return `card-${(title.toLowerCase().match(/[a-z]+/g) ?? []).join("-")}`;
}
