import type { RerunManyPreview } from "../../src/api/reruns.ts";
import { calledAgainText } from "../../src/presentation/called-again.ts";
import { count } from "../../src/presentation/text.ts";
import { Consequences } from "../fragments/actions/action-preview.tsx";
import { CallGroups } from "../fragments/invocations/call-groups.tsx";
import { RouteForm } from "../fragments/queue/route-form.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { ConfirmForm } from "../fragments/ui/confirm-form.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import type { PageQuery } from "../query.ts";
import type { View } from "./view.ts";

/** Asks before the calls of all invocations that meet a filter are registered once more. */
export function RerunManyContent({ model, path, query }: View<RerunManyPreview>) {
  const links = useLinks();
  const {
    limit: _limit,
    force: _force,
    all: _all,
    selected: _selected,
    queue: _queue,
    priority: _priority,
    ...filter
  } = query;
  const back = links.invocations(filter);
  return (
    <>
      <PageHeader
        title="Rerun these"
        trail={[{ label: "Invocations", href: back }]}
        summary="Registers the same calls with the same arguments as new invocations and puts them into the queue."
      />
      <Card title="What would be registered">
        <Sentences model={model} query={query} />
      </Card>
      {model.taken > 0 && <Consequences sentences={model.notes} />}
      {model.routes.length > 0 && <RouteForm path={path} query={query} note="This resets the selection below." />}
      {model.taken === 0 ? (
        <Notice tone={model.refused === null ? "info" : "warn"}>
          {model.refused ?? "Nothing matches, so there is nothing to rerun."}
        </Notice>
      ) : (
        <Confirm model={model} path={path} query={query} back={back} />
      )}
    </>
  );
}

function Confirm({
  model,
  path,
  query,
  back,
}: {
  model: RerunManyPreview;
  path: string;
  query: PageQuery;
  back: string;
}) {
  const links = useLinks();
  const { groups, calls, taken, registered, refused } = model;
  const selectable = refused === null && calls.length === taken;
  const list = <CallGroups groups={groups} calls={calls} capped={model.called_again_capped} selectable={selectable} />;
  const { selected: _selected, ...fields } = query;
  const all = registered === 1 ? "Rerun 1 call" : `Rerun ${count(registered)} calls`;
  return (
    <Card title={selectable ? "Calls to rerun" : "By task and exception"}>
      {refused !== null && list}
      <ConfirmForm
        appId={model.app_id}
        action={links.current(path)}
        label={selectable ? "Rerun the selected calls" : all}
        fields={fields}
        cancelHref={back}
        refused={refused}
      >
        <div class={selectable ? "selection" : undefined}>
          {list}
          {selectable ? (
            // So that a form in which nothing is selected says so, and is not taken for one that is about every match.
            <input type="hidden" name="selected" value="" />
          ) : (
            <p class="muted">
              There are too many calls to select from; only the first {count(calls.length)} are listed. Narrow the
              filter to select.
            </p>
          )}
        </div>
      </ConfirmForm>
    </Card>
  );
}

/** Ids that one address names. */
const LINKED = 100;

function Sentences({ model, query }: { model: RerunManyPreview; query: PageQuery }) {
  const links = useLinks();
  const { taken, registered, matches_below, left_out, refusals, requeue_instead, runners_alive, all } = model;
  const again = calledAgainText(model);
  return (
    <ul class="bullets stack">
      <li>{matching(model)}</li>
      {taken > 0 && (
        <li>
          {all
            ? "Every match is included, also those that other matches led to"
            : "Of each family, only the topmost match is included"}{" "}
          (
          <a href={links.rerunMany({ ...query, all: all ? undefined : 1 })}>
            {all ? "include only the topmost of each family" : "include every match"}
          </a>
          )
        </li>
      )}
      {matches_below > 0 && (
        <li>
          {matches(matches_below)} left out: these led to {matches_below === 1 ? "it" : "them"}
        </li>
      )}
      {left_out > 0 && (
        <li>
          {matches(left_out)} left out although the calls that led to them are not registered: those are refused, or
          beyond the limit
        </li>
      )}
      <li>{registered === 1 ? "1 call would be registered" : `${count(registered)} calls would be registered`}</li>
      {again !== null && <li>Calls again: {again}</li>}
      {refusals.map(({ kind, reason, count: refused }) => (
        <li key={reason}>
          {count(refused)} refused: {reason}
          {kind === "duplicate" && (
            <>
              {requeue_instead.length > 0 && (
                <>
                  {"; "}
                  {count(requeue_instead.length)} of the waiting calls {requeue_instead.length === 1 ? "has" : "have"}{" "}
                  no message in the queue, so no runner takes {requeue_instead.length === 1 ? "it" : "them"}:{" "}
                  <a href={links.requeueMany({ inv_ids: requeue_instead.slice(0, LINKED).join(",") })}>
                    requeue {requeue_instead.length > LINKED ? `the first ${LINKED}` : ""} instead
                  </a>
                </>
              )}{" "}
              (<a href={links.rerunMany({ ...query, force: 1 })}>register them anyway</a>)
            </>
          )}
        </li>
      ))}
      <li>
        <a href={links.runners()}>{runners_alive.count === 1 ? "1 runner" : `${count(runners_alive.count)} runners`}</a>{" "}
        active now
      </li>
    </ul>
  );
}

function matches(n: number): string {
  return n === 1 ? "1 match is" : `${count(n)} matches are`;
}

function matching({ matching: { total, total_capped }, limit }: RerunManyPreview): string {
  if (total === null)
    return `Of the invocations that match the filter, at most the newest ${count(limit)} are included`;
  const number = total_capped ? `More than ${count(total)}` : count(total);
  const met = `${number} ${total === 1 ? "invocation matches" : "invocations match"} the filter`;
  return total > limit ? `${met}; at most the newest ${count(limit)} are included` : met;
}
