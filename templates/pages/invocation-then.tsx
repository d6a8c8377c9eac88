import type { FamilyPicture, FamilyRow } from "../../src/api/causes.ts";
import { PATH_PHASE_WORDS } from "../../src/presentation/critical-path.ts";
import { type Column, countColumn, idColumn, secondsColumn, timeColumn } from "../../src/presentation/facts/column.ts";
import { ColumnTable } from "../fragments/facts/column-table.tsx";
import { StatusBadge } from "../fragments/invocations/status-badge.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { FamilyPictureCard } from "../fragments/timeline/family-figure.tsx";
import { ButtonLink } from "../fragments/ui/button-link.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";

/** An invocation at an instant of the past: its status, what it had done, and its family. */
export function InvocationThen({ picture }: { picture: FamilyPicture }) {
  const links = useLinks();
  const row = picture.rows.find(({ focus }) => focus);
  const task = row?.invocation?.task_id_key ?? null;
  return (
    <>
      <PageHeader
        title={task === null ? "Invocation" : <TaskName task_id_key={task} href={links.task(task)} />}
        trail={[{ label: "Invocations", href: links.invocations() }]}
        summary={<Id value={picture.focus_id} full />}
        actions={<ButtonLink href={links.timeline({ inv_ids: picture.focus_id })}>Timeline</ButtonLink>}
      >
        {row?.invocation != null && (
          <span class="badge">
            <StatusBadge status={row.invocation.status} />
          </span>
        )}
      </PageHeader>
      <Card title="What it had done" flush>
        <ColumnTable
          caption="What it had done, the earliest first"
          columns={STRETCH_COLUMNS}
          records={row?.stretches ?? []}
          keyOf={(_, index) => String(index)}
          empty={<Empty title="No status change until then is stored" />}
        />
      </Card>
      {picture.rows.length > 1 && <FamilyPictureCard picture={picture} />}
    </>
  );
}

const STRETCH_COLUMNS: readonly Column<FamilyRow["stretches"][number]>[] = [
  { of: ["phase"], label: "Phase", value: ({ phase }) => PATH_PHASE_WORDS[phase] },
  timeColumn("from", "From", { instants: true }),
  secondsColumn("duration_seconds", "Time"),
  countColumn("attempt", "Attempt"),
  idColumn("runner_id", "Runner", "runner"),
];
