import type { Verdict } from "../../src/api/verdicts.ts";
import { count } from "../../src/presentation/text.ts";
import type { Overview } from "../../src/services/health/dashboard.ts";
import { NotChecked, NothingWrong, Verdicts } from "../fragments/health/verdicts.tsx";
import { StatusCounts } from "../fragments/invocations/status-counts.tsx";
import { QueueHealthTable } from "../fragments/queue/queue-health-table.tsx";
import { Figures } from "../fragments/stats/figures.tsx";
import { NothingRecorded, NotRead } from "../fragments/stats/nothing-recorded.tsx";
import { Failing } from "../fragments/stats/recent.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

export interface OverviewPage extends Overview {
  verdicts: Verdict[];
}

/** The first page, called Overview: what is wrong, five figures, and what failed. What describes the store is on a page of its own. */
export function DashboardContent({ model, now }: View<OverviewPage>) {
  const links = useLinks();
  const { overview, verdicts, not_looked_at } = model;
  const empty = overview.invocations === 0 && overview.complete && (overview.queued_messages ?? 0) === 0;
  return (
    <>
      <PageHeader
        title="Overview"
        // Links name the app if the store has several.
        actions={links.app !== null && <a href={links.apps()}>All apps</a>}
      >
        {!empty && verdicts.every(({ muted_until }) => muted_until !== null) && (
          <NothingWrong notLookedAt={not_looked_at} />
        )}
      </PageHeader>
      <Verdicts verdicts={verdicts} title="Problems now" />
      {empty ? (
        <NoInvocations />
      ) : (
        <>
          <Figures model={model} now={now} />
          <Happened model={model} />
          <Statuses model={model} />
          <Queues overview={overview} />
          <NotChecked parts={not_looked_at} />
        </>
      )}
    </>
  );
}

function NoInvocations() {
  const links = useLinks();
  return (
    <Card title="No invocations yet">
      <p>
        Start a runner with <code>pynenc --app &lt;module&gt; runner start</code> and call a task: it appears here by
        itself. If it does not, see which <a href={links.store()}>store</a> is read.
      </p>
    </Card>
  );
}

/** What failed in the range, or why nothing is known of it. */
function Happened({ model: { recent, recent_note } }: { model: Overview }) {
  const links = useLinks();
  if (recent === null) return recent_note === null ? null : <NotRead title="Failures by group" note={recent_note} />;
  return (
    <>
      <Notes notes={recent.notes} />
      {recent.entries === 0 ? (
        <Card title="Failures by group" flush>
          <NothingRecorded model={recent} href={(range) => links.dashboard(range)} />
        </Card>
      ) : (
        <Failing recent={recent} />
      )}
    </>
  );
}

function Statuses({ model: { overview, statuses } }: { model: Overview }) {
  const links = useLinks();
  return (
    <Card
      title="All invocations by status"
      actions={
        <a href={links.invocations()}>
          {overview.complete ? count(overview.invocations) : `At least ${count(overview.invocations)}`}
        </a>
      }
    >
      <StatusCounts
        counts={statuses
          .filter(({ count }) => count > 0)
          .map(({ status, count }) => ({ status, count, href: links.invocations({ status: [status] }) }))}
      />
      {!overview.complete && (
        <p class="muted">Still searching for invocations without a status in the orchestrator: there may be more.</p>
      )}
    </Card>
  );
}

function Queues({ overview: { queues, more_queues, queue_note } }: { overview: Overview["overview"] }) {
  const links = useLinks();
  // The only queue without a name is among the figures.
  if (queues.length + more_queues < 2 && queues.every((one) => one.waiting === 0 || one.queue_name === null))
    return null;
  return (
    <Card title="Queues" flush actions={<a href={links.broker()}>All</a>}>
      <QueueHealthTable queues={queues} more_queues={more_queues} note={queue_note} />
    </Card>
  );
}
