import type { ComponentChildren } from "preact";
import type { RunnerRow } from "../../../src/api/runners.ts";
import type { BusyRunners } from "../../../src/api/stats.ts";
import { RUNNER_COLUMNS } from "../../../src/presentation/facts/runner.ts";
import { useLinks } from "../../links.ts";
import { ColumnTable } from "../facts/column-table.tsx";
import { BusyHour } from "../stats/last-hour.tsx";
import { Count } from "../ui/count.tsx";
import { Id } from "../ui/id.tsx";

export interface RunnerTableProps {
  runners: readonly RunnerRow[];
  caption: string;
  empty: ComponentChildren;
  /** Names of columns to leave out because all rows have the same value. */
  hide: readonly string[];
  /** What they ran in the last hour; null if it is not known. */
  busy: BusyRunners | null;
  /** As of a `ColumnTable`. */
  fields?: readonly string[] | undefined;
}

export function RunnerTable({ runners, busy, hide, ...table }: RunnerTableProps) {
  const links = useLinks();
  return (
    <ColumnTable
      {...table}
      columns={RUNNER_COLUMNS}
      cells={{
        parent: ({ name: { parent } }) =>
          parent === null ? (
            <Count value={null} />
          ) : (
            <Id value={parent.runner_id} href={links.runner(parent.runner_id)} copy={false} />
          ),
        busy: ({ runner_id }) => (
          <BusyHour busy={busy} runner={runner_id} href={links.stats({ runner: runner_id, range: "1h" })} />
        ),
      }}
      hide={hide}
      records={runners}
      keyOf={(runner) => runner.runner_id}
    />
  );
}
