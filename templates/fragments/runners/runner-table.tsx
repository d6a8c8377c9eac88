import type { ComponentChildren } from "preact";
import type { RunnerList, RunnerRow } from "../../../src/api/runners.ts";
import type { BusyRunners } from "../../../src/api/stats.ts";
import { RUNNER_COLUMNS, runnerState } from "../../../src/presentation/facts/runner.ts";
import { visibleLine } from "../../../src/presentation/text.ts";
import { heldWords, mainlyHeld } from "../../../src/pynenc/occupancy.ts";
import { figuresRange, useRangeWords } from "../../layout/time-menu.tsx";
import { useLinks } from "../../links.ts";
import { ColumnTable } from "../facts/column-table.tsx";
import { FactValueView } from "../facts/fact-value.tsx";
import { BusyTrend } from "../stats/trend-links.tsx";
import { Count } from "../ui/count.tsx";
import { Id } from "../ui/id.tsx";
import { Time } from "../ui/time.tsx";

export interface RunnerTableProps {
  /** Listed first: they fell silent with something unfinished. */
  silent: readonly RunnerRow[];
  runners: readonly RunnerRow[];
  caption: string;
  empty: ComponentChildren;
  /** Names of columns to leave out because all rows have the same value. */
  hide: readonly string[];
  /** What they ran in the range; null if it is not known. */
  busy: BusyRunners | null;
  /** What they have taken and not finished; null if it is not known. */
  held: RunnerList["held"];
  /** When idle ones last let go of an invocation; null if it is not known. */
  idleSince: RunnerList["idle_since"];
  /** As of a `ColumnTable`. */
  fields?: readonly string[] | undefined;
}

export function RunnerTable({ silent, runners: heard, busy, held, idleSince, hide, ...table }: RunnerTableProps) {
  const links = useLinks();
  const range = useRangeWords(figuresRange(busy));
  const runners = [...silent, ...heard];
  return (
    <ColumnTable
      {...table}
      columns={RUNNER_COLUMNS}
      cells={{
        now: (runner) => (
          <>
            <Now runner={runner} runners={runners} held={held} idleSince={idleSince} />
            {silent.includes(runner) && <Silence of={runner} />}
          </>
        ),
        parent: ({ name: { parent } }) =>
          parent === null ? (
            <Count value={null} />
          ) : (
            <Id value={parent.runner_id} href={links.runner(parent.runner_id)} copy={false} />
          ),
        busy: ({ runner_id }) => (
          <BusyTrend
            busy={busy}
            runner={runner_id}
            label={range}
            href={links.stats({ ...links.timeRange, runner: runner_id })}
          />
        ),
      }}
      hide={hide}
      records={runners}
      keyOf={(runner) => runner.runner_id}
    />
  );
}

/** What a runner does, what it executes first: a parent works through the runners that it started. */
function Now({
  runner,
  runners,
  held,
  idleSince,
}: Pick<RunnerTableProps, "runners" | "held" | "idleSince"> & { runner: RunnerRow }) {
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
  if (held === null || !active) return <Count value={null} />;
  const since = idleSince?.find((one) => one.runner_id === runner_id)?.at;
  return (
    <>
      idle{" "}
      {since === undefined ? (
        <span class="muted" title="The newest history entries do not show what it did last">
          since not known
        </span>
      ) : (
        <Time iso={since} relative="for" />
      )}
    </>
  );
}

/** That a runner fell silent with what it holds, and how long ago. */
function Silence({ of }: { of: RunnerRow }) {
  return (
    <>
      {" "}
      <FactValueView value={runnerState(of)} cell />
      {of.last_heartbeat !== null && (
        <div class="small">
          no heartbeat <Time iso={of.last_heartbeat} relative="for" />
        </div>
      )}
    </>
  );
}
