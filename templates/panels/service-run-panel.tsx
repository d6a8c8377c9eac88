import type { AtomicRun } from "../../src/api/runners.ts";
import { serviceRunFacts, serviceStatus, triggerRunsOfServicePart } from "../../src/presentation/facts/service-run.ts";
import { FactValueView } from "../fragments/facts/fact-value.tsx";
import { useLinks } from "../links.ts";
import { Panel, PanelTable } from "./panel.tsx";

export function ServiceRunPanel({ model }: { model: AtomicRun }) {
  const links = useLinks();
  const { execution } = model;
  return (
    <Panel
      kind="Atomic service"
      title="Run of the atomic service"
      state={
        execution === null ? (
          <span class="mark">not recorded</span>
        ) : (
          <FactValueView value={{ parts: serviceStatus(execution) }} />
        )
      }
      page={links.atomicRun(model.atomic_service_run_id)}
      timeline={model.timeline}
      id={model.atomic_service_run_id}
      facts={serviceRunFacts(model)}
      hide={["status"]}
    >
      <PanelTable part={triggerRunsOfServicePart(model)} />
    </Panel>
  );
}
