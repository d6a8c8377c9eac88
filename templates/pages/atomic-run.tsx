import type { AtomicRun } from "../../src/api/runners.ts";
import {
  serviceRunFacts,
  serviceStatus,
  stuckWords,
  triggerRunsOfServicePart,
} from "../../src/presentation/facts/service-run.ts";
import { FactValueView } from "../fragments/facts/fact-value.tsx";
import { PartCard } from "../fragments/facts/part-card.tsx";
import { FactCard, FactLine } from "../fragments/facts/thing-facts.tsx";
import { ButtonLink } from "../fragments/ui/button-link.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { amount } from "../fragments/ui/settings-table.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

export function AtomicRunContent({ model }: View<AtomicRun>) {
  const links = useLinks();
  const { execution, atomic_service_run_id: id } = model;
  const groups = serviceRunFacts(model);
  return (
    <>
      <PageHeader
        trail={[
          { label: "Runners", href: links.runners() },
          { label: "Atomic service", href: links.atomicTimeline() },
        ]}
        title="Service run"
        summary={<FactLine id={id} groups={groups} keys={HEAD_FACTS} />}
        actions={
          execution !== null && (
            <>
              {model.timeline !== null && (
                <ButtonLink href={links.timeline({ ...model.timeline })}>Timeline</ButtonLink>
              )}
              <ButtonLink href={links.atomicTimeline({ selected_atomic_service_run_id: id })}>
                All service runs
              </ButtonLink>
            </>
          )
        }
      >
        {execution !== null && <FactValueView value={{ parts: serviceStatus(execution) }} />}
      </PageHeader>
      {execution === null && (
        <Notice tone="warn">
          The record of this run is not stored. {retention(model)} Only the trigger runs that name it are left.
        </Notice>
      )}
      {execution !== null && execution.stuck !== null && (
        <Notice tone="error">
          {stuckWords(execution.stuck)} While it is recorded as running, every other run is blocked: no triggers, no
          recovery.
        </Notice>
      )}
      <FactCard
        title="Why it ended so"
        groups={groups}
        hide={[...HEAD_FACTS, "end_time", "status", "last_heartbeat"]}
      />
      <PartCard part={triggerRunsOfServicePart(model)} />
    </>
  );
}

/** In the line under the title. */
const HEAD_FACTS = ["start_time", "seconds", "runner"];

function retention({ settings }: AtomicRun): string {
  const row = settings.find((setting) => setting.field === "atomic_service_execution_retention_minutes");
  return row === undefined ? "" : `pynenc keeps such records for ${amount(row.value, row.unit)}.`;
}
