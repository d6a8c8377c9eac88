import type { RerunPreview } from "../../src/api/reruns.ts";
import { calledAgainText } from "../../src/presentation/called-again.ts";
import { count, visibleLine } from "../../src/presentation/text.ts";
import { CONTROL_TEXT } from "../../src/pynenc/rerun.ts";
import { Consequences } from "../fragments/actions/action-preview.tsx";
import { InvocationStatus } from "../fragments/invocations/invocation-status.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { RouteForm } from "../fragments/queue/route-form.tsx";
import { ButtonLink } from "../fragments/ui/button-link.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { ConfirmForm } from "../fragments/ui/confirm-form.tsx";
import { Facts } from "../fragments/ui/facts.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

/** Asks before the call of an invocation is registered once more. */
export function RerunContent({ model, path, query }: View<RerunPreview>) {
  const links = useLinks();
  const { invocation } = model;
  const again = calledAgainText(model);
  const back = links.invocation(invocation.invocation_id);
  return (
    <>
      <PageHeader
        title="Rerun"
        trail={[
          { label: "Invocations", href: links.invocations() },
          { label: "Invocation", href: back },
        ]}
        summary="Registers the same call with the same arguments as a new invocation and puts it into the queue."
      />
      <Card title="The call">
        <Facts
          rows={[
            {
              label: "Task",
              value: invocation.task_id_key === null ? "unknown" : <TaskName task_id_key={invocation.task_id_key} />,
            },
            {
              label: "Arguments",
              value:
                invocation.arguments === null ? (
                  "not stored"
                ) : (
                  <bdi class="mono">{visibleLine(invocation.arguments) || "none"}</bdi>
                ),
            },
            ...(again === null ? [] : [{ label: "Calls again", value: again }]),
            { label: "Invocation", value: <Id value={invocation.invocation_id} href={back} full /> },
            { label: "Its status", value: <InvocationStatus row={invocation} /> },
            {
              label: "Runners",
              value: <a href={links.runners()}>{count(model.runners_alive.count)} active</a>,
            },
            ...(model.route === null
              ? []
              : [
                  {
                    label: "Queue",
                    value: `${visibleLine(model.route.queue_name)} (${visibleLine(model.route.queue_told_by)})`,
                  },
                  {
                    label: "Priority",
                    value: `${model.route.priority} (${visibleLine(model.route.priority_told_by)})`,
                  },
                ]),
            { label: "Workflow", value: model.own_workflow ? "starts its own workflow" : "none" },
            { label: "Concurrency control", value: CONTROL_TEXT[model.control] },
          ]}
        />
      </Card>
      {model.route !== null && <RouteForm path={path} query={query} />}
      <Consequences sentences={model.notes} />
      <Card title="Confirm">
        <ConfirmForm
          appId={model.app_id}
          action={links.current(path)}
          label="Rerun"
          fields={query}
          cancelHref={back}
          refused={model.refused}
        />
        {model.requeue_instead !== null && (
          <p>
            The waiting call has no message in the queue, so no runner takes it. Requeue its message instead of
            registering the call a second time:{" "}
            <a class="button primary" href={links.requeue(model.requeue_instead)}>
              Requeue
            </a>
          </p>
        )}
        {model.forcible && (
          <p>
            <ButtonLink href={links.rerun(invocation.invocation_id, { ...query, force: 1 })}>Rerun anyway</ButtonLink>
          </p>
        )}
      </Card>
    </>
  );
}
