import type { PageInfo } from "../../src/api/model/common.ts";
import type { CallDetail } from "../../src/api/tasks.ts";
import { callFacts } from "../../src/presentation/facts/task.ts";
import { count } from "../../src/presentation/text.ts";
import { InvocationTable } from "../fragments/facts/invocation-table.tsx";
import { FactLine } from "../fragments/facts/thing-facts.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { ButtonLink } from "../fragments/ui/button-link.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { NoRows, ViewPager } from "../fragments/ui/view-pager.tsx";
import { ArgumentsList } from "../fragments/values/arguments-list.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { View } from "./view.ts";

/** A task with one set of arguments. */
export function CallContent(view: View<CallDetail>) {
  const { model: call } = view;
  const links = useLinks();
  const total = totalText(call.page);
  return (
    <>
      <PageHeader
        title={
          <>
            Call of <TaskName task_id_key={call.task_id_key} />
          </>
        }
        trail={[
          { label: "Tasks", href: links.tasks() },
          { label: <TaskName task_id_key={call.task_id_key} />, href: links.task(call.task_id_key) },
        ]}
        summary={<FactLine groups={callFacts(call)} keys={["arguments_id"]} />}
        actions={<ButtonLink href={links.invocations({ call_id: call.call_id_key })}>Invocations</ButtonLink>}
      />
      <Card title="Arguments">
        <ArgumentsList
          values={call.arguments}
          unreadable={call.arguments_unreadable}
          tooLarge={call.arguments_too_large}
          stored={call.arguments_stored}
        />
      </Card>
      <Card title={`Invocations${total === null ? "" : ` (${total})`}`} flush>
        <InvocationTable
          invocations={call.invocations}
          caption="Invocations of this call, newest registration first"
          hide={["task_id_key"]}
          extra={["parent_invocation_id"]}
          empty={
            <NoRows page={call.page} view={view} title="No invocation of this call">
              Statuses and definitions of its invocations have been purged.
            </NoRows>
          }
        />
        <ViewPager page={call.page} view={view} />
      </Card>
    </>
  );
}

function totalText({ total, total_capped }: PageInfo): string | null {
  if (total === null) return null;
  return total_capped ? `at least ${count(total)}` : count(total);
}
