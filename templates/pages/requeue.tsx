import type { RequeueCandidate, RequeuePreview } from "../../src/api/actions.ts";
import type { Links } from "../../src/presentation/links.ts";
import { count, NOTHING, visible } from "../../src/presentation/text.ts";
import { Consequences } from "../fragments/actions/action-preview.tsx";
import { InvocationStatus } from "../fragments/invocations/invocation-status.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { RouteForm } from "../fragments/queue/route-form.tsx";
import { ButtonLink } from "../fragments/ui/button-link.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { ConfirmForm } from "../fragments/ui/confirm-form.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

const COLUMNS = [
  { label: "Invocation", rowHeader: true },
  { label: "Message" },
  { label: "Status" },
  { label: "Since" },
  { label: "Task" },
] as const;

/** Asks before the messages of invocations are put back into the queue. */
export function RequeueContent({ model, path, query }: View<RequeuePreview>) {
  const links = useLinks();
  const [first, ...others] = model.candidates;
  const one = others.length === 0 ? first : undefined;
  const back =
    one === undefined
      ? links.invocations({ inv_ids: query.inv_ids ?? [] })
      : links.invocation(one.invocation.invocation_id);
  return (
    <>
      <PageHeader
        title="Requeue"
        trail={[
          { label: "Invocations", href: links.invocations() },
          ...(one === undefined ? [] : [{ label: "Invocation", href: back }]),
        ]}
        summary="Puts back the lost message of an invocation that is waiting for a runner."
      />
      <Card title={one === undefined ? `Invocations (${count(model.candidates.length)})` : "The invocation"} flush>
        <DataTable
          caption="Invocations and what would happen to their messages"
          columns={COLUMNS}
          rows={model.candidates.map((candidate) => ({
            key: candidate.invocation.invocation_id,
            cells: cellsOf(candidate, links),
          }))}
          empty={<Empty title="None" />}
        />
        <p class="card-foot">
          <a href={links.runners()}>
            {model.runners_alive.count === 1 ? "1 runner" : `${count(model.runners_alive.count)} runners`}
          </a>{" "}
          active now
        </p>
      </Card>
      {model.routes.length > 0 && <RouteForm path={path} query={query} />}
      <Consequences sentences={model.notes} />
      <Card title="Confirm">
        <ConfirmForm
          appId={model.app_id}
          action={links.current(path)}
          label={model.requeued === 1 ? "Put 1 message back" : `Put ${count(model.requeued)} messages back`}
          fields={query}
          cancelHref={back}
          refused={model.refused}
        />
        {model.forcible && (
          <p>
            <ButtonLink href={links.current(path, { ...query, force: 1 })}>
              Put back anyway, although the message may be in the queue
            </ButtonLink>
          </p>
        )}
      </Card>
    </>
  );
}

function cellsOf({ invocation, refusal }: RequeueCandidate, links: Links) {
  const { invocation_id, task_id_key, status_at } = invocation;
  return [
    <Id key="id" value={invocation_id} href={links.invocation(invocation_id)} />,
    <span key="message" class="cell-text">
      {refusal === null ? "would be put back" : `not put back: ${visible(refusal.reason)}`}
    </span>,
    <InvocationStatus key="status" row={invocation} />,
    status_at === null ? NOTHING : <Time key="since" iso={status_at} relative />,
    task_id_key === null ? NOTHING : <TaskName key="task" task_id_key={task_id_key} />,
  ];
}
