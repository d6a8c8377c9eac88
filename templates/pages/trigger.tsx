import type { TriggerCondition, TriggerDetail } from "../../src/api/triggers.ts";
import { conditionValue, pendingPart, scheduleFacts } from "../../src/presentation/facts/condition.ts";
import { triggerFacts } from "../../src/presentation/facts/trigger.ts";
import { TRIGGER_RUN_COLUMNS } from "../../src/presentation/facts/trigger-run.ts";
import { count, visible, visibleLine } from "../../src/presentation/text.ts";
import { ColumnTable } from "../fragments/facts/column-table.tsx";
import { FactValueView } from "../fragments/facts/fact-value.tsx";
import { PartCard } from "../fragments/facts/part-card.tsx";
import { FactLine, ThingFacts } from "../fragments/facts/thing-facts.tsx";
import { VerdictsHere } from "../fragments/health/verdicts.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
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
  const { conditions, conditions_count } = model;
  const cut = conditions_count > conditions.length;
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
      <Notes notes={cut ? [`Only the first ${conditions.length} of ${conditions_count} conditions are shown.`] : []} />
      <VerdictsHere of={model} />
      <Waiting model={model} />
      <Runs model={model} />
      {conditions.map((condition, index) => (
        <Condition key={condition.condition_id} condition={condition} number={index + 1} />
      ))}
      <Provided model={model} />
    </>
  );
}

/** The arguments that it gives to what it starts. */
function Provided({ model: { argument_provider: provider } }: Part) {
  if (provider.arguments.length === 0 && provider.json === null) return null;
  return (
    <Card title="Arguments">
      {provider.arguments.length > 0 && <ArgumentsList values={provider.arguments} unreadable={null} stored />}
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
  const part = pendingPart(PENDING, pending, "Conditions of this trigger that are met now", PENDING_SHOWN);
  return <PartCard part={part} id="card-pending" before={<p class="card-part">{visible(words)}</p>} />;
}

const PENDING = "Met conditions still stored";
const PENDING_SHOWN = 20;

function Condition({ condition, number }: { condition: TriggerCondition; number: number }) {
  const { condition_id, sentence, registered, type, met } = condition;
  return (
    <Card
      title={<FactValueView value={conditionValue({ condition_id, sentence, registered })} />}
      id={`condition-${number}`}
      actions={
        <>
          {met && (
            <span class="mark mark-good" title="Something met it, and that is still stored">
              met now
            </span>
          )}
          <span class="mark">{visibleLine(type ?? "unknown condition")}</span>
        </>
      }
    >
      {registered && (
        <div class="columns">
          <RecordItems items={condition.items} />
          {type === "CronCondition" && <ThingFacts facts={scheduleFacts(condition)} />}
        </div>
      )}
      {!registered && <p class="muted">No condition is registered under this id, so nothing can meet it.</p>}
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

function Runs({ model }: Part) {
  const links = useLinks();
  const { trigger_runs: runs, trigger_runs_count: total, trigger_runs_capped } = model;
  const all = `${count(total ?? 0)}${trigger_runs_capped ? "+" : ""}`;
  return (
    <Card
      title={total === null || (total === 0 && trigger_runs_capped) ? "Runs" : `Runs (${all})`}
      id="card-runs"
      actions={
        (runs.length > 0 || trigger_runs_capped) && (
          <a href={links.triggerRuns({ trigger: model.trigger_id })}>
            {total === runs.length ? "As a filtered list" : `All ${all}`}
          </a>
        )
      }
      flush
    >
      <ColumnTable
        columns={TRIGGER_RUN_COLUMNS}
        records={runs}
        keyOf={(run) => run.trigger_run_id}
        growing
        caption="Runs of this trigger, last written first"
        hide={["task_id_key", "trigger_id"]}
        empty={
          model.events_recorded ? (
            <Empty title={trigger_runs_capped ? "No run was found" : "No run is recorded"}>
              <p>{visible(whyNoRun(model))}</p>
            </Empty>
          ) : (
            <Unrecorded what="Trigger runs" />
          )
        }
      />
    </Card>
  );
}
