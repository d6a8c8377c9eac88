import type { ComponentChildren } from "preact";
import { type Part, partTitle } from "../../../src/presentation/facts/column.ts";
import { targetHref } from "../../../src/presentation/facts/fact.ts";
import { visible } from "../../../src/presentation/text.ts";
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
}

/** A table about a thing, in a card of its page. Renders nothing without rows, unless the part says what that means. */
export function PartCard({
  part,
  cells,
  empty = part.empty && <p class="muted">{visible(part.empty)}</p>,
  id,
  before,
}: PartCardProps) {
  const links = useLinks();
  const { columns, rows, keyOf, caption, hide, extra, note, all } = part;
  if (rows.length === 0 && !empty) return null;
  return (
    <Card
      title={partTitle(part)}
      id={id}
      flush={rows.length > 0}
      actions={all && rows.length > 0 && <a href={targetHref(links, all.to)}>{all.label}</a>}
    >
      {before}
      <ColumnTable
        columns={columns}
        records={rows}
        keyOf={keyOf}
        caption={caption}
        hide={hide}
        extra={extra}
        cells={cells}
        empty={empty}
      />
      {note && <p class="card-foot">{visible(note)}</p>}
    </Card>
  );
}
