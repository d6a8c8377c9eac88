import type { RunnerList } from "../../src/api/runners.ts";
import { emptyColumns } from "../../src/presentation/facts/column.ts";
import { RUNNER_COLUMNS } from "../../src/presentation/facts/runner.ts";
import { count, duration } from "../../src/presentation/text.ts";
import { counted } from "../../src/pynenc/numbers.ts";
import { busyAmong } from "../../src/pynenc/occupancy.ts";
import { VerdictsHere } from "../fragments/health/verdicts.tsx";
import { RunnerTable } from "../fragments/runners/runner-table.tsx";
import { RunnerViews } from "../fragments/runners/runner-views.tsx";
import { SilenceNote } from "../fragments/runners/silence-note.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { ColumnChoice } from "../fragments/ui/column-choice.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Info } from "../fragments/ui/info.tsx";
import { Settings } from "../fragments/ui/settings-table.tsx";
import { NoRows, ViewPager } from "../fragments/ui/view-pager.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { figuresRange, useRangeWords } from "../layout/time-menu.tsx";
import { useLinks } from "../links.ts";
import type { View, WithVerdicts } from "./view.ts";

export function RunnersHeader(view: View<RunnerList>) {
  const { scope } = view.model;
  return (
    <PageHeader
      title="Runners"
      actions={
        <>
          <RunnerViews current={scope} />
          <ColumnChoice columns={RUNNER_COLUMNS} unusual={unusual(view.model)} view={view} />
        </>
      }
    >
      <Info about="runners">
        <p>
          Processes and threads that execute invocations.{" "}
          {scope === "active" && "Silent ones that still hold work come first, then "}
          {scope === "active" ? "the latest heartbeat." : "The latest heartbeat comes first."}
        </p>
        <p>Callers only register invocations, and send no heartbeat.</p>
      </Info>
    </PageHeader>
  );
}

/** Columns that are empty or the same in all rows: only shown if the viewer chose them. */
function unusual({ scope, runners, silent, busy, held }: RunnerList): string[] {
  return [
    ...(busy === null ? ["busy"] : []),
    ...(held === null ? ["now"] : []),
    // Beside their state, all recorded ones have no room for what is the same for all workers of one parent.
    ...(scope === "active" ? ["active"] : ["parent", "atomic_service_eligible"]),
    ...emptyColumns(RUNNER_COLUMNS, [...silent, ...runners]),
  ];
}

export function RunnersContent(view: View<WithVerdicts<RunnerList>>) {
  const links = useLinks();
  const { scope, silent, page, known, settings } = view.model;
  const silence = duration(view.model.silence.allowed_seconds);
  const range = useRangeWords(figuresRange(view.model.busy));
  return (
    <>
      <VerdictsHere of={view.model} />
      <Card
        title={titleOf(view.model)}
        id="card-runners"
        flush
        actions={<span class="muted">{counts(view.model, range)}</span>}
      >
        <RunnerTable
          silent={silent}
          runners={view.model.runners}
          fields={view.fields}
          busy={view.model.busy}
          held={view.model.held}
          idleSince={view.model.idle_since}
          hide={unusual(view.model)}
          caption={
            scope === "active" ? "Silent runners that still hold work, then active ones" : "All recorded runners"
          }
          empty={
            <NoRows page={page} view={view}>
              {known === 0 ? (
                <Empty title="No runner is recorded">
                  No runner context or heartbeat is stored. Start a runner and it appears here automatically.
                </Empty>
              ) : (
                <Empty title="No runner is active">
                  None of the {count(known)}
                  {view.model.known_capped ? " or more" : ""} recorded runners sent a heartbeat within {silence}.{" "}
                  <a href={links.runners({ show: "all" })}>Show all of them</a>, or start a runner.
                </Empty>
              )}
            </NoRows>
          }
        />
        {view.model.runners.length > 0 && <ViewPager page={page} view={view} />}
      </Card>
      <SilenceNote silence={view.model.silence} />
      <Settings settings={settings} caption="Settings of runners" />
    </>
  );
}

/** `8 active runners (2 parents, 1 busy) and 1 silent with work`. A list of only some does not know what is in brackets. */
function titleOf({ scope, silent, active, known, held, runners, callers }: RunnerList): string {
  if (scope === "all") return `${counted(known, "runner")}${callers === 0 ? "" : `, ${counted(callers, "caller")}`}`;
  const parents = runners.filter((one) => runners.some(({ name }) => name.parent?.runner_id === one.runner_id)).length;
  const whole = held === null || runners.length < active ? null : busyAmong(runners, held);
  const busy = whole === null ? "" : ` (${parents > 0 ? `${counted(parents, "parent")}, ` : ""}${whole} busy)`;
  return `${counted(active, "active runner")}${busy}${silent.length === 0 ? "" : ` and ${count(silent.length)} silent with work`}`;
}

/** How many there are beside those that are listed. */
function counts({ scope, active, known, known_capped, silence, busy }: RunnerList, range: string): string {
  const others = scope === "all" ? `${count(active)} active` : `${count(known)}${known_capped ? "+" : ""} in all`;
  const ran = busy === null ? "" : ` · Ran: ${range.toLowerCase()}`;
  return `${others} · active = heartbeat within ${duration(silence.allowed_seconds)}${ran}`;
}
