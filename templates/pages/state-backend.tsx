import type { StateBackendOverview } from "../../src/api/components.ts";
import { loadWords } from "../../src/presentation/load.ts";
import { bytes, count, NOTHING, visibleLine } from "../../src/presentation/text.ts";
import { counted } from "../../src/pynenc/numbers.ts";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { DangerZone } from "../fragments/ui/danger-zone.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Facts } from "../fragments/ui/facts.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { SettingsTable } from "../fragments/ui/settings-table.tsx";
import { Tile, Tiles } from "../fragments/ui/tile.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { ValueText } from "../fragments/values/value-text.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

export function StateBackendContent({ model, readOnly }: View<StateBackendOverview>) {
  const links = useLinks();
  return (
    <>
      <PageHeader
        title="State backend"
        summary="Definitions of invocations, their history, results and exceptions, runner contexts and workflows."
      />
      {!model.present && (
        <Notice tone="warn">
          The state backend has no data in this store: the app keeps its state in memory or in another store, which this
          monitor cannot see.
        </Notice>
      )}
      <Difference model={model} />
      <Tiles>
        <Tile
          label="Invocations defined"
          value={<Count value={model.totals.defined} />}
          href={links.invocations()}
          hint={`${count(model.totals.defined - model.totals.forgotten)} have a current status`}
        />
        <Tile
          label="First history entry"
          value={model.oldest_entry === null ? "none" : <Time iso={model.oldest_entry} relative />}
          hint={historyHint(model.oldest_entry)}
        />
        <Tile
          label="Latest history entry"
          value={model.newest_entry === null ? "none" : <Time iso={model.newest_entry} relative />}
          hint={historyHint(model.newest_entry)}
        />
      </Tiles>
      <Figures model={model} />
      <Loads model={model} />
      <Registration model={model} />
      <Card title="Settings" flush>
        <SettingsTable settings={model.settings} caption="Settings of the state backend" />
      </Card>
      <DangerZone
        readOnly={readOnly}
        actions={[
          {
            label: "Purge the state backend …",
            href: links.purgeStateBackend(),
            text: "Deletes definitions, histories, results, exceptions, runner contexts and workflows.",
          },
        ]}
      />
    </>
  );
}

function historyHint(entry: string | null): string {
  return entry === null ? "the history is empty" : "of any invocation";
}

/** Definitions and statuses are kept by two components, which are purged apart. */
function Difference({ model: { totals } }: { model: StateBackendOverview }) {
  const { defined, with_status, forgotten, complete } = totals;
  const undefinedOnes = with_status - (defined - forgotten);
  return (
    <>
      {forgotten > 0 && (
        <Notice tone="info">
          {`${complete ? "" : "At least "}${counted(forgotten, "invocation")} defined here ${forgotten === 1 ? "has" : "have"} no status in the orchestrator: an auto-purge or purge removed it, or a process was killed while registering the invocation. Their last history entry is used instead.`}
        </Notice>
      )}
      {complete && undefinedOnes > 0 && (
        <Notice tone="info">
          {`${counted(undefinedOnes, "invocation")} with a current status ${undefinedOnes === 1 ? "has" : "have"} no definition here: the state backend was purged. Their arguments, results and history are gone.`}
        </Notice>
      )}
    </>
  );
}

function Figures({ model: { figures } }: { model: StateBackendOverview }) {
  const sizes = figures.flatMap((figure) => (figure.bytes === null ? [] : [figure.bytes]));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return (
    <Card
      title="What is stored"
      flush
      actions={
        sizes.length > 0 && (
          <span class="muted">
            {sizes.length < figures.length && "at least "}
            {bytes(total)} in all
          </span>
        )
      }
    >
      <DataTable
        caption="What the state backend stores"
        columns={[
          { label: "Name", rowHeader: true },
          { label: "Rows", align: "end" },
          { label: "Size", align: "end", hint: "With its indexes, if the store reports it" },
        ]}
        rows={figures.map((figure) => ({
          key: figure.name,
          cells: [
            <code key="name">{visibleLine(figure.name)}</code>,
            <Count key="rows" value={figure.rows} about={!figure.exact} />,
            figure.bytes === null ? (
              <span key="bytes" class="muted">
                {NOTHING}
              </span>
            ) : (
              <span key="bytes" class="number">
                {bytes(figure.bytes)}
              </span>
            ),
          ],
        }))}
        empty={<Empty title="The state backend has no data in this store" />}
      />
    </Card>
  );
}

/** The load that the monitor itself puts on the server, for its operators. */
function Loads({ model: { loads } }: { model: StateBackendOverview }) {
  if (loads.length === 0) return null;
  return (
    <Card title="Asked by this monitor">
      <Facts rows={loads.map((load) => ({ label: visibleLine(load.location), value: loadWords(load) }))} />
    </Card>
  );
}

function Registration({ model: { app_info } }: { model: StateBackendOverview }) {
  return (
    <Card title="Registration of the app">
      {app_info === null ? (
        <Empty title="The app is not registered here">
          <p>
            A purge of the state backend removes the registration; the next process of the app that starts writes it
            again. Until then the app is found only by its name.
          </p>
        </Empty>
      ) : (
        <Facts
          rows={Object.entries(app_info).map(([name, value]) => ({
            label: visibleLine(name),
            value: <Registered name={name} value={value} />,
          }))}
        />
      )}
    </Card>
  );
}

/** What the app wrote about itself is any JSON. */
function Registered({ name, value }: { name: string; value: unknown }) {
  if (value === null || value === undefined || value === "") return <span class="muted">not set</span>;
  if (typeof value !== "object") return <bdi class="mono">{visibleLine(String(value))}</bdi>;
  return <ValueText text={JSON.stringify(value, null, 2)} label={visibleLine(name)} inline />;
}
