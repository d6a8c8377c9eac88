import type { FailureGroup, Failures } from "../../src/api/stats.ts";
import { STATS_LENGTH } from "../../src/api/words.ts";
import {
  asFarAsRead,
  count,
  failuresInGroups,
  NOTHING,
  percentage,
  shortId,
  visibleLine,
} from "../../src/presentation/text.ts";
import { FailureName } from "../fragments/stats/failure-name.tsx";
import { NothingRecorded } from "../fragments/stats/nothing-recorded.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { FilterBar } from "../fragments/ui/filter-bar.tsx";
import { SelectField, TextField } from "../fragments/ui/filter-form.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import { Sparkline } from "../svg/time-chart.tsx";
import type { Page, View } from "./view.ts";

/** Examples that a row links to. */
const EXAMPLES = 3;

/** Placed above the refreshed part, so that a refresh leaves a half-typed field alone. */
export function FailuresHeader({ model: { filter }, path }: View<Failures>) {
  const links = useLinks();
  return (
    <>
      <PageHeader title="Failures" />
      <FilterBar path={path} clearHref={links.failures()}>
        <SelectField
          name="by"
          label="Group by"
          value={filter.by}
          options={[
            { value: "group", label: "Task, exception and message" },
            { value: "exception", label: "Exception and message" },
            { value: "task", label: "Task" },
          ]}
        />
        <TextField name="task_id" label="Task" value={filter.task_id_key} code />
      </FilterBar>
    </>
  );
}

/** Failures and retries in a time range, grouped by task, exception and message. */
export function FailuresContent({ model, query, path }: View<Failures>) {
  const links = useLinks();
  const { range: _range, from: _from, to: _to, ...kept } = query;
  const retried = model.groups.filter(({ failed }) => failed === 0);
  const outside = model.newest !== null && model.newest < model.from;
  return (
    <>
      <Notes notes={model.notes} />
      {model.total === 0 && (outside || model.newest === null) ? (
        <NothingRecorded model={model} href={(range) => links.current(path, { ...kept, ...range })} />
      ) : (
        <>
          <Card title="Failures" flush actions={<span class="muted">{failuresInGroups(model)}</span>}>
            <FailureTable
              model={model}
              groups={model.groups.filter(({ failed }) => failed > 0)}
              caption="Groups of failures, those that failed most first"
            />
          </Card>
          {retried.length > 0 && (
            <Card title="Retries without a failure" flush>
              <FailureTable model={model} groups={retried} caption="Groups that were only retried" />
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
  return (
    <DataTable
      caption={caption}
      columns={[
        { label: "Failure", rowHeader: true, speaking: true },
        { label: "Failed", align: "end", hint: "In the range" },
        { label: "Retried", align: "end", hint: "In the range" },
        { label: "Share", align: "end", hint: "Failed or retried, of all runs of the task that ended in the range" },
        { label: "Trend", hint: "Over the range, the end at the right" },
        { label: "Ever", align: "end", hint: "Failed or retried in all of the history that was read" },
        { label: "First", hint: "In all of the history that was read" },
        { label: "Last" },
        {
          label: "In common",
          hint: "Arguments and runners of the failures; bold: less common among the successes of the task",
          roomy: true,
        },
        { label: "Examples" },
        { label: "", speaking: true },
      ]}
      rows={groups.map((group) => ({
        key: JSON.stringify([group.task_id_key, group.type, group.message]),
        cells: [
          <div key="name" class="stacked">
            <FailureName group={group} range={model} />
            {group.stands_out.map((one) => (
              <StandsOut key={JSON.stringify([one.kind, one.name, one.value])} one={one} />
            ))}
          </div>,
          <Count key="failed" value={group.failed} />,
          <Count key="retries" value={group.retries} />,
          group.share === null ? (
            <span key="share" class="muted" title="How many ran in the range is not known">
              {NOTHING}
            </span>
          ) : (
            percentage(group.share)
          ),
          <Sparkline key="trend" values={group.trend} label="Trend" />,
          <Count key="ever" value={group.ever.failed + group.ever.retries} capped={!group.ever.complete} />,
          <Time key="first" iso={group.ever.first_seen} relative />,
          <Time key="last" iso={group.last_seen} relative />,
          <InCommon key="common" group={group} />,
          <Examples key="examples" group={group} />,
          <GroupLinks key="links" group={group} model={model} />,
        ],
      }))}
      empty={
        <Empty title={`Nothing failed in this range${asFarAsRead(model)}`}>
          <p>No history entry of the range says failed or retry.</p>
        </Empty>
      }
    />
  );
}

function InCommon({ group: { runners, same_arguments, invocation_ids } }: { group: FailureGroup }) {
  const links = useLinks();
  const [only, ...others] = runners;
  const lines = same_arguments.map(({ name, value }) => `${visibleLine(name)}=${visibleLine(value)}`);
  return (
    <div class="stacked small">
      {lines.length > 0 && (
        <span title={`The same in ${count(invocation_ids.length)} examples`}>{lines.join(", ")}</span>
      )}
      {only !== undefined && (
        <span>
          {others.length === 0 ? "runner " : `${count(runners.length)} runners, most `}
          <Id value={only.runner_id} copy={false} href={links.runner(only.runner_id)} />
        </span>
      )}
    </div>
  );
}

/** Shows both counts: without the successes, a value that most invocations have would look like a cause. */
function StandsOut({ one }: { one: FailureGroup["stands_out"][number] }) {
  const links = useLinks();
  const { kind, name, value, failures, failures_looked_at, successes, successes_looked_at } = one;
  return (
    <span
      class="failure-group-stands-out cell-text small"
      title="Samples of both; shown where chance is an unlikely explanation"
    >
      <strong>
        {kind === "runner" ? (
          <>
            runner <Id value={value} copy={false} href={links.runner(value)} />
          </>
        ) : (
          `${visibleLine(name ?? "")}=${visibleLine(value)}`
        )}
      </strong>
      {`: ${count(failures)} of ${count(failures_looked_at)} failures examined, ${count(successes)} of ${count(successes_looked_at)} successes examined`}
    </span>
  );
}

function Examples({ group: { invocation_ids } }: { group: FailureGroup }) {
  const links = useLinks();
  return (
    <span class="row">
      {invocation_ids.slice(0, EXAMPLES).map((id) => (
        <a key={id} class="id" href={links.invocation(id)} title={visibleLine(id)}>
          {shortId(id)}
        </a>
      ))}
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
  const those = `that failed with ${visibleLine(type)}${message ? ` and “${visibleLine(message)}” in its message` : ""}`;
  const query = { q, status: "failed", task_id: task_id_key, from: model.from, to: model.to };
  return (
    <span class="failure-group-links row">
      <a
        class="button quiet"
        href={links.compare({ ...query, with: `task:${task_id_key}` })}
        title={`What distinguishes those ${those} from the other invocations of the task`}
      >
        Compare
      </a>
      <a
        class="button quiet"
        href={links.rerunMany(query)}
        title={`Preview: all invocations of the task ${those} in this range`}
      >
        Rerun…
      </a>
    </span>
  );
}

export const page: Page<Failures> = {
  region: "failures",
  nav: "failures",
  timed: ({ from, to }) => ({ start: from, end: to, preset: STATS_LENGTH }),
  title: () => "Failures",
  header: FailuresHeader,
  content: FailuresContent,
};
