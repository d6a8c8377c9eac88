import type { ActionEntry } from "../../src/services/action-log.ts";
import { Card } from "../fragments/card.tsx";
import { DataTable } from "../fragments/data-table.tsx";
import { Empty } from "../fragments/empty.tsx";
import { Time } from "../fragments/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { visible, visibleLine } from "../text.ts";
import type { View } from "./view.ts";

const TONES = { done: "mark mark-good", refused: "mark mark-warn", failed: "mark mark-bad" } as const;

/** What this process changed, in whose name. */
export function ActionsContent({ model }: View<{ actions: readonly ActionEntry[] }>) {
  return (
    <>
      <PageHeader
        title="Actions"
        summary="What was changed through this monitor since it was started, newest first; also written to its log."
      />
      <Card title="Actions" flush>
        <DataTable
          caption="Actions, newest first"
          columns={[
            { label: "When" },
            { label: "Who", hint: "The address that asked" },
            { label: "App" },
            { label: "Action", rowHeader: true },
            { label: "Outcome" },
            { label: "What happened" },
          ]}
          rows={model.actions.map((entry) => ({
            key: entry.id,
            cells: [
              <Time key="at" iso={entry.at} />,
              <bdi key="who" class="mono">
                {visibleLine(entry.who)}
              </bdi>,
              <bdi key="app">{visibleLine(entry.app_id)}</bdi>,
              entry.action,
              <span key="outcome" class={TONES[entry.outcome]}>
                {entry.outcome}
              </span>,
              <span key="message" class="cell-text">
                {visible(entry.message)}
              </span>,
            ],
          }))}
          empty={
            <Empty title="Nothing was changed">
              <p>Purges, auto-purges and reruns of this process appear here.</p>
            </Empty>
          }
        />
      </Card>
    </>
  );
}
