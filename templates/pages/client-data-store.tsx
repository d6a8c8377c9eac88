import type { ClientDataOverview, LookedUpValue } from "../../src/api/components.ts";
import { bytes } from "../../src/presentation/text.ts";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { DangerZone } from "../fragments/ui/danger-zone.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Facts } from "../fragments/ui/facts.tsx";
import { FilterForm, TextField } from "../fragments/ui/filter-form.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { SettingsTable } from "../fragments/ui/settings-table.tsx";
import { Tile, Tiles } from "../fragments/ui/tile.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { NoRows, ViewPager } from "../fragments/ui/view-pager.tsx";
import { ValueView } from "../fragments/values/value-view.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { Page, View } from "./view.ts";

export function ClientDataHeader({ path, query }: View<ClientDataOverview>) {
  const links = useLinks();
  const reference = query.reference?.at(-1) ?? "";
  return (
    <>
      <PageHeader
        title="Client data store"
        summary="Large arguments, results and payloads, stored once and referenced where they are used."
      />
      <FilterForm path={path} action="Look up" clearHref={reference === "" ? undefined : links.clientDataStore()}>
        <TextField
          name="reference"
          label="Reference"
          value={reference}
          placeholder="__pynenc__client_data__:…"
          hint="A full reference, or its 64 hex digits"
          code
        />
      </FilterForm>
    </>
  );
}

export function ClientDataContent(view: View<ClientDataOverview>) {
  const links = useLinks();
  const { model, readOnly } = view;
  // A server may record no times; values are then in another order, and ages are not shown.
  const timed = model.values === 0 || model.oldest !== null;
  const order = timed ? "newest first" : "by reference";
  const inMemory = (
    <p>
      The app keeps large values in the memory of its processes or in another store, so references to them cannot be
      resolved here.
    </p>
  );
  return (
    <>
      {model.looked_up !== null && <LookedUp value={model.looked_up} />}
      {!model.present && (
        <Notice tone="warn">
          The client data store has no data in this store.
          {inMemory}
        </Notice>
      )}
      <Tiles>
        <Tile label="Values" value={<Count value={model.values} />} hint="in the client data store" />
        <Tile label="Size" value={bytes(model.bytes)} hint="of all values" />
        {timed && (
          <>
            <Tile
              label="Oldest"
              value={model.oldest === null ? "none" : <Time iso={model.oldest} relative />}
              hint="last stored"
            />
            <Tile
              label="Newest"
              value={model.newest === null ? "none" : <Time iso={model.newest} relative />}
              hint="last stored"
            />
          </>
        )}
      </Tiles>
      <Card title={`Values, ${order}`} flush>
        <DataTable
          caption={`Values in the client data store, ${order}`}
          columns={[
            { label: "Reference", rowHeader: true },
            { label: "Size", align: "end" },
            ...(timed
              ? [{ label: "Stored", hint: "A value that is stored again gets a new time" }, { label: "At" }]
              : []),
          ]}
          rows={model.rows.map((row) => ({
            key: row.data_key,
            cells: [
              <Id key="id" value={row.data_key} href={links.clientValue(row.data_key)} />,
              <span key="size" class="number">
                {bytes(row.size)}
              </span>,
              ...(timed
                ? [<Time key="age" iso={row.stored_at} relative />, <Time key="at" iso={row.stored_at} />]
                : []),
            ],
          }))}
          empty={
            <NoRows page={model.page} view={view}>
              <Empty title="No client data is stored">
                {model.present ? (
                  <p>
                    Only values of at least min_size_to_cache characters are stored here. The app has had none, or the
                    store was purged; an orchestrator purge does not remove them.
                  </p>
                ) : (
                  inMemory
                )}
              </Empty>
            </NoRows>
          }
        />
        {model.rows.length > 0 && <ViewPager page={model.page} view={view} />}
      </Card>
      <Card title="Settings" flush>
        <SettingsTable settings={model.settings} caption="Settings of the client data store" />
      </Card>
      <DangerZone
        readOnly={readOnly}
        actions={[
          {
            label: "Purge the client data store …",
            href: links.purgeClientData(),
            text: "Deletes all client data: references to it can no longer be resolved.",
          },
        ]}
      />
    </>
  );
}

function LookedUp({ value }: { value: LookedUpValue }) {
  return (
    <Card title="Value">
      <Facts
        rows={[
          { label: "Reference", value: <Id value={value.data_key} full /> },
          { label: "Size", value: bytes(value.size) },
          ...(value.stored_at === null ? [] : [{ label: "Stored", value: <Time iso={value.stored_at} /> }]),
        ]}
      />
      <ValueView value={value.value} />
    </Card>
  );
}

export const page: Page<ClientDataOverview> = {
  region: "client-data-store",
  about: { kind: "client_data", in: "query", name: "reference" },
  nav: "client_data",
  title: () => "Client data store",
  header: ClientDataHeader,
  content: ClientDataContent,
};
