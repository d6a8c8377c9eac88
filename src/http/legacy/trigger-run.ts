/** `/trigger-runs/{id}/api` with the keys that clients of pynenc's own monitor read (behaviour.md 3.8). */

import type { ConditionView, ParticipantView } from "../../api/conditions.ts";
import type { ConditionBlock, ParticipantBlocks, TriggerRunApi } from "../../api/legacy.ts";
import type { InvocationSummary } from "../../api/model/invocation-rows.ts";
import type { WholeTriggerRun } from "../../api/trigger-runs.ts";
import type { Links } from "../../presentation/links.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { contextItems } from "../../services/model/condition-views.ts";
import { invocationSummary } from "../../services/model/invocation-summary.ts";
import { fullTriggerRun } from "../../services/triggers/trigger-run-detail.ts";

/** The links that the document carries. */
type RunLinks = Pick<Links, "timeline" | "condition" | "validCondition">;

/** @throws NotFoundError */
export async function triggerRunApi(app: OpenedApp, id: string, links: RunLinks): Promise<TriggerRunApi> {
  const detail = await fullTriggerRun(app, id);
  const { participant_views, conditions, sources, triggered_invocation, events, notes, truncated, ...run } = detail;
  const {
    core: _core,
    events_gone: _gone,
    atomic_service_runner: _runner,
    trigger_registered,
    timeline,
    ...object
  } = run;
  const views = new Map<string, ConditionView>();
  for (const view of [...conditions, ...participant_views.flatMap((p) => p.condition ?? [])]) {
    views.set(view.condition_id, view);
  }
  return {
    ...object,
    participants: object.participants.map((participant, index) => {
      const view = participant_views[index];
      return view === undefined
        ? participant
        : { ...participant, ...participantBlocks(view, participant.context_summary, links) };
    }),
    show_participant_event_column: object.participants.some((p) => p.event_id !== null),
    show_participant_source_column: new Set(object.participants.flatMap((p) => p.source_invocation_id ?? [])).size > 1,
    condition_details: [...views.values()].map((view) => conditionBlock(view, links)),
    invocation_summaries: summariesOf(detail),
    events,
    timeline_url: timeline === null ? null : links.timeline(timeline),
    trigger_registered,
    truncated,
    notes,
  };
}

function participantBlocks(view: ParticipantView, summary: string, links: RunLinks): ParticipantBlocks {
  const { context, valid_condition_id: id, valid_condition_retained: live } = view;
  const items = contextItems(context);
  return {
    condition_view: conditionBlock(view.condition, links),
    context_view: {
      available: items.length > 0,
      kind: "ConditionContext",
      type: context.type,
      id,
      id_short: short(id),
      timestamp: context.timestamp,
      summary,
      source: context.source,
      items,
    },
    valid_condition_view: {
      id,
      id_short: short(id),
      available: live,
      source: context.source,
      detail_url: live && id !== null ? links.validCondition(id) : null,
    },
  };
}

function conditionBlock(view: ConditionView | null, links: RunLinks): ConditionBlock {
  const id = view?.condition_id ?? null;
  return {
    available: view !== null && view.type !== null,
    kind: "TriggerCondition",
    type: view?.type ?? null,
    id,
    id_short: short(id),
    detail_url: view?.registered && id !== null ? links.condition(id) : null,
    sentence: view?.sentence ?? null,
    items: view?.items ?? [],
  };
}

/** `condition#tasks.add#su...c_no_args_ok`: as long as the short ids of pynenc's own monitor. */
function short(id: string | null): string | null {
  if (id === null) return null;
  const characters = Array.from(id);
  if (characters.length <= 37) return id;
  return `${characters.slice(0, 22).join("")}...${characters.slice(-12).join("")}`;
}

/** A deleted invocation is described by the text stored with the run. */
function summariesOf(detail: WholeTriggerRun): Record<string, InvocationSummary> {
  const rows = [...detail.sources, ...(detail.triggered_invocation === null ? [] : [detail.triggered_invocation])];
  const contexts = new Map(detail.participant_views.map(({ context }) => [context.invocation_id, context]));
  const summaries = rows.map((row): [string, InvocationSummary] => {
    const summary = invocationSummary(row);
    const context = contexts.get(row.invocation_id);
    if (row.status_source !== "none" || row.task_id_key !== null || context === undefined) {
      return [row.invocation_id, summary];
    }
    const filled = { ...row, task_id_key: context.task_id_key, status: context.status ?? row.status };
    return [row.invocation_id, invocationSummary(filled)];
  });
  return Object.fromEntries(summaries);
}
