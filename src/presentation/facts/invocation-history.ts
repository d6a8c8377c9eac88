/** What is said of the history of an invocation, and of its phases. */
import type { HistoryEntry, InvocationDetail, PhaseDuration } from "../../api/invocations.ts";
import { ACROSS_CLOCKS, PATH_PHASE_WORDS, phaseTime } from "../critical-path.ts";
import { count, duration } from "../text.ts";
import { type Column, type Part, timeColumn } from "./column.ts";
import { absent, type FactValue, idOf, idOrNothing } from "./fact.ts";

/** How long it was in each phase. */
export const PHASE_COLUMNS: readonly Column<PhaseDuration>[] = [
  { of: ["phase"], label: "Phase", value: ({ phase }) => PATH_PHASE_WORDS[phase] },
  { of: ["duration_seconds"], label: "Time", align: "end", value: phaseTime },
  { of: ["remarks"], label: "", value: (phase) => phaseRemarks(phase).join(", ") },
];

/** Remarks on the time in a phase. */
export function phaseRemarks({ stretches, ongoing, across_clocks }: PhaseDuration): string[] {
  return [
    ...(stretches > 1 ? [`${stretches} times`] : []),
    ...(ongoing ? ["ongoing"] : []),
    ...(across_clocks ? [ACROSS_CLOCKS] : []),
  ];
}

/** Each change of its status, how long that lasted, and the runner that made it. */
const historyColumns = ({ history: rows, history_gap: gap }: InvocationDetail): readonly Column<HistoryEntry>[] => [
  { of: ["status"], label: "Status", value: changeOf },
  timeColumn("timestamp", "Time", { instants: true }),
  {
    of: ["since_previous_seconds"],
    label: "Lasted",
    align: "end",
    hint: "Until the next status",
    value: (entry) => {
      const after = rows.indexOf(entry) + 1;
      const next = after === gap?.after ? undefined : rows[after];
      if (next?.across_clocks) return ACROSS_CLOCKS;
      const seconds: FactValue = { seconds: next?.since_previous_seconds ?? null };
      if (next === undefined || entry.dead_from === undefined) return seconds;
      const silent = (Date.parse(next.timestamp) - Date.parse(entry.dead_from)) / 1_000;
      return { parts: [seconds, absent(`${duration(silent)} of it silent`)] };
    },
  },
  {
    of: ["runner"],
    label: "Changed by",
    hint: "Runner that made the change",
    value: ({ runner }) =>
      runner === null
        ? { mark: "unknown", tone: "warn", hint: "The stored entry names no runner context" }
        : { runner, short: true },
  },
  {
    of: ["place"],
    label: "Where",
    hint: "Host and process of that runner",
    page: true,
    value: ({ runner }) => placeOf(runner),
  },
  {
    of: ["parent"],
    label: "Parent runner",
    hint: "Runner that started that runner",
    page: true,
    sparse: true,
    value: ({ runner }) => (runner?.parent == null ? null : { runner: runner.parent, short: true }),
  },
  {
    of: ["owner_runner_id"],
    label: "Owner after",
    hint: "Runner that owned the invocation after the change",
    page: true,
    sparse: true,
    value: ({ owner_runner_id: owner, runner }) =>
      owner !== null && owner === runner?.runner_id ? absent("same") : idOrNothing("runner", owner),
  },
];

export function historyPart(detail: InvocationDetail): Part<HistoryEntry> {
  const { history: rows, history_count, history_gap: gap } = detail;
  return {
    title: "History",
    total: { count: history_count },
    caption: "Status changes, oldest first",
    columns: historyColumns(detail),
    rows,
    keyOf: (_, index) => String(index),
    note: gap && `${count(gap.entries)} entries in the middle are not shown: a loop of retries or reroutes.`,
  };
}

function changeOf({ status, possible, registered_by_inv_id: registrar }: HistoryEntry): FactValue {
  const impossible: FactValue = { mark: "impossible transition", tone: "warn", hint: IMPOSSIBLE };
  const by: FactValue[] = registrar === null ? [] : [absent("by"), idOf("invocation", registrar)];
  return { parts: [{ status }, ...(possible ? [] : [impossible]), ...by] };
}

const IMPOSSIBLE = "pynenc does not make this transition: an entry is missing or late, or clocks disagree";

function placeOf(runner: HistoryEntry["runner"]): FactValue {
  if (runner === null || runner.hostname === null) return null;
  const { hostname, pid, thread_id: thread } = runner;
  const text = pid === null ? hostname : `${hostname}:${pid}`;
  return thread === null ? text : { text, hint: `Thread ${thread}` };
}
