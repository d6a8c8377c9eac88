import type { BusyRunners, Trends } from "../../../src/api/stats.ts";
import { count, duration, NOTHING } from "../../../src/presentation/text.ts";
import { counted } from "../../../src/pynenc/numbers.ts";
import { Sparkline } from "../../svg/time-chart.tsx";
import { Count } from "../ui/count.tsx";

/** What one task finished in a range, as a link to its statistics. @param trends null if there are no figures over time */
export function TaskTrend({
  trends,
  task,
  label,
  href,
}: {
  trends: Trends | null;
  task: string;
  /** The range. */
  label: string;
  href: string;
}) {
  const row = trends?.rows.find((one) => one.task_id_key === task);
  if (trends === null) return <NotKnown />;
  const { finished, failed } = row ?? { finished: [0], failed: [] };
  return (
    <a class="trend-link" href={href}>
      <Count value={finished.reduce((sum, number) => sum + number, 0)} />
      <Sparkline values={failed} of={finished} label={label} />
    </a>
  );
}

function NotKnown() {
  return (
    <span class="muted" title="Not known: the history of the range has not been read yet" data-unread>
      {NOTHING}
    </span>
  );
}

/** What one runner had running in a range, as a link to its statistics. @param busy null if it is not known */
export function BusyTrend({
  busy,
  runner,
  label,
  href,
}: {
  busy: BusyRunners | null;
  runner: string;
  /** The range. */
  label: string;
  href: string;
}) {
  const row = busy?.rows.find((one) => one.runner_id === runner);
  if (busy == null || row === undefined) return <NotKnown />;
  const { running } = row;
  const slices = running.filter((number) => number > 0).length;
  const words =
    slices === 0
      ? "ran nothing"
      : `ran something in ${count(slices)} of ${count(running.length)} bars of ${duration(busy.slice_seconds)}, at most ${counted(Math.max(...running), "invocation")} in one`;
  return (
    <a class="trend-link" href={href}>
      <Sparkline values={[]} of={running} label={label} words={words} />
    </a>
  );
}
