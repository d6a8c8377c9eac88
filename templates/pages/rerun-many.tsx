import type { RerunManyPreview } from "../../src/services/rerun.ts";
import { Card } from "../fragments/card.tsx";
import { ConfirmForm } from "../fragments/confirm-form.tsx";
import { Empty } from "../fragments/empty.tsx";
import { InvocationTable } from "../fragments/invocation-table.tsx";
import { Notes } from "../fragments/notes.tsx";
import { Notice } from "../fragments/notice.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import { count } from "../text.ts";
import type { View } from "./view.ts";

/** Asks before the calls of all invocations that meet a filter are registered once more. */
export function RerunManyContent({ model, path, query }: View<RerunManyPreview>) {
  const links = useLinks();
  const { limit: _limit, force: _force, ...filter } = query;
  const back = links.invocations(filter);
  return (
    <>
      <PageHeader
        title="Run all of these again"
        trail={[{ label: "Invocations", href: back }]}
        summary="Registers the same calls with the same arguments as new invocations and puts them into the queue."
      />
      <Notes notes={model.notes} />
      <Card title="What would be registered">
        <ul class="sentences">
          <li>{matching(model)}</li>
          <li>
            {model.registered === 1
              ? "1 call would be registered"
              : `${count(model.registered)} calls would be registered`}
          </li>
          <li>
            <a href={links.runners()}>
              {model.runners_alive.count === 1 ? "1 runner" : `${count(model.runners_alive.count)} runners`}
            </a>{" "}
            alive now
          </li>
          {model.refusals.map(({ kind, reason, count: refused }) => (
            <li key={reason}>
              {count(refused)} not: {reason}
              {kind === "duplicate" && (
                <>
                  {" "}
                  (<a href={links.rerunMany({ ...query, force: 1 })}>register them all the same</a>)
                </>
              )}
            </li>
          ))}
        </ul>
      </Card>
      {model.registered > 0 && (
        <Card title={model.registered > model.examples.length ? "The first of them" : "These"} flush>
          <InvocationTable
            invocations={model.examples}
            caption="Invocations whose calls would be registered"
            empty={<Empty title="None" />}
          />
        </Card>
      )}
      <Card title="Confirm">
        {model.registered === 0 && model.refused === null ? (
          <Notice tone="info">There is nothing to register.</Notice>
        ) : (
          <ConfirmForm
            appId={model.app_id}
            action={links.current(path)}
            label={model.registered === 1 ? "Run 1 call again" : `Run ${count(model.registered)} calls again`}
            fields={query}
            cancelHref={back}
            refused={model.refused}
          />
        )}
      </Card>
    </>
  );
}

function matching({ matching: { total, total_capped }, limit }: RerunManyPreview): string {
  if (total === null) return `Of the invocations that meet the filter the newest ${count(limit)} at most are taken`;
  const number = total_capped ? `More than ${count(total)}` : count(total);
  const met = `${number} ${total === 1 ? "invocation meets" : "invocations meet"} the filter`;
  return total > limit ? `${met}; the newest ${count(limit)} are taken` : met;
}
