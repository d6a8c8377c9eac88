import type { StorageFigure } from "../../../src/api/model/common.ts";
import { bytes, count, NOTHING, visibleLine } from "../../../src/presentation/text.ts";
import { Card } from "../ui/card.tsx";
import { Count } from "../ui/count.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";

/** Tables that are not folded. */
const SHOWN = 10;

/** Rows and bytes by table or family of keys, the largest first, and their sum. The component is named if there are several. */
export function StorageFigures({ figures, caption }: { figures: readonly StorageFigure[]; caption: string }) {
  const bySize = [...figures].sort((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0) || b.rows - a.rows);
  const sizes = figures.flatMap((figure) => (figure.bytes === null ? [] : [figure.bytes]));
  const several = figures.some(({ component }) => component !== figures[0]?.component);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return (
    <Card
      title="What is stored"
      flush
      actions={
        sizes.length > 0 && (
          <span class="muted">
            {sizes.length < figures.length && "at least "}
            {bytes(total)} in all
          </span>
        )
      }
    >
      <Figures figures={bySize.slice(0, SHOWN)} several={several} caption={caption} />
      {bySize.length > SHOWN && (
        <details class="more-rows" id="more-tables">
          <summary>{count(bySize.length - SHOWN)} smaller</summary>
          <Figures figures={bySize.slice(SHOWN)} several={several} caption={`${caption}, continued`} />
        </details>
      )}
    </Card>
  );
}

function Figures({
  figures,
  several,
  caption,
}: {
  figures: readonly StorageFigure[];
  several: boolean;
  caption: string;
}) {
  return (
    <DataTable
      caption={caption}
      columns={[
        { label: "Name", rowHeader: true },
        ...(several ? [{ label: "Component" }] : []),
        { label: "Rows", align: "end" },
        { label: "Size", align: "end", hint: "With its indexes, if the store reports it" },
      ]}
      rows={figures.map((figure) => ({
        key: `${figure.component} ${figure.name}`,
        cells: [
          <code key="name">{visibleLine(figure.name)}</code>,
          ...(several ? [figure.component.replaceAll("_", " ")] : []),
          <Count key="rows" value={figure.rows} about={!figure.exact} />,
          figure.bytes === null ? (
            <span key="bytes" class="muted">
              {NOTHING}
            </span>
          ) : (
            <span key="bytes" class="number">
              {bytes(figure.bytes)}
            </span>
          ),
        ],
      }))}
      empty={<Empty title="There is no data in this store" />}
    />
  );
}
