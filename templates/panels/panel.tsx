import type { ComponentChildren } from "preact";
import type { TimelineQuery } from "../../src/api/model/common.ts";
import { count } from "../../src/presentation/text.ts";
import { type Fact, Facts } from "../fragments/ui/facts.tsx";
import { useLinks } from "../links.ts";

export interface PanelProps {
  /** What it is: `Invocation`. */
  kind: string;
  title: ComponentChildren;
  /** Beside the title: a badge. */
  state?: ComponentChildren;
  /** Address of its own page. */
  page: string;
  /** The window that shows it; null when none of it has a time. */
  timeline: TimelineQuery | null;
  /** Further ways to go. */
  actions?: ComponentChildren;
  facts: readonly Fact[];
  children?: ComponentChildren;
}

/** What is selected in the timeline, in the panel beside it (client/timeline/panel.ts). Its own page has all of it. */
export function Panel({ kind, title, state, page, timeline, actions, facts, children }: PanelProps) {
  const links = useLinks();
  return (
    <article class="panel">
      <p class="panel-kind">{kind}</p>
      <h2 class="panel-title">
        {title} {state}
      </h2>
      <div class="actions">
        <a class="button panel-page" href={page}>
          Full details
        </a>
        {timeline !== null && (
          <a class="button" href={links.timeline({ ...timeline })} data-zoom="">
            Zoom to it
          </a>
        )}
        {actions}
      </div>
      <Facts rows={facts} />
      {children}
    </article>
  );
}

export function PanelPart({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="panel-part">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** How much of a list a panel leaves out. */
export function MoreInDetails({ shown, of, cut = false }: { shown: number; of: number; cut?: boolean }) {
  if (of <= shown) return null;
  return (
    <p class="muted">
      and {cut && "at least "}
      {count(of - shown)} more: see the full details
    </p>
  );
}
