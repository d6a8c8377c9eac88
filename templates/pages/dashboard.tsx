import type { ComponentRow, Dashboard } from "../../src/api/health.ts";
import type { Links } from "../../src/presentation/links.ts";
import { count, visible, visibleLine } from "../../src/presentation/text.ts";
import { Problems } from "../fragments/health/problems.tsx";
import { StatusCounts } from "../fragments/invocations/status-counts.tsx";
import { QueueHealthTable } from "../fragments/queue/queue-health-table.tsx";
import { Recent } from "../fragments/stats/recent.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { DangerZone } from "../fragments/ui/danger-zone.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { type Fact, Facts } from "../fragments/ui/facts.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { SettingOrigin, SettingsTable } from "../fragments/ui/settings-table.tsx";
import { Tile, Tiles } from "../fragments/ui/tile.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

export function DashboardContent({ model, readOnly }: View<Dashboard>) {
  const links = useLinks();
  return (
    <>
      <PageHeader
        title="Dashboard"
        summary={
          <>
            App <bdi>{visibleLine(model.app_id)}</bdi> in <bdi class="mono">{visibleLine(model.location)}</bdi>
          </>
        }
      >
        {model.problems.length === 0 && (
          <span
            class="mark mark-good"
            title="No stuck invocation, no waiting queue without a runner, no stuck service run"
          >
            nothing looks wrong
          </span>
        )}
      </PageHeader>
      <Problems problems={model.problems} />
      <Overview model={model} />
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
      <Card title="Invocations by status">
        {model.overview.invocations === 0 && (
          <Empty title="No invocation is recorded">
            <p>The app has not called a task yet, or its data was purged. New invocations appear here automatically.</p>
          </Empty>
        )}
        <StatusCounts
          counts={model.statuses.map(({ status, count }) => ({
            status,
            count,
            href: links.invocations({ status: [status] }),
          }))}
        />
      </Card>
      <Events model={model} />
      <div class="columns">
        <LayoutCard model={model} />
        <Components components={model.components} />
      </div>
      <Card title="Settings that explain what you see" flush>
        <SettingsTable settings={model.settings} caption="Effective settings" />
      </Card>
      <DangerZone
        readOnly={readOnly}
        actions={[
          {
            label: "Purge all data …",
            href: links.purge(),
            text: "Deletes everything this app has stored: queue, statuses, invocations, values, events and triggers.",
          },
        ]}
      />
    </>
  );
}

function Overview({ model: { overview, statuses } }: { model: Dashboard }) {
  const links = useLinks();
  const inStatus = (status: string) => statuses.find((row) => row.status === status)?.count ?? 0;
  const failed = inStatus("failed");
  const idle = overview.active_runners === 0;
  return (
    <Tiles>
      <Tile
        label="Active runners"
        value={<Count value={overview.active_runners} />}
        href={links.runners()}
        tone={idle && (overview.queued_messages ?? 0) > 0 ? "bad" : "plain"}
        hint={`of ${count(overview.known_runners)}${overview.known_runners_capped ? "+" : ""} recorded`}
      />
      <Tile
        label="In the queue"
        value={overview.queued_messages === null ? "unknown" : <Count value={overview.queued_messages} />}
        href={links.queue()}
        hint={overview.queued_messages === null ? "unreachable" : messagesHint(overview)}
      />
      <Tile
        label="Running"
        value={<Count value={inStatus("running")} />}
        href={links.invocations({ status: ["running"] })}
        hint="invocations"
      />
      <Tile
        label="Failed"
        value={<Count value={failed} />}
        href={links.invocations({ status: ["failed"] })}
        tone={failed > 0 ? "bad" : "plain"}
        hint="invocations"
      />
      <Tile
        label="Invocations"
        value={<Count value={overview.invocations} />}
        href={links.invocations()}
        hint={invocationsHint(overview)}
      />
      <Tile
        label="Tasks"
        value={<Count value={overview.registered_tasks} />}
        href={links.tasks()}
        hint="in this store"
      />
    </Tiles>
  );
}

function invocationsHint({ forgotten, complete }: Dashboard["overview"]): string {
  if (!complete) return "at least; still searching for those without a status in the orchestrator";
  return forgotten === 0 ? "stored" : `stored, ${count(forgotten)} of them without a status in the orchestrator`;
}

function Events({ model: { events, layout, components } }: { model: Dashboard }) {
  const links = useLinks();
  if (events === null) {
    const stored = components.some((row) => row.component === "trigger" && row.present);
    return (
      <Card title="Events">
        <Empty title={stored ? "This layout records no events" : "No triggers in this store"}>
          <p>
            {stored
              ? `pynenc records events and trigger runs since 0.2.4; this store has the layout of ${visibleLine(layout.label)}.`
              : "The app keeps its triggers in memory or in another store, where this monitor cannot count them."}
          </p>
        </Empty>
      </Card>
    );
  }
  return (
    <Card title="Events" flush>
      <Tiles>
        <Tile label="Recorded" value={<Count value={events.recorded} />} href={links.events()} hint="events" />
        <Tile
          label="Matched"
          value={<Count value={events.matched} />}
          href={links.events({ matched: "yes" })}
          hint="events that met a condition"
        />
        <Tile
          label="Triggered"
          value={<Count value={events.triggered} />}
          href={links.events({ triggered: "yes" })}
          hint="events that started an invocation"
        />
        <Tile label="Codes" value={<Count value={events.codes} />} href={links.events()} hint="different event codes" />
        <Tile
          label="Trigger runs"
          value={<Count value={events.trigger_runs} />}
          href={links.triggerRuns()}
          hint="for events and all other conditions"
        />
      </Tiles>
    </Card>
  );
}

function LayoutCard({ model: { layout, writes_refused } }: { model: Dashboard }) {
  const rows: Fact[] = [
    {
      label: "Written by",
      value: layout.label === "incomplete" ? "unknown: parts of it are missing" : `pynenc ${visibleLine(layout.label)}`,
    },
    {
      label: "Based on",
      value:
        layout.evidence.length === 0 ? (
          <span class="muted">no feature of a later version was found</span>
        ) : (
          <ul class="plain-list">
            {layout.evidence.map((sentence) => (
              <li key={sentence}>{visibleLine(sentence)}</li>
            ))}
          </ul>
        ),
    },
    {
      label: "Trigger schema",
      value:
        layout.trigger_schema === null ? <span class="muted">not recorded</span> : `version ${layout.trigger_schema}`,
    },
  ];
  return (
    <Card title="Layout of the store">
      {writes_refused !== null && <Notice tone="info">Actions are refused: {visible(writes_refused)}</Notice>}
      {layout.unknown_tables.length > 0 && (
        <Notice tone="warn">
          Not shown, because it belongs to no layout that this monitor knows:{" "}
          {layout.unknown_tables.map((name, index) => (
            <span key={name}>
              {index > 0 && ", "}
              <code>{visibleLine(name)}</code>
            </span>
          ))}
        </Notice>
      )}
      <Facts rows={rows} />
    </Card>
  );
}

const COMPONENT: Record<ComponentRow["component"], { label: string; href: ((links: Links) => string) | null }> = {
  broker: { label: "Broker", href: (links) => links.broker() },
  orchestrator: { label: "Orchestrator", href: (links) => links.orchestrator() },
  state_backend: { label: "State backend", href: (links) => links.stateBackend() },
  client_data_store: { label: "Client data store", href: (links) => links.clientDataStore() },
  trigger: { label: "Trigger", href: null },
};

function Components({ components }: { components: readonly ComponentRow[] }) {
  const links = useLinks();
  const disagree = components.some((row) => row.present && row.configured_class.startsWith("Mem"));
  return (
    <Card title="Components" flush>
      <DataTable
        caption="Components with their classes"
        columns={[
          { label: "Component", rowHeader: true },
          { label: "Configured class" },
          { label: "In this store", hint: "Whether the component keeps its data in this store" },
          { label: "Origin", hint: "Where this monitor found the name of the class" },
        ]}
        rows={components.map((row) => {
          const { label, href } = COMPONENT[row.component];
          return {
            key: row.component,
            cells: [
              href === null ? (
                label
              ) : (
                <a key="name" href={href(links)}>
                  {label}
                </a>
              ),
              <bdi key="class">{visibleLine(row.configured_class)}</bdi>,
              row.present ? (
                "yes"
              ) : (
                <span key="present" class="mark mark-warn">
                  nothing
                </span>
              ),
              <SettingOrigin key="origin" origin={row.origin} />,
            ],
          };
        })}
        empty={<Empty title="No components" />}
      />
      {disagree && (
        <p class="card-note">
          These classes keep data in memory, but these components have data in this store: the app itself runs with a
          configuration that this monitor does not see.
        </p>
      )}
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
