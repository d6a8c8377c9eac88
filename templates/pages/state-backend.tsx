import type { StateBackendOverview } from "../../src/api/components.ts";
import { count, visibleLine } from "../../src/presentation/text.ts";
import { counted } from "../../src/pynenc/numbers.ts";
import { ComponentHead } from "../fragments/store/component-head.tsx";
import { StorageFigures } from "../fragments/store/storage-figures.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Facts } from "../fragments/ui/facts.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { Settings } from "../fragments/ui/settings-table.tsx";
import { Tile, Tiles } from "../fragments/ui/tile.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { ValueText } from "../fragments/values/value-text.tsx";
import { useLinks } from "../links.ts";
import type { Page, View } from "./view.ts";

export function StateBackendContent({ model, readOnly }: View<StateBackendOverview>) {
  const links = useLinks();
  return (
    <>
      <ComponentHead
        title="State backend"
        name="the state backend"
        present={model.present}
        removals={[
          {
            href: links.purgeStateBackend(),
            label: "Purge",
            effect: "Deletes definitions, histories, results, exceptions, runner contexts and workflows.",
          },
        ]}
        readOnly={readOnly}
      >
        <p>Definitions of invocations, their history, results and exceptions, runner contexts and workflows.</p>
      </ComponentHead>
      <Difference model={model} />
      {model.totals.defined > 0 && (
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
            hint="of any invocation"
          />
          <Tile
            label="Latest history entry"
            value={model.newest_entry === null ? "none" : <Time iso={model.newest_entry} relative />}
            hint="of any invocation"
          />
        </Tiles>
      )}
      <StorageFigures figures={model.figures} caption="What the state backend stores" />
      <Registration model={model} />
      <Settings settings={model.settings} caption="Settings of the state backend" />
    </>
  );
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

function Registration({ model: { app_info } }: { model: StateBackendOverview }) {
  return (
    <Card title="Registration of the app">
      {app_info === null ? (
        <Empty title="The app is not registered here">
          A purge of the state backend removes the registration; the next process of the app that starts writes it
          again. Until then the app is found only by its name.
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

export const page: Page<StateBackendOverview> = {
  region: "state-backend",
  nav: "state_backend",
  title: () => "State backend",
  content: StateBackendContent,
};
