/** The history of an invocation: each change of its status with who made it. */

import type { ComponentChildren } from "preact";
import type { HistoryEntry, InvocationDetail } from "../../src/api/invocations.ts";
import { ACROSS_CLOCKS } from "../../src/presentation/critical-path.ts";
import { count, duration, instant, NOTHING, visibleLine } from "../../src/presentation/text.ts";
import { StatusBadge } from "../fragments/invocations/status-badge.tsx";
import { RunnerName } from "../fragments/runners/runner-name.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { type Column, DataTable } from "../fragments/ui/data-table.tsx";
import { Duration } from "../fragments/ui/duration.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { orNothing } from "../fragments/ui/or-nothing.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { useLinks } from "../links.ts";

type Runner = NonNullable<HistoryEntry["runner"]>;

const HISTORY_COLUMNS: readonly Column[] = [
  { label: "Status", rowHeader: true },
  { label: "Time (UTC)" },
  { label: "After", align: "end", hint: "Since the previous entry" },
  { label: "Changed by", hint: "Runner that made the change" },
  { label: "Where", hint: "Host, process and thread of that runner" },
  { label: "Parent runner", hint: "Runner that started that runner" },
  { label: "Owner after", hint: "Runner that owned the invocation after the change" },
];

export function History({ model: { history, history_count, history_gap } }: { model: InvocationDetail }) {
  return (
    <Card title={`History (${count(history_count)})`} id="history" flush>
      {history_gap !== null && (
        <p class="card-foot">
          The first {count(history_gap.after)} and the last {count(history.length - history_gap.after)} entries are
          shown, {count(history_gap.entries)} between them are not. Such a history is a loop of retries or reroutes.
        </p>
      )}
      <DataTable
        caption="Status changes, oldest first"
        columns={HISTORY_COLUMNS}
        rows={history.map((entry, index) => ({
          key: String(index),
          cells: historyCells(entry, index === history_gap?.after ? null : (history[index - 1] ?? null)),
        }))}
        empty={
          <Empty title="No history is stored">
            <p>The state backend has no status change of this invocation: it may have been purged.</p>
          </Empty>
        }
      />
    </Card>
  );
}

function historyCells(entry: HistoryEntry, previous: HistoryEntry | null): ComponentChildren[] {
  const { runner } = entry;
  return [
    <HistoryStatus key="status" entry={entry} />,
    <HistoryTime key="time" entry={entry} previous={previous} />,
    entry.across_clocks ? ACROSS_CLOCKS : <Duration key="after" seconds={entry.seconds_since_previous} />,
    <HistoryRunner key="runner" entry={entry} />,
    <HistoryOrigin key="place" runner={runner} />,
    orNothing(runner?.parent ?? null, (parent) => <StackedRunner runner={parent} />),
    <HistoryOwner key="owner" entry={entry} />,
  ];
}

/** Entries are written a moment after the change; only a machine that is very busy is worth a word. */
const NOTICEABLY_LATE_SECONDS = 0.1;

/** The date only where it changes, so that the times line up. */
function HistoryTime({ entry, previous }: { entry: HistoryEntry; previous: HistoryEntry | null }) {
  const date = instant(entry.timestamp).slice(0, 10);
  const changed = previous === null || instant(previous.timestamp).slice(0, 10) !== date;
  const late = (Date.parse(entry.written_at) - Date.parse(entry.timestamp)) / 1000;
  return (
    <span class="stacked">
      <Time iso={entry.timestamp} clock />
      {changed && <span class="stacked-note">{date}</span>}
      {late >= NOTICEABLY_LATE_SECONDS && (
        <span class="stacked-note" title={`The entry was written at ${instant(entry.written_at)} UTC`}>
          written {duration(late)} later
        </span>
      )}
    </span>
  );
}

function HistoryStatus({ entry }: { entry: HistoryEntry }) {
  const links = useLinks();
  return (
    <span class="with-mark">
      <StatusBadge status={entry.status} />
      {!entry.possible && (
        <span
          class="mark mark-warn"
          title="No version of pynenc makes this transition from the previous entry: an entry is missing or late, or clocks disagree"
        >
          impossible transition
        </span>
      )}
      {entry.registered_by_inv_id !== null && (
        <span class="muted">
          by <Id value={entry.registered_by_inv_id} href={links.invocation(entry.registered_by_inv_id)} copy={false} />
        </span>
      )}
    </span>
  );
}

function HistoryRunner({ entry: { runner } }: { entry: HistoryEntry }) {
  if (runner === null) {
    return (
      <span class="mark mark-warn" title="The stored entry names no runner context">
        unknown
      </span>
    );
  }
  return <StackedRunner runner={runner} />;
}

/** Class above id: a history repeats the same runners line after line, and columns compare better than sentences. */
function StackedRunner({ runner }: { runner: Omit<Runner, "parent"> }) {
  return (
    <span class="stacked">
      <RunnerName runner_id={runner.runner_id} runner_cls={runner.runner_cls} missing={runner.context_missing} />
    </span>
  );
}

function HistoryOrigin({ runner }: { runner: Runner | null }) {
  if (runner === null || runner.hostname === null) return <span class="muted">{NOTHING}</span>;
  const numbers = [
    ...(runner.pid === null ? [] : [`pid ${runner.pid}`]),
    ...(runner.thread_id === null ? [] : [`thread ${runner.thread_id}`]),
  ];
  return (
    <span class="stacked">
      <bdi>{visibleLine(runner.hostname)}</bdi>
      <span class="stacked-note">{numbers.join(", ")}</span>
    </span>
  );
}

function HistoryOwner({ entry }: { entry: HistoryEntry }) {
  const links = useLinks();
  const { owner_runner_id: owner, runner } = entry;
  if (owner === null) return <span class="muted">{NOTHING}</span>;
  if (owner === runner?.runner_id) return <span class="muted">same</span>;
  return <Id value={owner} href={links.runner(owner)} copy={false} />;
}
