import type { AuditEntry, AuditPage } from "../../src/api/audit.ts";
import { VIA_WORDS } from "../../src/presentation/audit.ts";
import { visible, visibleLine } from "../../src/presentation/text.ts";
import { Card } from "../fragments/ui/card.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Info } from "../fragments/ui/info.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { NoRows, ViewPager } from "../fragments/ui/view-pager.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import type { View } from "./view.ts";

const TONES = { done: "mark mark-good", refused: "mark mark-warn", failed: "mark mark-bad" } as const;

/** What was changed, in whose name, and how it ended. */
export function AuditContent(view: View<AuditPage>) {
  const { entries, page, file, notes } = view.model;
  return (
    <>
      <PageHeader title="Audit">
        <Info about="the audit">
          <p>Actions on this app by this user, in the browser, with commands or through an assistant, newest first.</p>
          {file !== null && (
            <p>
              Kept in <bdi class="mono">{visibleLine(file)}</bdi>.
            </p>
          )}
        </Info>
      </PageHeader>
      <Notes notes={notes} tone="warn" />
      <Card title="Actions" flush>
        <DataTable
          caption="Actions, newest first"
          columns={[
            { label: "When" },
            { label: "Action", rowHeader: true },
            { label: "Outcome" },
            { label: "What happened" },
            { label: "Who", hint: "The shell user, or the address of the client" },
            { label: "Via" },
          ]}
          rows={entries.map((entry) => ({ key: entry.id, cells: cellsOf(entry) }))}
          empty={
            <NoRows page={page} view={view} title="No actions yet">
              Purges, auto-purges, reruns and requeues appear here.
            </NoRows>
          }
        />
        {entries.length > 0 && <ViewPager page={page} view={view} />}
      </Card>
    </>
  );
}

function cellsOf({ at, who, via, action, outcome, message }: AuditEntry) {
  return [
    <Time key="at" iso={at} relative />,
    visibleLine(action),
    <span key="outcome" class={TONES[outcome]}>
      {outcome}
    </span>,
    <span key="message" class="cell-text">
      {visible(message)}
    </span>,
    <bdi key="who" class="mono">
      {visibleLine(who)}
    </bdi>,
    VIA_WORDS[via],
  ];
}
