import type { Dashboard } from "../../src/api/health.ts";
import type { Links } from "../../src/presentation/links.ts";
import { count, visibleLine } from "../../src/presentation/text.ts";
import { InvocationTable } from "../fragments/facts/invocation-table.tsx";
import { NotChecked, NothingWrong, Verdicts } from "../fragments/health/verdicts.tsx";
import { StatusCounts } from "../fragments/invocations/status-counts.tsx";
import { QueueHealthTable } from "../fragments/queue/queue-health-table.tsx";
import { Recent } from "../fragments/stats/recent.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { type Figure, FigureRow } from "../fragments/ui/figure-row.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

/** The first page, called Overview: what is wrong, what happened lately, and the figures of the app. What describes the store is on a page of its own. */
export function DashboardContent({ model }: View<Dashboard>) {
  const links = useLinks();
  return (
    <>
      <PageHeader
        title="Overview"
        // Links name the app if the store has several.
        actions={links.app !== null && <a href={links.apps()}>All apps</a>}
      >
        {model.verdicts.every(({ muted_until }) => muted_until !== null) && (
          <NothingWrong notLookedAt={model.not_looked_at} />
        )}
      </PageHeader>
      <Verdicts verdicts={model.verdicts} />
      <NotChecked parts={model.not_looked_at} />
      <Figures model={model} />
      {model.recent_note !== null && <p class="muted">{model.recent_note}</p>}
      <Recent recent={model.recent} />
      {model.overview.named_queues && (
        <Card title="Queues" flush actions={<a href={links.broker()}>Broker</a>}>
          <QueueHealthTable
            queues={model.overview.queues}
            more_queues={model.overview.more_queues}
            note={model.overview.queue_note}
          />
        </Card>
      )}
      <Newest model={model} />
    </>
  );
}

/** What is counted in the app, in few lines: its runners and queue now, and all that is stored. */
function Figures({ model }: { model: Dashboard }) {
  const links = useLinks();
  const { overview, statuses } = model;
  return (
    <section class="card glance" aria-label="Figures of the app">
      <FigureRow label="App" figures={appFigures(model, links)} />
      <div class="glance-row">
        <h2 class="glance-label">Statuses</h2>
        <StatusCounts
          counts={statuses.map(({ status, count }) => ({
            status,
            count,
            href: links.invocations({ status: [status] }),
          }))}
        />
      </div>
      <Events model={model} />
      {!overview.complete && (
        <p class="glance-note muted">
          Still searching for invocations without a status in the orchestrator: there may be more.
        </p>
      )}
    </section>
  );
}

function appFigures({ overview }: Dashboard, links: Links): Figure[] {
  const idle = overview.active_runners === 0;
  const { queued_messages: queued } = overview;
  return [
    {
      label: "Active runners",
      value: <Count value={overview.active_runners} />,
      href: links.runners(),
      tone: idle && (queued ?? 0) > 0 ? "bad" : "plain",
      hint: `of ${count(overview.known_runners)}${overview.known_runners_capped ? "+" : ""} recorded`,
    },
    {
      label: "In the queue",
      value: queued === null ? "unknown" : <Count value={queued} />,
      href: links.queue(),
      hint: queued === null ? "unreachable" : messagesHint(overview),
    },
    {
      label: "Invocations",
      value: <Count value={overview.invocations} />,
      href: links.invocations(),
      hint: invocationsHint(overview),
    },
    { label: "Tasks", value: <Count value={overview.registered_tasks} />, href: links.tasks(), hint: "in this store" },
  ];
}

function invocationsHint({ forgotten, complete }: Dashboard["overview"]): string {
  if (!complete) return "at least";
  return forgotten === 0 ? "stored" : `stored, ${count(forgotten)} of them without a status in the orchestrator`;
}

function Events({ model: { events, layout, components } }: { model: Dashboard }) {
  const links = useLinks();
  if (events === null) {
    const stored = components.some((row) => row.component === "trigger" && row.present);
    return (
      <div class="glance-row">
        <h2 class="glance-label">Events</h2>
        <p class="muted">
          {stored
            ? `This layout records no events: pynenc records events and trigger runs since 0.2.4; this store has the layout of ${visibleLine(layout.label)}.`
            : "No triggers in this store: the app keeps its triggers in memory or in another store, where this monitor cannot count them."}
        </p>
      </div>
    );
  }
  return (
    <FigureRow
      label="Events"
      figures={[
        { label: "Recorded", value: <Count value={events.recorded} />, href: links.events(), hint: "events" },
        {
          label: "Met",
          value: <Count value={events.matched} />,
          href: links.events({ matched: "yes" }),
          hint: "a condition",
        },
        {
          label: "Triggered",
          value: <Count value={events.triggered} />,
          href: links.events({ triggered: "yes" }),
          hint: "started an invocation",
        },
        { label: "Codes", value: <Count value={events.codes} />, href: links.events(), hint: "different event codes" },
        {
          label: "Trigger runs",
          value: <Count value={events.trigger_runs} />,
          href: links.triggerRuns(),
          hint: "of all conditions",
        },
      ]}
    />
  );
}

function Newest({ model: { newest, newest_note } }: { model: Dashboard }) {
  const links = useLinks();
  return (
    <Card title="Newest invocations" flush actions={<a href={links.invocations()}>All</a>}>
      <InvocationTable
        invocations={newest}
        caption="Invocations that were registered last, newest first"
        hide={["retry_count", "status_at", "owner_runner_id"]}
        empty={
          <Empty title="No invocation is recorded">
            <p>The app has not called a task yet, or its data was purged. New invocations appear here automatically.</p>
          </Empty>
        }
      />
      {newest_note !== null && <p class="card-note">{visibleLine(newest_note)}</p>}
    </Card>
  );
}

/** `messages in 3 of 4 queues`. */
function messagesHint({ named_queues, queues, more_queues }: Dashboard["overview"]): string {
  if (!named_queues) return "messages";
  const filled = count(queues.filter(({ messages }) => messages > 0).length);
  const least = more_queues > 0 ? "at least " : "";
  return `messages in ${least}${filled} of ${count(queues.length + more_queues)} queues`;
}
