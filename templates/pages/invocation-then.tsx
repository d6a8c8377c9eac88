import type { FamilyPicture, FamilyRow } from "../../src/api/causes.ts";
import { PATH_PHASE_WORDS } from "../../src/presentation/critical-path.ts";
import { StatusBadge } from "../fragments/invocations/status-badge.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { FamilyPictureCard } from "../fragments/timeline/family-figure.tsx";
import { ButtonLink } from "../fragments/ui/button-link.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Duration } from "../fragments/ui/duration.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Time } from "../fragments/ui/time.tsx";
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
        <Stretches stretches={row?.stretches ?? []} />
      </Card>
      {picture.rows.length > 1 && <FamilyPictureCard picture={picture} />}
    </>
  );
}

function Stretches({ stretches }: Pick<FamilyRow, "stretches">) {
  const links = useLinks();
  return (
    <DataTable
      caption="What it had done, the earliest first"
      columns={[
        { label: "Phase", rowHeader: true },
        { label: "From" },
        { label: "Time", align: "end" },
        { label: "Attempt", align: "end" },
        { label: "Runner" },
      ]}
      rows={stretches.map(({ phase, from, duration_seconds: seconds, attempt, runner_id }, index) => ({
        key: String(index),
        cells: [
          PATH_PHASE_WORDS[phase],
          <Time key="from" iso={from} />,
          <Duration key="time" seconds={seconds} />,
          <Count key="attempt" value={attempt} />,
          runner_id === null ? null : <Id key="runner" value={runner_id} href={links.runner(runner_id)} copy={false} />,
        ],
      }))}
      empty={<Empty title="No status change until then is stored" />}
    />
  );
}
