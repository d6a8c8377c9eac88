import type { TaskDetail, TaskRow } from "../../src/api/tasks.ts";
import { type Part, partTitle } from "../../src/presentation/facts/column.ts";
import { callsPart } from "../../src/presentation/facts/task.ts";
import { count } from "../../src/presentation/text.ts";
import { ColumnTable } from "../fragments/facts/column-table.tsx";
import { InvocationTable } from "../fragments/facts/invocation-table.tsx";
import { VerdictsHere } from "../fragments/health/verdicts.tsx";
import { StatusCounts } from "../fragments/invocations/status-counts.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { Lately } from "../fragments/stats/lately.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Tile, Tiles } from "../fragments/ui/tile.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { NoRows, ViewPager } from "../fragments/ui/view-pager.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View, WithVerdicts } from "./view.ts";

/** Calls that are shown first; a click shows the others. */
const CALLS_SHOWN = 20;

const STILL_COUNTED = "still being counted";

/** One task: its figures, its invocations, its calls. */
export function TaskContent(view: View<WithVerdicts<TaskDetail>>) {
  const { task, invocations, page, notes } = view.model;
  const links = useLinks();
  return (
    <>
      <PageHeader
        title={<TaskName task_id_key={task.task_id_key} />}
        trail={[{ label: "Tasks", href: links.tasks() }]}
        summary={task.core ? "One of pynenc's own tasks: it recovers stuck invocations." : undefined}
        actions={
          <>
            <CompareLinks task={task} />
            <a class="button" href={links.invocations({ task_id: task.task_id_key })}>
              Filter its invocations
            </a>
          </>
        }
      />
      <VerdictsHere of={view.model} />
      <Notes notes={notes} />
      <Figures model={view.model} />
      <Lately
        lately={view.model.lately}
        of={{ task_id: task.task_id_key }}
        charts={["finished", "failed", "wait", "run"]}
      />
      {task.statuses.length > 0 && <Statuses task={task} />}
      <Card title={invocationsTitle(view.model)} flush>
        <InvocationTable
          invocations={invocations}
          caption="Invocations of this task, newest registration first"
          hide={["task_id_key"]}
          extra={["parent_invocation_id", "call_id_key"]}
          empty={
            <NoRows page={page} view={view}>
              <Empty title="No invocation stored">
                <p>{emptyReason(task, page.total_capped)}</p>
              </Empty>
            </NoRows>
          }
        />
        {task.invocations_count !== 0 && <ViewPager page={page} view={view} />}
      </Card>
      <Calls model={view.model} />
    </>
  );
}

function CompareLinks({ task: { task_id_key, statuses } }: Pick<TaskDetail, "task">) {
  const links = useLinks();
  const failed = statuses.some(({ status, count }) => status === "failed" && count > 0);
  return (
    <>
      {failed && (
        <a
          class="button"
          href={links.compare({ q: "status:failed", task_id: task_id_key, with: `task:${task_id_key}` })}
          title="What sets its failed invocations apart from the others"
        >
          Compare its failures
        </a>
      )}
      <a
        class="button"
        href={links.compare({ task_id: task_id_key, range: "1h", with: "before" })}
        title="What is different from the hour before"
      >
        Compare the last hour
      </a>
    </>
  );
}

function invocationsTitle({ task, page }: TaskDetail): string {
  if (task.invocations_count === null) return "Invocations";
  return `Invocations (${count(task.invocations_count)}${page.total_capped ? "+" : ""})`;
}

function emptyReason({ triggers }: TaskRow, searching: boolean): string {
  const named = triggers > 0 ? "A trigger starts this task" : "A condition watches this task";
  return searching
    ? `${named}. No invocation of it was found so far; the search is still running.`
    : `${named}, but the store has no invocation of it.`;
}

function Figures({ model: { task, calls_count, calls_from, page } }: { model: TaskDetail }) {
  const links = useLinks();
  const counting = task.invocations_count === null;
  const all = task.invocations_count !== null && calls_from >= task.invocations_count;
  const failed = task.statuses.find((entry) => entry.status === "failed")?.count ?? 0;
  const covers = page.total_capped ? "found so far" : "stored";
  const finished = task.statuses.reduce(
    (sum, { status, count }) => (status === "success" || status === "failed" ? sum + count : sum),
    0,
  );
  return (
    <Tiles>
      <Tile
        label="Invocations"
        value={<Count value={task.invocations_count} capped={page.total_capped} />}
        href={links.invocations({ task_id: task.task_id_key })}
        hint={counting ? STILL_COUNTED : covers}
      />
      <Tile
        label="Failed"
        value={<Count value={counting ? null : failed} />}
        tone={failed > 0 ? "bad" : "plain"}
        href={links.invocations({ task_id: task.task_id_key, status: "failed" })}
        hint={counting ? STILL_COUNTED : ofFinished(failed, finished)}
      />
      <Tile
        label="Distinct calls"
        value={<Count value={calls_count} />}
        hint={all ? "arguments it was called with" : `among the latest ${count(calls_from)} invocations`}
      />
      <Tile label="Triggers" value={<Count value={task.triggers} />} hint="that start this task" />
      <Tile label="Last activity" value={<Time iso={task.last_activity} relative />} hint="latest status change" />
    </Tiles>
  );
}

function ofFinished(failed: number, finished: number): string {
  return finished === 0 ? "none finished yet" : `${percent(failed / finished)} of ${count(finished)} finished`;
}

function percent(share: number): string {
  return share > 0 && share < 0.001 ? "<0.1 %" : `${Number((share * 100).toFixed(1))} %`;
}

function Statuses({ task }: { task: TaskRow }) {
  const links = useLinks();
  return (
    <Card title="By status">
      <StatusCounts
        label="Invocations of this task by status"
        counts={task.statuses.map((entry) => ({
          ...entry,
          href: links.invocations({ task_id: task.task_id_key, status: entry.status }),
        }))}
      />
    </Card>
  );
}

function Calls({ model }: { model: TaskDetail }) {
  const part = callsPart(model);
  const rest = part.rows.slice(CALLS_SHOWN);
  return (
    <Card title={partTitle(part)} flush>
      <CallTable part={part} rows={part.rows.slice(0, CALLS_SHOWN)} />
      {rest.length > 0 && (
        <details class="more-rows">
          <summary>
            {count(rest.length)} more {rest.length === 1 ? "call" : "calls"}
          </summary>
          <CallTable part={part} rows={rest} />
        </details>
      )}
      {part.note && <p class="card-foot">{part.note}</p>}
    </Card>
  );
}

function CallTable({ part: { columns, keyOf, caption }, rows }: { part: Part; rows: Part["rows"] }) {
  return (
    <ColumnTable
      caption={caption}
      columns={columns}
      records={rows}
      keyOf={keyOf}
      empty={
        <Empty title="No calls">
          <p>Calls are collected from invocations, and the store has none of this task.</p>
        </Empty>
      }
    />
  );
}
