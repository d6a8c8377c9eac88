/** `/invocations/{id}/api` and `/trigger-context` with at least the keys that clients of pynenc's own monitor read (behaviour.md 3.5). */
import type { WorkflowRole } from "../../api/invocations.ts";
import type { InvocationApi, LinkedRun, TriggerContextApi } from "../../api/legacy.ts";
import type { RunOfInvocation, TriggerContext } from "../../api/trigger-context.ts";
import type { Links } from "../../presentation/links.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { invocationDetail, invocationTriggerContext } from "../../services/invocations/invocation-detail.ts";

type TimelineLinks = Pick<Links, "timeline">;

const ROLE_WORDS: Record<WorkflowRole, { label: string; description: string }> = {
  none: { label: "No workflow", description: "This invocation belongs to no workflow." },
  root: { label: "Workflow root", description: "This invocation defines its workflow." },
  member: {
    label: "Workflow member",
    description: "This invocation runs inside a workflow that another one defines.",
  },
};

/** The detail under our own names plus those of pynenc's own monitor. @throws NotFoundError */
export async function invocationApi(app: OpenedApp, id: string, links: TimelineLinks): Promise<InvocationApi> {
  const { timeline, ...detail } = await invocationDetail(app, id);
  const { workflow } = detail;
  return {
    ...detail,
    ...withTimelineUrls(detail, links),
    timeline_url: timeline === null ? null : links.timeline(timeline),
    status: detail.status.toUpperCase(),
    num_retries: detail.retry_count,
    parent_invocation_id: detail.parent?.invocation_id ?? null,
    workflow_role: {
      kind: detail.workflow_role,
      ...ROLE_WORDS[detail.workflow_role],
      is_subworkflow: workflow?.is_subworkflow ?? false,
    },
    workflow: workflow === null ? null : { ...workflow, workflow_type: workflow.workflow_type_key },
  };
}

/** @throws NotFoundError */
export async function triggerContextApi(app: OpenedApp, id: string, links: TimelineLinks): Promise<TriggerContextApi> {
  const context = await invocationTriggerContext(app, id);
  return { ...context, ...withTimelineUrls(context, links) };
}

/** The runs with the address of their timeline, as clients of pynenc's own monitor expect it. */
function withTimelineUrls(
  { triggered_by, triggered_runs_caused }: Pick<TriggerContext, "triggered_by" | "triggered_runs_caused">,
  links: TimelineLinks,
): Pick<TriggerContextApi, "triggered_by" | "triggered_runs_caused"> {
  const addressed = ({ timeline, ...run }: RunOfInvocation): LinkedRun => ({
    ...run,
    timeline_url: timeline === null ? null : links.timeline(timeline),
  });
  return {
    triggered_by: triggered_by === null ? null : addressed(triggered_by),
    triggered_runs_caused: triggered_runs_caused.map(addressed),
  };
}
