import type { Recent as RecentModel } from "../../../src/api/stats.ts";
import { asFarAsRead, count, percentage } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { Sparkline } from "../../svg/time-chart.tsx";
import { TaskName } from "../invocations/task-name.tsx";
import { Card } from "../ui/card.tsx";
import { Count } from "../ui/count.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Duration } from "../ui/duration.tsx";
import { Empty } from "../ui/empty.tsx";
import { Notes } from "../ui/notes.tsx";
import { Time } from "../ui/time.tsx";
import { FailureName } from "./failure-name.tsx";
import { StatsStrip } from "./stats-strip.tsx";

/** What happened in a range of time: charts, the tasks that failed most, and the most frequent failures. */
export function Recent({ recent }: { recent: RecentModel | null }) {
  const links = useLinks();
  if (recent === null) return null;
  const { entries, total, from, to, newest, notes } = recent;
  const range = { from, to };
  const quiet = entries === 0;
  return (
    <section aria-label="What happened">
      <p class="page-summary">
        <Time iso={from} /> to <Time iso={to} />: {count(total.finished)} finished, {count(total.failed)} failed
        {total.failed_share !== null && ` (${percentage(total.failed_share)})`}, {count(total.retries)} retried.{" "}
        <a href={links.stats(range)}>Statistics</a>
        {quiet && newest !== null && (
          <>
            {" "}
            The newest history entry is from <Time iso={newest} relative />.
          </>
        )}
      </p>
      <Notes notes={notes} />
      {!quiet && (
        <>
          <StatsStrip stats={recent} href={(slice) => links.dashboard(slice)} />
          <div class="columns">
            <TasksNow recent={recent} />
            <FailuresNow recent={recent} />
          </div>
        </>
      )}
    </section>
  );
}

function TasksNow({ recent }: { recent: RecentModel }) {
  const links = useLinks();
  const { tasks, from, to } = recent;
  return (
    <Card title="Tasks, failing first" flush actions={<a href={links.stats({ from, to })}>All</a>}>
      <DataTable
        caption="Tasks of the range, those that failed most first"
        columns={[
          { label: "Task", rowHeader: true },
          { label: "Finished", align: "end" },
          { label: "Failed", align: "end" },
          { label: "Run p95", align: "end" },
        ]}
        rows={tasks.map((row) => ({
          key: row.task_id_key ?? "",
          cells: [
            <TaskName key="name" task_id_key={row.task_id_key ?? null} href={links.task(row.task_id_key ?? "")} />,
            <Count key="finished" value={row.finished} />,
            <Count key="failed" value={row.failed} />,
            <Duration key="run" seconds={row.run.p95} />,
          ],
        }))}
        empty={<Empty title={`No task was at work${asFarAsRead(recent)}`} />}
      />
    </Card>
  );
}

function FailuresNow({ recent }: { recent: RecentModel }) {
  const links = useLinks();
  const { groups, groups_total, from, to } = recent;
  const all = groups_total > groups.length ? `All ${count(groups_total)}` : "Failures";
  return (
    <Card title="Most frequent failures" flush actions={<a href={links.failures({ from, to })}>{all}</a>}>
      <DataTable
        caption="Groups of failures, those that failed most first"
        columns={[
          { label: "Failure", rowHeader: true },
          { label: "Failed", align: "end" },
          { label: "Retried", align: "end" },
          { label: "Trend", hint: "Of both" },
        ]}
        rows={groups.map((group) => ({
          key: JSON.stringify([group.task_id_key, group.type, group.message]),
          cells: [
            <FailureName key="name" group={group} range={recent} />,
            <Count key="failed" value={group.failed} />,
            <Count key="retries" value={group.retries} />,
            <Sparkline key="trend" values={group.trend} label="Trend" />,
          ],
        }))}
        empty={<Empty title={`Nothing failed${asFarAsRead(recent)}`} />}
      />
    </Card>
  );
}
