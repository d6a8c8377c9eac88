import type { FailureGroup, Recent } from "../../../src/api/stats.ts";
import { asFarAsRead, count } from "../../../src/presentation/text.ts";
import { counted } from "../../../src/pynenc/numbers.ts";
import { useLinks } from "../../links.ts";
import { Sparkline } from "../../svg/time-chart.tsx";
import { TaskName } from "../invocations/task-name.tsx";
import { Card } from "../ui/card.tsx";
import { Count } from "../ui/count.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Duration } from "../ui/duration.tsx";
import { Empty } from "../ui/empty.tsx";
import { Id } from "../ui/id.tsx";
import { Time } from "../ui/time.tsx";
import { FailureName, FIRST_SEEN_HINT } from "./failure-name.tsx";

const MOST_FIRST = { now: "descending" } as const;

/** What failed in a range of time: by what it failed with, and by task. Retries are in neither. */
export function Failing({ recent }: { recent: Recent }) {
  return (
    <div class="columns failing">
      <FailureGroups recent={recent} />
      <FailingTasks recent={recent} />
    </div>
  );
}

function FailureGroups({ recent }: { recent: Recent }) {
  const links = useLinks();
  const { groups_failed: total } = recent;
  const groups = recent.groups.filter(({ failed }) => failed > 0);
  const all = total > groups.length ? `All ${count(total)}` : "All";
  return (
    <Card title="Failures by group" flush actions={<a href={links.failures(links.timeRange)}>{all}</a>}>
      <DataTable
        caption="Groups of failures, the most frequent first"
        columns={[
          { label: "Failure", rowHeader: true, speaking: true },
          { label: "Failed", align: "end", sort: MOST_FIRST },
          { label: "Trend", hint: "Over the range, the end at the right" },
          { label: "First seen", hint: FIRST_SEEN_HINT },
          { label: "Example", hint: "The newest" },
        ]}
        rows={groups.map((group) => ({
          key: JSON.stringify([group.task_id_key, group.type, group.message]),
          cells: [
            <FailureName key="name" group={group} range={recent} />,
            <Count key="failed" value={group.failed} />,
            <Trend key="trend" group={group} />,
            <Time key="first" iso={group.ever.first_seen} relative="at" />,
            <Example key="example" group={group} />,
          ],
        }))}
        empty={<Empty title={`Nothing failed${asFarAsRead(recent)}`} />}
      />
    </Card>
  );
}

/** Failures and retries are not counted apart over time. */
function Trend({ group: { trend, retries } }: { group: FailureGroup }) {
  if (retries > 0) return <Count value={null} />;
  return <Sparkline values={trend} label="Trend" />;
}

/** The newest of a group. */
function Example({
  group: {
    invocation_ids: [id],
  },
}: {
  group: FailureGroup;
}) {
  const links = useLinks();
  return id === undefined ? <Count value={null} /> : <Id value={id} href={links.invocation(id)} copy={false} />;
}

function FailingTasks({ recent }: { recent: Recent }) {
  const links = useLinks();
  // Invocations of tasks that are not listed.
  const others = recent.total.failed - recent.tasks.reduce((sum, { failed }) => sum + failed, 0);
  return (
    <Card
      title="Failing tasks"
      flush
      actions={
        <a href={links.tasks(links.timeRange)}>
          {others > 0 ? `All tasks (${counted(others, "more failure")})` : "All tasks"}
        </a>
      }
    >
      <DataTable
        caption="Tasks that failed, those that failed most first"
        columns={[
          { label: "Task", rowHeader: true, speaking: true },
          {
            label: "Failed",
            align: "end",
            hint: "Of those that finished. Equal numbers: the latest failure first",
            sort: MOST_FIRST,
          },
          { label: "Run p95", align: "end" },
        ]}
        rows={recent.tasks
          .filter(({ failed }) => failed > 0)
          .map((row) => ({
            key: row.task_id_key ?? "",
            cells: [
              <TaskName key="name" task_id_key={row.task_id_key ?? null} href={links.task(row.task_id_key ?? "")} />,
              `${count(row.failed)} of ${count(row.finished)}`,
              <Duration key="run" seconds={row.run.p95_seconds} />,
            ],
          }))}
        empty={<Empty title={`No task failed${asFarAsRead(recent)}`} />}
      />
    </Card>
  );
}
