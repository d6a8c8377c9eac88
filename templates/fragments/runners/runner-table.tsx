import type { ComponentChildren } from "preact";
import type { RunnerList, RunnerRow } from "../../../src/api/runners.ts";
import type { BusyRunners } from "../../../src/api/stats.ts";
import { RUNNER_COLUMNS } from "../../../src/presentation/facts/runner.ts";
import { visibleLine } from "../../../src/presentation/text.ts";
import { heldWords, mainlyHeld } from "../../../src/pynenc/occupancy.ts";
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
  /** What they have taken and not finished; null if it is not known. */
  held: RunnerList["held"];
  /** As of a `ColumnTable`. */
  fields?: readonly string[] | undefined;
}

export function RunnerTable({ runners, busy, held, hide, ...table }: RunnerTableProps) {
  const links = useLinks();
  return (
    <ColumnTable
      {...table}
      columns={RUNNER_COLUMNS}
      cells={{
        now: (runner) => <Now runner={runner} runners={runners} held={held} />,
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

/** What a runner does, what it executes first: a parent works through the runners that it started. */
function Now({ runner, runners, held }: Pick<RunnerTableProps, "runners" | "held"> & { runner: RunnerRow }) {
  const links = useLinks();
  const { runner_id, active } = runner;
  const own = (held ?? []).filter((one) => one.runner_id === runner_id);
  const main = mainlyHeld(own);
  if (main !== undefined) {
    return (
      <a href={links.invocation(main.invocation_id)} title={visibleLine(main.task_id_key)}>
        <bdi>{visibleLine(heldWords(own))}</bdi>
      </a>
    );
  }
  // The list may have only some of its children, so they are not counted.
  if (runners.some(({ name }) => name.parent?.runner_id === runner_id)) return <>parent</>;
  return held === null || !active ? <Count value={null} /> : <>idle</>;
}
