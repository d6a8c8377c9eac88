import { count, visibleLine } from "../../src/presentation/text.ts";
import type { EventFacts } from "../../src/services/triggers/event-detail.ts";
import { InvocationLink } from "../fragments/invocations/invocation-link.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { NamedRunner } from "../fragments/runners/runner-table.tsx";
import type { Fact } from "../fragments/ui/facts.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { ArgumentsList } from "../fragments/values/arguments-list.tsx";
import { useLinks } from "../links.ts";
import { MoreInDetails, Panel, PanelPart } from "./panel.tsx";

const SHOWN = 20;

export function EventPanel({ model }: { model: EventFacts }) {
  const links = useLinks();
  const { trigger_runs: runs, triggered_invocations: started, triggered_invocations_count: total } = model;
  return (
    <Panel
      kind="Event"
      title={<bdi>{visibleLine(model.event_code) || "(empty)"}</bdi>}
      state={
        model.triggered ? (
          <span class="mark mark-good">started an invocation</span>
        ) : (
          <span class="mark">{model.matched ? "met a condition" : "met no condition"}</span>
        )
      }
      page={links.event(model.event_id)}
      timeline={model.timeline}
      facts={useFacts(model)}
    >
      <Notes notes={model.notes} tone="warn" />
      {model.payload_too_large !== null && (
        <p class="muted">The payload has {count(model.payload_too_large)} bytes: too large to show.</p>
      )}
      {model.payload.length > 0 && (
        <PanelPart title="Payload">
          <ArgumentsList values={model.payload} unreadable={null} stored />
        </PanelPart>
      )}
      {started.length > 0 && (
        <PanelPart title={`Invocations started (${count(total)}${model.triggered_invocations_capped ? "+" : ""})`}>
          <ul class="panel-list">
            {started.slice(0, SHOWN).map((row) => (
              <li key={row.invocation_id}>
                <InvocationLink row={row} />
              </li>
            ))}
          </ul>
          <MoreInDetails shown={SHOWN} of={total} cut={model.triggered_invocations_capped} />
        </PanelPart>
      )}
      {runs.length > 0 && (
        <PanelPart title={`Trigger runs (${count(runs.length)}${model.trigger_runs_truncated ? "+" : ""})`}>
          <ul class="panel-list">
            {runs.slice(0, SHOWN).map((run) => (
              <li key={run.trigger_run_id}>
                <Id value={run.trigger_run_id} href={links.triggerRun(run.trigger_run_id)} copy={false} />
                <TaskName task_id_key={run.task_id_key} />
                <Time iso={run.executed_at ?? run.claimed_at} clock />
              </li>
            ))}
          </ul>
          <MoreInDetails shown={SHOWN} of={runs.length} cut={model.trigger_runs_truncated} />
        </PanelPart>
      )}
    </Panel>
  );
}

function useFacts({ event_id, timestamp, emitter, emitter_runner: runner }: EventFacts): Fact[] {
  return [
    { label: "Id", value: <Id value={event_id} full /> },
    { label: "Time", value: <Time iso={timestamp} /> },
    {
      label: "Emitted by",
      value:
        emitter === null ? <span class="muted">code outside any invocation</span> : <InvocationLink row={emitter} />,
    },
    ...(runner === null ? [] : [{ label: "On", value: <NamedRunner name={runner} /> }]),
  ];
}
