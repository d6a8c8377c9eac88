import type { RunnerDetail } from "../../src/api/runners.ts";
import { type Fact, fact } from "../../src/presentation/facts/fact.ts";
import {
  childRunnersPart,
  registeredPart,
  runnerFacts,
  runnerState,
  workedOnPart,
} from "../../src/presentation/facts/runner.ts";
import { serviceRunsPart } from "../../src/presentation/facts/service-run.ts";
import { visibleLine } from "../../src/presentation/text.ts";
import { FactValueView } from "../fragments/facts/fact-value.tsx";
import { PartCard } from "../fragments/facts/part-card.tsx";
import { ThingFacts } from "../fragments/facts/thing-facts.tsx";
import { VerdictsHere } from "../fragments/health/verdicts.tsx";
import { SilenceNote } from "../fragments/runners/silence-note.tsx";
import { Lately } from "../fragments/stats/lately.tsx";
import { MiniTimeline } from "../fragments/timeline/mini-timeline.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View, WithVerdicts } from "./view.ts";

export function RunnerContent({ model }: View<WithVerdicts<RunnerDetail>>) {
  const links = useLinks();
  const { runner } = model;
  const [context, heartbeat, turns] = runnerFacts(model);
  return (
    <>
      <PageHeader
        trail={[{ label: "Runners", href: links.runners() }]}
        title={
          <>
            {runner.name.runner_cls === null ? "Runner" : visibleLine(runner.name.runner_cls)}{" "}
            <Id value={runner.runner_id} full />
          </>
        }
      >
        <FactValueView value={runnerState(runner)} />
      </PageHeader>
      <VerdictsHere of={model} />
      {runner.name.context_missing && (
        <Notice tone="warn">
          No context is stored under this id, so class, host and process are unknown. The state backend may have been
          purged while the runner was active, or another program wrote this id.
        </Notice>
      )}
      {!runner.active && runner.last_heartbeat !== null && <SilenceNote silence={model.silence} />}
      <div class="columns">
        <Card title="Context">
          <ThingFacts
            facts={[fact("runner_id", "Id", { id: runner.runner_id, full: true }), ...(context?.facts ?? [])]}
          />
        </Card>
        <Card title="Heartbeat">
          {runner.last_heartbeat === null ? (
            <Empty title="No heartbeat is stored">
              <p>
                Code outside any runner never sends one. A runner without one has just started, or its heartbeat was
                purged.
              </p>
            </Empty>
          ) : (
            <ThingFacts facts={heartbeat?.facts ?? []} />
          )}
        </Card>
      </div>
      <Lately lately={model.lately} of={{ runner: runner.runner_id }} charts={["finished", "failed", "run"]} />
      <MiniTimeline query={model.timeline} title="Latest activity" />
      <PartCard part={workedOnPart(model)} />
      <PartCard part={registeredPart(model)} />
      {(model.children.length > 0 || model.parent === null) && <PartCard part={childRunnersPart(model)} />}
      <PartCard part={serviceRunsPart(model)} id="card-atomic-service" before={<Turns facts={turns?.facts ?? []} />} />
    </>
  );
}

/** Whether it takes turns in the atomic service. */
function Turns({ facts }: { facts: readonly Fact[] }) {
  return (
    <div class="card-part">
      <ThingFacts facts={facts} />
    </div>
  );
}
