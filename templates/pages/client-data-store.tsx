import type { ClientDataOverview, LookedUpValue } from "../../src/api/components.ts";
import { bytes, shortId, visibleLine } from "../../src/presentation/text.ts";
import { counted } from "../../src/pynenc/numbers.ts";
import { ComponentHead } from "../fragments/store/component-head.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Facts } from "../fragments/ui/facts.tsx";
import { FilterBar } from "../fragments/ui/filter-bar.tsx";
import { TextField } from "../fragments/ui/filter-form.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Settings } from "../fragments/ui/settings-table.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { NoRows, ViewPager } from "../fragments/ui/view-pager.tsx";
import { ValueView } from "../fragments/values/value-view.tsx";
import { useLinks } from "../links.ts";
import type { Page, View } from "./view.ts";

export function ClientDataHeader({ model, path, query, readOnly }: View<ClientDataOverview>) {
  const links = useLinks();
  const reference = query.reference?.at(-1) ?? "";
  return (
    <>
      <ComponentHead
        title="Client data store"
        name="the client data store"
        present={model.present}
        removals={[
          {
            href: links.purgeClientData(),
            label: "Purge",
            effect: "Deletes all client data: references to it can no longer be resolved.",
          },
        ]}
        readOnly={readOnly}
      >
        <p>Large arguments, results and payloads, stored once and referenced where they are used.</p>
      </ComponentHead>
      <FilterBar path={path} clearHref={reference === "" ? undefined : links.clientDataStore()}>
        <TextField
          name="reference"
          label="Reference"
          value={reference}
          placeholder="__pynenc__client_data__:…"
          help={<p>A full reference, or its 64 hex digits.</p>}
          wide
          code
        />
      </FilterBar>
    </>
  );
}

export function ClientDataContent(view: View<ClientDataOverview>) {
  const links = useLinks();
  const { model } = view;
  // A server may record no times; values are then in another order, and ages are not shown.
  const timed = model.values === 0 || model.oldest !== null;
  const order = timed ? "newest first" : "by reference";
  return (
    <>
      {model.looked_up !== null && <LookedUp value={model.looked_up} />}
      <Card
        title={counted(model.values, "value")}
        id="card-values"
        flush
        actions={
          model.values > 0 && (
            <span class="muted">
              {bytes(model.bytes)}
              {model.oldest !== null && (
                <>
                  , the oldest <Time iso={model.oldest} relative />
                </>
              )}
            </span>
          )
        }
      >
        <DataTable
          caption={`Values in the client data store, ${order}`}
          columns={[
            { label: "Reference", rowHeader: true },
            { label: "Size", align: "end" },
            ...(timed ? [{ label: "Stored", hint: "A value that is stored again gets a new time" }] : []),
          ]}
          rows={model.rows.map((row) => ({
            key: row.data_key,
            cells: [
              // All begin with the same words.
              <a key="id" class="id" href={links.clientValue(row.data_key)} title={visibleLine(row.data_key)}>
                {visibleLine(shortId(row.data_key.slice(row.data_key.lastIndexOf(":") + 1)))}
              </a>,
              <span key="size" class="number">
                {bytes(row.size)}
              </span>,
              ...(timed ? [<Time key="age" iso={row.stored_at} relative />] : []),
            ],
          }))}
          empty={
            <NoRows page={model.page} view={view} title="No client data is stored">
              {model.present &&
                "Only values of at least min_size_to_cache characters are stored here. The app has had none, or the store was purged; an orchestrator purge does not remove them."}
            </NoRows>
          }
        />
        {model.rows.length > 0 && <ViewPager page={model.page} view={view} />}
      </Card>
      <Settings settings={model.settings} caption="Settings of the client data store" />
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
