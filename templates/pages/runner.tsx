import type { RunnerDetail } from "../../src/api/runners.ts";
import type { Fact } from "../../src/presentation/facts/fact.ts";
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
import { FactLine, ThingFacts } from "../fragments/facts/thing-facts.tsx";
import { VerdictsHere } from "../fragments/health/verdicts.tsx";
import { SilenceNote } from "../fragments/runners/silence-note.tsx";
import { Lately } from "../fragments/stats/lately.tsx";
import { MiniTimeline } from "../fragments/timeline/mini-timeline.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View, WithVerdicts } from "./view.ts";

export function RunnerContent({ model }: View<WithVerdicts<RunnerDetail>>) {
  const links = useLinks();
  const { runner } = model;
  const [, , turns] = runnerFacts(model);
  const service = { ...serviceRunsPart(model), hide: ["end_time"] };
  return (
    <>
      <PageHeader
        trail={[{ label: "Runners", href: links.runners() }]}
        title={runner.name.runner_cls === null ? "Runner" : visibleLine(runner.name.runner_cls)}
        summary={<FactLine id={runner.runner_id} groups={runnerFacts(model)} keys={HEAD_FACTS} />}
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
      <Lately model={model} of={{ runner: runner.runner_id }} charts={["finished", "failed", "run"]} />
      <PartCard part={workedOnPart(model, ROWS)} />
      <PartCard part={registeredPart(model, ROWS)} />
      <PartCard part={childRunnersPart(model)} empty={null} first={ROWS} />
      <PartCard
        part={service}
        id="card-atomic-service"
        first={ROWS}
        before={service.rows.length === 0 && <Turns facts={turns?.facts ?? []} />}
      />
      <MiniTimeline query={model.timeline} title="Latest activity" />
    </>
  );
}

/** Rows of each table. */
const ROWS = 10;

/** In the line under the title. */
const HEAD_FACTS = [
  "hostname",
  "pid",
  "thread_id",
  "idle_since",
  "last_heartbeat",
  "clock",
  "age_seconds",
  "consumed_queues",
  "parent",
  "atomic_service_eligible",
];

/** Its last turn in the atomic service, where runs are not recorded. */
function Turns({ facts }: { facts: readonly Fact[] }) {
  return (
    <div class="card-part">
      <ThingFacts facts={facts} />
    </div>
  );
}
