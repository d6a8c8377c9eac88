import type { ComponentChildren } from "preact";
import type { RunnerName as Name } from "../../../src/api/model/runner-names.ts";
import type { RunnerRow } from "../../../src/api/runners.ts";
import { NOTHING, visibleLine } from "../../../src/presentation/text.ts";
import { consumedQueues } from "../queue/queue-health-table.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Duration } from "../ui/duration.tsx";
import { Time } from "../ui/time.tsx";
import { RunnerName } from "./runner-name.tsx";
import { AtomicEligibility, RunnerState } from "./runner-state.tsx";

export interface RunnerTableProps {
  runners: readonly RunnerRow[];
  caption: string;
  empty: ComponentChildren;
  /** Columns to leave out because all rows have the same value. */
  hide?: readonly ("state" | "parent")[] | undefined;
}

export function RunnerTable({ runners, caption, empty, hide = [] }: RunnerTableProps) {
  const state = !hide.includes("state");
  const parent = !hide.includes("parent");
  const queues = runners.some((runner) => runner.consumed_queues !== null);
  return (
    <DataTable
      caption={caption}
      columns={[
        { label: "Runner", rowHeader: true },
        ...(state ? [{ label: "State" }] : []),
        ...(parent ? [{ label: "Parent", hint: "The runner that started this one" }] : []),
        { label: "Host:process" },
        ...(queues ? [{ label: "Queues", hint: "Queues it takes messages from" }] : []),
        { label: "Last heartbeat" },
        { label: "First heartbeat" },
        { label: "Lifetime", align: "end" as const, hint: "From the first heartbeat to the last" },
        { label: "Atomic service", hint: "Whether it takes turns running triggers and recovery" },
      ]}
      rows={runners.map((runner) => ({
        key: runner.runner_id,
        cells: [
          <NamedRunner key="name" name={runner.name} />,
          ...(state ? [<RunnerState key="state" runner={runner} />] : []),
          ...(parent
            ? [
                runner.name.parent === null ? (
                  <Nothing key="parent" />
                ) : (
                  <NamedRunner key="parent" name={runner.name.parent} />
                ),
              ]
            : []),
          <Host key="place" name={runner.name} />,
          ...(queues
            ? [
                runner.consumed_queues === null ? (
                  <Nothing key="queues" />
                ) : (
                  <span key="queues">{consumedQueues(runner.consumed_queues)}</span>
                ),
              ]
            : []),
          <Time key="last" iso={runner.last_heartbeat} relative />,
          <Time key="first" iso={runner.created_at} relative />,
          <Duration key="lifetime" seconds={runner.age_seconds} />,
          <AtomicEligibility key="atomic" eligible={runner.atomic_service_eligible} />,
        ],
      }))}
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
