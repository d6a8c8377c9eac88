import type { TriggerCondition, TriggerDetail } from "../../src/api/triggers.ts";
import { conditionValue, pendingPart, scheduleFacts } from "../../src/presentation/facts/condition.ts";
import {
  NAMED,
  triggerConditionsPart,
  triggerFacts,
  triggerOwnRunsPart,
} from "../../src/presentation/facts/trigger.ts";
import { visible } from "../../src/presentation/text.ts";
import { FactValueView } from "../fragments/facts/fact-value.tsx";
import { PartCard } from "../fragments/facts/part-card.tsx";
import { FactLine, ThingFacts } from "../fragments/facts/thing-facts.tsx";
import { VerdictsHere } from "../fragments/health/verdicts.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Unrecorded } from "../fragments/ui/unrecorded.tsx";
import { ArgumentsList } from "../fragments/values/arguments-list.tsx";
import { RecordItems } from "../fragments/values/record-items.tsx";
import { RawText } from "../fragments/values/shown-value.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View, WithVerdicts } from "./view.ts";

interface Part {
  model: TriggerDetail;
}

/** The definition of a trigger with its latest runs. */
export function TriggerContent({ model }: View<WithVerdicts<TriggerDetail>>) {
  const links = useLinks();
  return (
    <>
      <PageHeader
        title={
          <>
            Trigger of <TaskName task_id_key={model.task_id_key} href={links.task(model.task_id_key)} />
          </>
        }
        trail={[{ label: "Triggers", href: links.triggers() }]}
        summary={
          <FactLine
            id={model.trigger_id}
            groups={triggerFacts({ ...model, waiting: null })}
            keys={["when", "arguments"]}
          />
        }
      >
        {model.core && (
          <span class="mark" title="It starts one of pynenc's own tasks">
            pynenc
          </span>
        )}
      </PageHeader>
      <VerdictsHere of={model} />
      <Waiting model={model} />
      <Runs model={model} />
      {model.conditions_count > NAMED && <PartCard part={triggerConditionsPart(model)} id="card-conditions" />}
      {model.conditions.map(
        (condition) =>
          condition.type === "CronCondition" && <Schedule key={condition.condition_id} condition={condition} />,
      )}
      <Provided model={model} />
    </>
  );
}

/** The fixed arguments that it gives to what it starts; the line under the title names where others come from. */
function Provided({ model: { argument_provider: provider } }: Part) {
  if (provider.arguments.length === 0) return null;
  return (
    <Card title="Arguments">
      <ArgumentsList values={provider.arguments} unreadable={null} stored />
      <RawText text={provider.json} />
    </Card>
  );
}

/** Conditions of it that are met now: what it waits for, or that it ran for them already. */
function Waiting({ model: { waiting, pending } }: Part) {
  if (pending.rows.length === 0) return null;
  const words =
    waiting === null
      ? "It has run for all of these. They stay stored until every trigger with the same condition has run."
      : waiting.sentence;
  const part = pendingPart(
    "Stored matches",
    pending,
    "What met conditions of this trigger, and is still stored",
    PENDING_SHOWN,
  );
  return <PartCard part={part} id="card-pending" before={<p class="card-part">{visible(words)}</p>} />;
}

const PENDING_SHOWN = 20;

function Schedule({ condition }: { condition: TriggerCondition }) {
  return (
    <Card title={<FactValueView value={conditionValue(condition)} />}>
      <div class="columns">
        <RecordItems items={condition.items} />
        <ThingFacts facts={scheduleFacts(condition)} />
      </div>
    </Card>
  );
}

function whyNoRun({ waiting, pending, trigger_runs_capped, no_runs }: TriggerDetail): string {
  const unmet =
    pending.total === null
      ? "Whether its conditions are met is still being checked."
      : "None of its conditions is stored as met.";
  const now = waiting === null ? unmet : "What it is waiting for is shown above.";
  if (trigger_runs_capped) return `${now} ${no_runs}`;
  return `${now} It has not run yet, or its runs were removed when their retention ended.`;
}

/** Without rows it says why, and where more may be found. */
function Runs({ model }: Part) {
  const links = useLinks();
  const { trigger_runs_capped: capped, events_recorded } = model;
  return (
    <PartCard
      part={triggerOwnRunsPart(model)}
      id="card-runs"
      empty={
        events_recorded ? (
          <Empty title={capped ? "No run was found" : "No run is recorded"}>
            {visible(whyNoRun(model))}{" "}
            {capped && <a href={links.triggerRuns({ trigger: model.trigger_id })}>All of them</a>}
          </Empty>
        ) : (
          <Unrecorded what="Trigger runs" />
        )
      }
    />
  );
}
