import type { ComponentChildren } from "preact";
import type { RunnerName as Name } from "../../../src/api/model/runner-names.ts";
import type { RunnerRow } from "../../../src/api/runners.ts";
import type { BusyRunners } from "../../../src/api/stats.ts";
import { NOTHING, visibleLine } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { consumedQueues } from "../queue/queue-health-table.tsx";
import { BUSY_HOUR, BusyHour } from "../stats/last-hour.tsx";
import { Duration } from "../ui/duration.tsx";
import { type RecordColumn, RecordTable } from "../ui/record-table.tsx";
import { Time } from "../ui/time.tsx";
import { RunnerName } from "./runner-name.tsx";
import { AtomicEligibility, RunnerState } from "./runner-state.tsx";

export interface RunnerTableProps {
  runners: readonly RunnerRow[];
  caption: string;
  empty: ComponentChildren;
  /** Columns to leave out because all rows have the same value. */
  hide?: readonly ("state" | "parent")[] | undefined;
  /** What they ran in the last hour; null where it is not known, absent where it is not shown. */
  busy?: BusyRunners | null;
  /** As of a `RecordTable`. */
  fields?: readonly string[] | undefined;
}

/** Whether the column of queues is shown by default: most apps have no queues of their own. */
export function haveQueues(runners: readonly RunnerRow[]): boolean {
  return runners.some((runner) => runner.consumed_queues !== null);
}

export function RunnerTable({ runners, caption, empty, hide = [], busy, fields }: RunnerTableProps) {
  const links = useLinks();
  const columns: RecordColumn<RunnerRow>[] = [
    {
      label: "Runner",
      of: ["runner_id"],
      rowHeader: true,
      shown: true,
      cell: (runner) => <NamedRunner name={runner.name} />,
    },
    {
      label: "State",
      of: ["active"],
      shown: !hide.includes("state"),
      cell: (runner) => <RunnerState runner={runner} />,
    },
    {
      label: "Parent",
      of: ["parent"],
      hint: "The runner that started this one",
      shown: !hide.includes("parent"),
      cell: ({ name: { parent } }) => (parent === null ? <Nothing /> : <NamedRunner name={parent} />),
    },
    { label: "Host:process", of: ["host"], shown: true, cell: (runner) => <Host name={runner.name} /> },
    {
      label: "Queues",
      of: ["consumed_queues"],
      hint: "Queues it takes messages from",
      shown: haveQueues(runners),
      cell: ({ consumed_queues: queues }) => (queues === null ? <Nothing /> : <span>{consumedQueues(queues)}</span>),
    },
    {
      ...BUSY_HOUR,
      of: ["busy"],
      // Without figures over time it is there only for those who chose it.
      shown: busy != null,
      cell: ({ runner_id }) => (
        <BusyHour busy={busy ?? null} runner={runner_id} href={links.stats({ runner: runner_id, range: "1h" })} />
      ),
    },
    {
      label: "Last heartbeat",
      of: ["last_heartbeat"],
      shown: true,
      cell: (runner) => <Time iso={runner.last_heartbeat} relative />,
    },
    {
      label: "First heartbeat",
      of: ["created_at"],
      shown: true,
      cell: (runner) => <Time iso={runner.created_at} relative />,
    },
    {
      label: "Lifetime",
      of: ["age_seconds"],
      align: "end",
      hint: "From the first heartbeat to the last",
      shown: true,
      cell: (runner) => <Duration seconds={runner.age_seconds} />,
    },
    {
      label: "Atomic service",
      of: ["atomic_service_eligible"],
      hint: "Whether it takes turns running triggers and recovery",
      shown: true,
      cell: (runner) => <AtomicEligibility eligible={runner.atomic_service_eligible} />,
    },
  ];
  return (
    <RecordTable
      columns={columns}
      fields={fields}
      records={runners}
      keyOf={(runner) => runner.runner_id}
      caption={caption}
      empty={empty}
    />
  );
}

/** A runner as view models carry it. */
export function NamedRunner({ name }: { name: Name }) {
  return (
    <RunnerName
      runner_id={name.runner_id}
      runner_cls={name.runner_cls}
      hostname={name.hostname}
      pid={name.pid}
      missing={name.context_missing}
    />
  );
}

function Host({ name }: { name: Name }) {
  const parts = [name.hostname, name.pid].filter((part) => part !== null && part !== "");
  return parts.length === 0 ? <Nothing /> : <bdi>{visibleLine(parts.join(":"))}</bdi>;
}

function Nothing() {
  return <span class="muted">{NOTHING}</span>;
}
