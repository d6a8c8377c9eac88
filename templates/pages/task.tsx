import type { TaskDetail, TaskRow } from "../../src/api/tasks.ts";
import { callsPart } from "../../src/presentation/facts/task.ts";
import { count } from "../../src/presentation/text.ts";
import { FINAL_STATUSES } from "../../src/pynenc/statuses.ts";
import { InvocationTable } from "../fragments/facts/invocation-table.tsx";
import { PartCard } from "../fragments/facts/part-card.tsx";
import { VerdictsHere } from "../fragments/health/verdicts.tsx";
import { StatusCounts } from "../fragments/invocations/status-counts.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { Lately } from "../fragments/stats/lately.tsx";
import { MiniTimeline } from "../fragments/timeline/mini-timeline.tsx";
import { ButtonLink } from "../fragments/ui/button-link.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { NoRows, ViewPager } from "../fragments/ui/view-pager.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import { naive } from "../svg/numbers.ts";
import type { View, WithVerdicts } from "./view.ts";

/** The list above has them too. */
const CALLS_SHOWN = 10;

/** One task: its figures, its invocations, its calls. */
export function TaskContent(view: View<WithVerdicts<TaskDetail>>) {
  const { task, invocations, page, notes } = view.model;
  const links = useLinks();
  const timeline = timelineOf(task, view.now);
  return (
    <>
      <PageHeader
        title={<TaskName task_id_key={task.task_id_key} />}
        trail={[{ label: "Tasks", href: links.tasks() }]}
        summary={<Figures model={view.model} />}
        actions={
          <>
            <CompareLinks task={task} />
            {timeline !== null && <ButtonLink href={links.timeline({ ...timeline })}>Timeline</ButtonLink>}
            <ButtonLink href={links.invocations({ task_id: task.task_id_key })}>Invocations</ButtonLink>
          </>
        }
      >
        {task.core && (
          <span class="mark" title="One of pynenc's own tasks: it recovers stuck invocations">
            pynenc
          </span>
        )}
      </PageHeader>
      <VerdictsHere of={view.model} />
      <Notes notes={notes} />
      {task.statuses.length > 0 && <Statuses task={task} />}
      <Lately model={view.model} of={{ task_id: task.task_id_key }} charts={["finished", "failed", "wait", "run"]} />
      <Card title={invocationsTitle(view.model)} flush>
        <InvocationTable
          invocations={invocations}
          caption="Invocations of this task, newest registration first"
          hide={["task_id_key"]}
          empty={
            <NoRows page={page} view={view}>
              {task.invocations_count === 0 ? (
                <Empty title="No invocation stored">{emptyReason(task, page.total_capped)}</Empty>
              ) : (
                <Empty title="No invocation found">
                  <a href={links.invocations({ task_id: task.task_id_key })}>The list of all invocations</a> can be
                  searched further back.
                </Empty>
              )}
            </NoRows>
          }
        />
        {task.invocations_count !== 0 && <ViewPager page={page} view={view} />}
      </Card>
      {isRepeated(view.model) && <PartCard part={callsPart(view.model, CALLS_SHOWN)} />}
      {timeline !== null && (
        <MiniTimeline
          query={timeline}
          title={`Load of its last active hour, ${timeline.start_date.slice(0, 16).replace("T", " ")} to ${timeline.end_date.slice(11, 16)}`}
        />
      )}
    </>
  );
}

/** Its calls were each made twice or more, on average. Otherwise the list of calls is much the same as that of invocations. */
function isRepeated({ calls_count, calls_from }: TaskDetail): boolean {
  return calls_count > 0 && calls_from >= 2 * calls_count;
}

/** The hour until shortly after its latest change, but not after now, as one lane. Null without a change. */
function timelineOf({ task_id_key: task_id, last_activity }: TaskRow, now: string) {
  if (last_activity === null) return null;
  const last = Date.parse(last_activity);
  const end = Math.max(last, Math.min(last + MARGIN, Date.parse(now)));
  const [start_date, end_date] = [end - HOUR, end].map((time) => naive(new Date(time).toISOString()));
  return { start_date: start_date ?? "", end_date: end_date ?? "", task_id, group: "task" };
}

/** Milliseconds. */
const HOUR = 3_600_000;
const MARGIN = 60_000;

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
          What differs in failures
        </a>
      )}
      <a
        class="button"
        href={links.compare({ task_id: task_id_key, range: "1h", with: "before" })}
        title="What is different from the hour before"
      >
        What differs in the last hour
      </a>
    </>
  );
}

function invocationsTitle({ task, page }: TaskDetail): string {
  if (task.invocations_count === null) return "Invocations";
  return `All invocations (${count(task.invocations_count)}${page.total_capped ? "+" : ""})`;
}

function emptyReason({ triggers }: TaskRow, searching: boolean): string {
  const named = triggers > 0 ? "A trigger starts this task" : "A condition watches this task";
  return searching
    ? `${named}. No invocation of it was found so far; the search is still running.`
    : `${named}, but the store has no invocation of it.`;
}

/** The line under the title. */
function Figures({ model: { task, calls_count, calls_from, page, lately } }: { model: TaskDetail }) {
  const links = useLinks();
  const counting = task.invocations_count === null;
  const all = !counting && calls_from >= (task.invocations_count ?? 0);
  const failed = task.statuses.find((entry) => entry.status === "failed")?.count ?? 0;
  const finished = task.statuses.reduce(
    (sum, { status, count }) => (FINAL_STATUSES.includes(status) ? sum + count : sum),
    0,
  );
  return (
    <span class="fact-line">
      <span data-fact="failed">
        Failed, all time{" "}
        {counting ? (
          <span class="muted">still being counted</span>
        ) : (
          <>
            <a href={links.invocations({ task_id: task.task_id_key, status: "failed" })}>
              <Count value={failed} />
            </a>
            {page.total_capped && " found so far"}, {ofFinished(failed, finished)}
          </>
        )}
      </span>
      {lately?.failing_since != null && (
        <span data-fact="failing_since" title="The first and the last failure known, whatever the range above">
          First failure <Time iso={lately.failing_since} relative="at" />
          {lately.last_failed !== null && (
            <>
              , last <Time iso={lately.last_failed} relative />
            </>
          )}
        </span>
      )}
      <span data-fact="calls" title={all ? undefined : `Among the latest ${count(calls_from)} invocations`}>
        Distinct calls <Count value={calls_count} />
      </span>
      {task.triggers > 0 && (
        <span data-fact="triggers" title="Triggers that start this task">
          Triggers <Count value={task.triggers} />
        </span>
      )}
      <span data-fact="last_activity" title="Latest status change">
        Last activity <Time iso={task.last_activity} relative />
      </span>
    </span>
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
    <Card title="All invocations by status">
      <StatusCounts
        label="All invocations of this task by status"
        counts={task.statuses.map((entry) => ({
          ...entry,
          href: links.invocations({ task_id: task.task_id_key, status: entry.status }),
        }))}
      />
    </Card>
  );
}
