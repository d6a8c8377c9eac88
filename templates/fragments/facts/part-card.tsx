import type { ComponentChildren } from "preact";
import { type Part, partTitle } from "../../../src/presentation/facts/column.ts";
import { targetHref } from "../../../src/presentation/facts/fact.ts";
import { count, visible } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { Card } from "../ui/card.tsx";
import { ColumnTable, type ColumnTableProps } from "./column-table.tsx";

export interface PartCardProps extends Pick<ColumnTableProps<object>, "cells"> {
  part: Part;
  /** Shown without rows, instead of what the part says then. */
  empty?: ComponentChildren;
  /** Anchor of the card, if its title is not enough. */
  id?: string;
  /** Above the table. */
  before?: ComponentChildren;
  /** Rows that are shown; the others are in the whole list if the part names one, and else behind a click. */
  first?: number;
}

/** A table about a thing, in a card of its page. Renders nothing without rows, unless the part says what that means. */
export function PartCard({
  part,
  cells,
  empty = part.empty && <p class="muted">{visible(part.empty)}</p>,
  id,
  before,
  first = part.rows.length,
}: PartCardProps) {
  const links = useLinks();
  const { columns, rows, keyOf, caption, hide, extra, note, all } = part;
  if (rows.length === 0 && !empty) return null;
  const table = (records: typeof rows, from = 0) => (
    <ColumnTable
      columns={columns}
      records={records}
      keyOf={(row, index) => keyOf(row, from + index)}
      caption={caption}
      hide={hide}
      extra={extra}
      cells={cells}
      empty={empty}
    />
  );
  return (
    <Card
      title={partTitle(part)}
      id={id}
      flush={rows.length > 0}
      actions={all && rows.length > 0 && <a href={targetHref(links, all.to)}>{all.label}</a>}
    >
      {before}
      {table(rows.slice(0, first))}
      {rows.length > first && all === undefined && (
        <details class="more-rows">
          <summary>{count(rows.length - first)} more</summary>
          {table(rows.slice(first), first)}
        </details>
      )}
      {note && <p class="card-foot">{visible(note)}</p>}
    </Card>
  );
}
