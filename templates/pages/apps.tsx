import type { AppOverview, AppRow } from "../../src/api/app.ts";
import { percentage, visibleLine } from "../../src/presentation/text.ts";
import { counted } from "../../src/pynenc/numbers.ts";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Pager } from "../fragments/ui/pager.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import { lastValue } from "../query.ts";
import type { View } from "./view.ts";

/** Every app of the store in one line. */
export function AppsContent({ model: { apps, page }, query }: View<AppOverview>) {
  const links = useLinks();
  const limit = lastValue(query, "limit");
  return (
    <>
      <PageHeader title="Apps" />
      <Card title={page.total === 1 ? "1 app" : `${page.total} apps`} flush>
        <DataTable
          caption="Apps of this store"
          columns={[
            { label: "App", rowHeader: true },
            { label: "Problems", align: "end", hint: "Found at a glance; the page of the app looks at more" },
            { label: "Failed", align: "end", hint: "Of what finished in the last hour" },
            { label: "Queue", align: "end", hint: "Messages" },
            { label: "Runners", align: "end", hint: "Active" },
            { label: "Last change", hint: "Latest status change of an invocation" },
          ]}
          rows={apps.map((app) => ({ key: app.app_id, cells: cellsOf(app, links.inApp(app.app_id)) }))}
          empty={
            <Empty title="No apps yet">An app is listed here once a runner of it has started with this store.</Empty>
          }
        />
        {(page.has_next || page.number > 1) && (
          <Pager page={page} hrefFor={(number) => links.apps({ page: number, limit })} />
        )}
      </Card>
    </>
  );
}

function cellsOf({ app_id, phantom, shown, figures, trouble }: AppRow, links: ReturnType<typeof useLinks>) {
  const name = (
    <>
      <a href={links.dashboard()}>
        <bdi>{visibleLine(app_id)}</bdi>
      </a>{" "}
      {shown && <span class="mark mark-good">shown</span>}
      {phantom && (
        <span class="mark" title="Usually a process that only connected to look">
          no invocations
        </span>
      )}
    </>
  );
  if (figures === null) {
    const problem = (
      <span>
        <span class="mark mark-bad">cannot be opened</span> {visibleLine(trouble ?? "")}
      </span>
    );
    return [name, problem, ...Array.from({ length: 4 }, () => <NotKnown reason={trouble ?? ""} />)];
  }
  return [
    name,
    <Problems key="problems" figures={figures} href={links.dashboard()} />,
    <Failed key="failed" figures={figures} href={links.invocations({ status: "failed", range: "1h" })} />,
    figures.queued_messages === null ? (
      <NotKnown reason="The queue cannot be reached" />
    ) : (
      <Figure key="queue" value={figures.queued_messages} href={links.broker()} />
    ),
    <Figure key="runners" value={figures.active_runners} href={links.runners()} />,
    <Time key="change" iso={figures.last_change} relative />,
  ];
}

type Figures = NonNullable<AppRow["figures"]>;

function Problems({ figures: { problems, errors }, href }: { figures: Figures; href: string }) {
  if (problems === 0) return <Count value={0} />;
  const those = counted(errors, "error");
  const words = errors === 0 ? `${problems}` : errors === problems ? those : `${those} of ${problems}`;
  return (
    <a href={href} class={errors > 0 ? "mark mark-bad" : "mark mark-warn"}>
      {words}
    </a>
  );
}

function Failed({ figures: { finished, failed, sampled }, href }: { figures: Figures; href: string }) {
  if (finished === 0) return <NotKnown reason="Nothing finished in the last hour" />;
  const title = sampled ? "Of the latest status changes of the last hour" : `${failed} of ${finished} in the last hour`;
  return (
    <a href={href} class={failed === 0 ? "muted" : undefined} title={title}>
      {`${sampled ? "about " : ""}${percentage(failed / finished)}`}
    </a>
  );
}

function Figure({ value, href }: { value: number; href: string }) {
  return (
    <a href={href}>
      <Count value={value} />
    </a>
  );
}

function NotKnown({ reason }: { reason: string }) {
  return (
    <span class="muted" title={reason}>
      –
    </span>
  );
}
