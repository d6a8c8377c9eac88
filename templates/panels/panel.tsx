import type { ComponentChildren } from "preact";
import type { TimelineQuery } from "../../src/api/model/common.ts";
import { chosenColumns, type Part, partTitle } from "../../src/presentation/facts/column.ts";
import { type FactGroup, type FactValue, fact, isAbsent, shortFacts } from "../../src/presentation/facts/fact.ts";
import { count, visible } from "../../src/presentation/text.ts";
import { FactValueView } from "../fragments/facts/fact-value.tsx";
import { ThingFacts } from "../fragments/facts/thing-facts.tsx";
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
  /** What is asked for first: what went wrong, what it was given, why. */
  first?: ComponentChildren;
  /** Further ways to go. */
  actions?: ComponentChildren;
  id: string;
  facts: readonly FactGroup[];
  /** Keys of facts that title and state say. */
  hide?: readonly string[];
  children?: ComponentChildren;
}

/** What is selected in the timeline, in the panel beside it (client/timeline/panel.ts). Its own page has all of it. */
export function Panel({
  kind,
  title,
  state,
  page,
  timeline,
  first,
  actions,
  id,
  facts,
  hide = [],
  children,
}: PanelProps) {
  const links = useLinks();
  return (
    <article class="panel stack">
      <p class="panel-kind small">{kind}</p>
      <h2 class="panel-title row">
        {title} {state}
      </h2>
      {links.at !== null && <p class="muted">As it is now, not as of the instant above.</p>}
      {first}
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
      <ThingFacts
        facts={[fact("id", "Id", { id, full: true }), ...shortFacts(facts).filter(({ key }) => !hide.includes(key))]}
      />
      {children}
    </article>
  );
}

export function PanelPart({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="panel-part stack">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** How much of a list a panel leaves out. */
function MoreInDetails({ shown, of, cut = false }: { shown: number; of: number; cut?: boolean }) {
  if (of <= shown) return null;
  return (
    <p class="muted">
      and {cut && "at least "}
      {count(of - shown)} more: see the full details
    </p>
  );
}

/** Rows shown of each list; the page has more. */
const SHOWN = 20;

/** A table about a thing, each row on one line. Renders nothing without rows. */
export function PanelTable({ part }: { part: Part }) {
  const { rows, keyOf, total, empty } = part;
  if (rows.length === 0 && empty === undefined) return null;
  const columns = chosenColumns(part.columns, part).filter(({ page, roomy }) => !page && !roomy);
  return (
    <PanelPart title={partTitle(part)}>
      {rows.length === 0 && <p class="muted">{visible(empty ?? "")}</p>}
      <ul class="panel-list">
        {rows.slice(0, SHOWN).map((row, index) => (
          <li key={keyOf(row, index)}>
            {columns
              .map(({ of: [name], value }) => ({ name, said: value(row) }))
              .filter(({ said }) => !isAbsent(said) || isWords(said))
              .map(({ name, said }) => (
                <FactValueView key={name} value={ofDay(said)} copy={false} />
              ))}
          </li>
        ))}
      </ul>
      <MoreInDetails shown={SHOWN} of={total?.count ?? rows.length} cut={total?.capped === true} />
    </PanelPart>
  );
}

/** Muted words such as `met no condition` say something; a dash does not. */
function isWords(value: FactValue): boolean {
  return value !== null && typeof value === "object" && "text" in value;
}

/** A panel has no room for dates. */
function ofDay(value: FactValue): FactValue {
  return value !== null && typeof value === "object" && "time" in value ? { ...value, of_day: true } : value;
}
