import type { FailureGroup, Failures } from "../../src/api/stats.ts";
import { asFarAsRead, count, NOTHING, percentage, shortId, visibleLine } from "../../src/presentation/text.ts";
import { counted } from "../../src/pynenc/numbers.ts";
import { FailureName, FIRST_SEEN_HINT, GroupTask } from "../fragments/stats/failure-name.tsx";
import { NothingRecorded } from "../fragments/stats/nothing-recorded.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { FilterBar } from "../fragments/ui/filter-bar.tsx";
import { HiddenField, TextField } from "../fragments/ui/filter-form.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Switcher } from "../fragments/ui/switcher.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { figuresRange, useRangeOf } from "../layout/time-menu.tsx";
import { useLinks } from "../links.ts";
import { Sparkline } from "../svg/time-chart.tsx";
import type { Page, View } from "./view.ts";

const GROUPS = [
  { value: "type", label: "Task and exception" },
  { value: "group", label: "Task and message" },
  { value: "exception", label: "Message" },
  { value: "task", label: "Task" },
];

/** Placed above the refreshed part, so that a refresh leaves a half-typed field alone. */
export function FailuresHeader({ model: { filter }, path }: View<Failures>) {
  const links = useLinks();
  return (
    <>
      <PageHeader title="Failures" />
      <FilterBar path={path} clearHref={filter.task_id_key === null ? undefined : links.failures(links.timeRange)}>
        <TextField name="task_id" label="Task" value={filter.task_id_key} code />
        <HiddenField name="by" value={filter.by} />
      </FilterBar>
    </>
  );
}

/** Failures and retries in a time range, grouped by task, exception and message. */
export function FailuresContent({ model, query, path }: View<Failures>) {
  const links = useLinks();
  const { range: _range, from: _from, to: _to, ...kept } = query;
  const failed = model.groups.filter((group) => group.failed > 0);
  const retried = model.groups.filter((group) => group.failed === 0);
  const outside = model.newest !== null && model.newest < model.from;
  return (
    <>
      <Notes notes={model.notes} />
      {model.total === 0 && (outside || model.newest === null) ? (
        <NothingRecorded model={model} href={(range) => links.current(path, { ...kept, ...range })} />
      ) : (
        <>
          <Card
            title={counted(model.groups_failed, "group")}
            flush
            actions={
              <Switcher
                label="Group by"
                current={model.filter.by}
                choices={GROUPS.map((group) => ({
                  ...group,
                  href: links.current(path, { ...query, by: group.value }),
                }))}
              />
            }
          >
            <FailureTable model={model} groups={failed} caption="Groups of failures, the largest first" />
          </Card>
          {retried.length > 0 && (
            <Card
              title={failed.some(({ retries }) => retries > 0) ? "Other retries" : "Retries"}
              actions={<span class="muted">The exception of an attempt that was retried is not stored</span>}
              flush
            >
              <FailureTable model={model} groups={retried} caption="Groups of retries" />
            </Card>
          )}
          {model.groups_total > model.groups.length && (
            <p class="muted">{`The first ${count(model.groups.length)} groups are listed.`}</p>
          )}
        </>
      )}
    </>
  );
}

function FailureTable({
  model,
  groups,
  caption,
}: {
  model: Failures;
  groups: readonly FailureGroup[];
  caption: string;
}) {
  const links = useLinks();
  const onlyRetried = groups.length > 0 && groups.every(({ failed }) => failed === 0);
  // A column in which every row says 0 says nothing.
  const counts = [
    { label: "Failed", of: ({ failed }: FailureGroup) => failed },
    { label: "Retried", of: ({ retries }: FailureGroup) => retries },
  ].filter(({ of }) => groups.some((group) => of(group) > 0));
  const taskOf = (group: FailureGroup) => (
    <GroupTask group={group} href={group.task_id_key === null ? undefined : links.task(group.task_id_key)} />
  );
  // A task may have failed in several ways, and only one of them can be compared or rerun: the list of its invocations leads there.
  const acts = model.filter.by !== "task" && !onlyRetried;
  return (
    <DataTable
      caption={caption}
      columns={[
        // What was retried has no exception.
        { label: onlyRetried ? "Task" : "Failure", rowHeader: true, speaking: true, reading: true },
        ...(onlyRetried ? [] : [{ label: "Task", speaking: true }]),
        ...counts.map(({ label }, index) => ({
          label,
          align: "end" as const,
          hint: "In the range",
          sort: { now: index === 0 ? ("descending" as const) : null },
        })),
        onlyRetried
          ? { label: "Of runs", align: "end", hint: "Of all runs of the task that ended in the range" }
          : { label: "Of finished", align: "end", hint: "Failed ones, of all that the task finished in the range" },
        { label: "Trend", hint: "Over the range, the end at the right" },
        { label: "First seen", hint: FIRST_SEEN_HINT },
        { label: "Last", hint: "The last failure or retry; leads to its invocation" },
        ...(acts ? [{ label: "Actions", speaking: true, acts: true }] : []),
      ]}
      rows={groups.map((group) => ({
        key: JSON.stringify([group.task_id_key, group.type, group.message]),
        cells: [
          <span key="name" class="failure-group">
            {onlyRetried ? taskOf(group) : <FailureName group={group} range={model} task={false} />}
            {group.stands_out.map((one) => (
              <StandsOut key={JSON.stringify([one.kind, one.name, one.value])} one={one} />
            ))}
          </span>,
          ...(onlyRetried ? [] : [taskOf(group)]),
          ...counts.map(({ label, of }) => <Count key={label} value={of(group)} />),
          group.share === null ? (
            <span key="share" class="muted" title="How many ran in the range is not known">
              {NOTHING}
            </span>
          ) : (
            percentage(group.share)
          ),
          <Sparkline
            key="trend"
            values={group.trend}
            retries={group.failed === 0}
            label="Trend"
            words={trendOf(group)}
          />,
          <Time key="first" iso={group.ever.first_seen} relative="at" />,
          <Last key="last" group={group} />,
          ...(acts ? [<GroupLinks key="links" group={group} model={model} />] : []),
        ],
      }))}
      empty={
        <Empty title={`Nothing failed in this range${asFarAsRead(model)}`}>
          No history entry of the range says failed or retry.
        </Empty>
      }
    />
  );
}

/** Failures and retries of a group share the bars of its trend. */
function trendOf({ failed, retries }: FailureGroup): string | undefined {
  return failed > 0 && retries > 0 ? `${count(failed)} failed, ${count(retries)} retried` : undefined;
}

/** When the newest was seen, with a link to it. */
function Last({ group: { last_seen, invocation_ids } }: { group: FailureGroup }) {
  const links = useLinks();
  const [id] = invocation_ids;
  const time = <Time iso={last_seen} relative />;
  return id === undefined ? time : <a href={links.invocation(id)}>{time}</a>;
}

/** What successes of the task do not have as often; with both counts, because otherwise a value that most invocations have would look like a cause. */
function StandsOut({ one }: { one: FailureGroup["stands_out"][number] }) {
  const links = useLinks();
  const { kind, name, value, failures, failures_looked_at, successes, successes_looked_at } = one;
  const counts = `${count(failures)} of ${count(failures_looked_at)} failures examined, ${count(successes)} of ${count(successes_looked_at)} successes examined`;
  return kind === "runner" ? (
    <a class="mark mark-info" href={links.runner(value)} title={counts}>
      runner {shortId(value)}
      <span class="visually-hidden">: {counts}</span>
    </a>
  ) : (
    <span class="mark mark-info" title={counts}>
      {`${visibleLine(name ?? "")}=${visibleLine(value)}`}
      <span class="visually-hidden">: {counts}</span>
    </span>
  );
}

/** Only for failures of a single task: retries run again by themselves, and their exceptions are not stored. */
function GroupLinks({
  group: { task_id_key, type, message, query: q },
  model,
}: {
  group: FailureGroup;
  model: Failures;
}) {
  const links = useLinks();
  if (q === null || task_id_key === null || type === null) return null;
  const those = `that failed with ${visibleLine(type)}${message ? ` and “${visibleLine(message)}” in their message` : ""}`;
  const query = { q, status: "failed", task_id: task_id_key };
  const { from, to } = model;
  return (
    <span class="failure-group-links with-mark">
      <a
        href={links.compare({ ...query, ...useRangeOf(model), with: `task:${task_id_key}` })}
        title={`Compare those ${those} with the other invocations of the task`}
      >
        What differs
      </a>
      <a href={links.rerunMany({ ...query, from, to })} title={`Preview a rerun of those ${those} in this range`}>
        Rerun…
      </a>
    </span>
  );
}

export const page: Page<Failures> = {
  region: "failures",
  nav: "failures",
  timed: figuresRange,
  follows: "range",
  title: () => "Failures",
  header: FailuresHeader,
  content: FailuresContent,
};
