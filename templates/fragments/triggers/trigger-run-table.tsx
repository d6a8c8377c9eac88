import type { ComponentChildren } from "preact";
import type { TriggerRunRow } from "../../../src/api/trigger-runs.ts";
import { NOTHING } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { InvocationStatus } from "../invocations/invocation-table.tsx";
import { TaskName } from "../invocations/task-name.tsx";
import { Id } from "../ui/id.tsx";
import { type RecordColumn, RecordTable } from "../ui/record-table.tsx";
import { Time } from "../ui/time.tsx";
import { Causes } from "./run-cause.tsx";

export interface TriggerRunTableProps {
  runs: readonly TriggerRunRow[];
  caption: string;
  /** Shown instead of an empty table. */
  empty: ComponentChildren;
  hide?: readonly ("task" | "trigger")[] | undefined;
  /** As of a `RecordTable`. */
  fields?: readonly string[] | undefined;
}

/** The one table of trigger runs. */
export function TriggerRunTable({ runs, caption, empty, hide = [], fields }: TriggerRunTableProps) {
  const links = useLinks();
  const columns: RecordColumn<TriggerRunRow>[] = [
    {
      label: "Run",
      of: ["trigger_run_id"],
      rowHeader: true,
      shown: true,
      cell: (run) => <Id value={run.trigger_run_id} href={links.triggerRun(run.trigger_run_id)} copy={false} />,
    },
    {
      label: "Executed",
      of: ["executed_at"],
      hint: "When the run started its invocation; empty if the run was claimed but never executed",
      shown: true,
      cell: (run) => <Executed run={run} />,
    },
    {
      label: "Cause",
      of: ["causes"],
      shown: true,
      cell: (run) => <Causes causes={run.causes} total={run.causes_count} />,
    },
    {
      label: "Task",
      of: ["task_id_key"],
      hint: "The task that the run started",
      shown: !hide.includes("task"),
      cell: ({ task_id_key: task }) => <TaskName task_id_key={task} href={links.task(task)} />,
    },
    {
      label: "Invocation",
      of: ["triggered_invocation"],
      hint: "What the run started",
      shown: true,
      cell: (run) => <Started run={run} />,
    },
    {
      label: "Trigger",
      of: ["trigger_id"],
      shown: !hide.includes("trigger"),
      roomy: true,
      cell: ({ trigger_id: id, trigger_registered }) => (
        <Id value={id} href={trigger_registered ? links.trigger(id) : undefined} copy={false} />
      ),
    },
  ];
  return (
    <RecordTable
      columns={columns}
      records={runs}
      keyOf={(run) => run.trigger_run_id}
      caption={caption}
      empty={empty}
      fields={fields}
      growing
    />
  );
}

function Started({ run: { triggered_invocation: row } }: { run: TriggerRunRow }) {
  const links = useLinks();
  if (row === null) return <span class="muted">{NOTHING}</span>;
  return (
    <span class="stacked">
      <Id value={row.invocation_id} href={links.invocation(row.invocation_id)} copy={false} />
      <InvocationStatus row={row} />
    </span>
  );
}

function Executed({ run: { executed_at, claimed_at } }: { run: TriggerRunRow }) {
  if (executed_at !== null || claimed_at === null) return <Time iso={executed_at} relative />;
  return (
    <span class="with-mark">
      <Time iso={claimed_at} relative />
      <span class="mark mark-warn" title="The run was claimed, but no execution is recorded">
        only claimed
      </span>
    </span>
  );
}
