import type { ComponentChildren } from "preact";
import { useLinks } from "../links.ts";

export interface PageHeaderProps {
  /** The page's h1: text, or a `TaskName` or `Id`. */
  title: ComponentChildren;
  /** Ancestors, nearest last. */
  trail?: readonly { label: ComponentChildren; href: string }[] | undefined;
  /** One line under the title. */
  summary?: ComponentChildren;
  /** Beside the title: a badge. */
  children?: ComponentChildren;
  actions?: ComponentChildren;
}

export function PageHeader({ title, trail = [], summary, children, actions }: PageHeaderProps) {
  const links = useLinks();
  return (
    <div class="page-header stack">
      {trail.length > 0 && (
        <nav class="trail" aria-label="Breadcrumb">
          <ol class="row small">
            {trail.map((step) => (
              <li key={step.href}>
                <a href={links.keeping(step.href)}>{step.label}</a>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <div class="page-title row">
        <h1>{title}</h1>
        {children}
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      {summary !== undefined && <p class="page-summary muted">{summary}</p>}
    </div>
  );
}
