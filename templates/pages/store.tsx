import type { StoreReport } from "../../src/api/components.ts";
import type { ServerLoad } from "../../src/api/model/common.ts";
import type { ComponentRow } from "../../src/api/model/store-facts.ts";
import type { Links } from "../../src/presentation/links.ts";
import { loadWords } from "../../src/presentation/load.ts";
import { visible, visibleLine } from "../../src/presentation/text.ts";
import { StorageFigures } from "../fragments/store/storage-figures.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { DangerLink } from "../fragments/ui/danger-link.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { type Fact, Facts } from "../fragments/ui/facts.tsx";
import { Info } from "../fragments/ui/info.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { Settings } from "../fragments/ui/settings-table.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { Page, View } from "./view.ts";

/** What describes the store rather than what happens in it. */
export function StoreContent({ model, readOnly }: View<StoreReport>) {
  const links = useLinks();
  return (
    <>
      <PageHeader
        title="Store"
        actions={
          <DangerLink
            href={links.purge()}
            label="Purge all data"
            effect="Deletes everything this app has stored: queue, statuses, invocations, values, events and triggers."
            readOnly={readOnly}
          />
        }
      />
      <div class="columns">
        <LayoutCard model={model} />
        <Components components={model.components} />
      </div>
      <StorageFigures figures={model.figures} caption="What all components store" />
      <MonitorLoad loads={model.loads} />
      <Settings settings={model.settings} caption="Effective settings" />
    </>
  );
}

function LayoutCard({
  model: { location, layout, writes_refused, oldest_entry, newest_entry },
}: {
  model: StoreReport;
}) {
  const rows: Fact[] = [
    { label: "Address", value: <bdi class="mono">{visibleLine(location)}</bdi> },
    {
      label: "Written by",
      value: layout.label === "incomplete" ? "unknown: parts of it are missing" : `pynenc ${visibleLine(layout.label)}`,
    },
    {
      label: "History",
      value:
        oldest_entry === null || newest_entry === null ? (
          <span class="muted">no entries</span>
        ) : (
          <>
            <Time iso={oldest_entry} /> to <Time iso={newest_entry} />
          </>
        ),
    },
  ];
  return (
    <Card
      title="Layout"
      id="card-layout"
      actions={
        <Info about="how the layout was found">
          {layout.evidence.length === 0 ? (
            <p>No feature of a later version was found.</p>
          ) : (
            <ul class="plain-list">
              {layout.evidence.map((sentence) => (
                <li key={sentence}>{visibleLine(sentence)}</li>
              ))}
            </ul>
          )}
        </Info>
      }
    >
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

const COMPONENT: Record<ComponentRow["component"], { label: string; href: (links: Links) => string }> = {
  broker: { label: "Broker", href: (links) => links.broker() },
  orchestrator: { label: "Orchestrator", href: (links) => links.orchestrator() },
  state_backend: { label: "State backend", href: (links) => links.stateBackend() },
  client_data_store: { label: "Client data store", href: (links) => links.clientDataStore() },
  trigger: { label: "Trigger", href: (links) => links.triggers() },
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
          { label: "Class" },
          { label: "In this store", hint: "Whether the component keeps its data in this store" },
        ]}
        rows={components.map((row) => {
          const { label, href } = COMPONENT[row.component];
          return {
            key: row.component,
            cells: [
              <a key="name" href={href(links)}>
                {label}
              </a>,
              <bdi key="class" title={`Origin: ${visibleLine(row.origin)}`}>
                {visibleLine(row.configured_class)}
              </bdi>,
              row.present ? (
                "yes"
              ) : (
                <span key="present" class="mark mark-warn">
                  nothing
                </span>
              ),
            ],
          };
        })}
        empty={<Empty title="No components" />}
      />
      {disagree && (
        <p class="card-note muted">
          These classes keep data in memory, but these components have data in this store: the app itself runs with a
          configuration that this monitor cannot see.
        </p>
      )}
    </Card>
  );
}

/** The load that the monitor puts on the servers. Renders nothing for stores in files. */
function MonitorLoad({ loads }: { loads: readonly ServerLoad[] }) {
  if (loads.length === 0) return null;
  return (
    <Card title="Load caused by this monitor">
      <Facts rows={loads.map((load) => ({ label: visibleLine(load.location), value: loadWords(load) }))} />
    </Card>
  );
}

export const page: Page<StoreReport> = {
  region: "store",
  nav: "store",
  title: () => "Store",
  content: StoreContent,
};
