import type { Worker } from "../../api/health.ts";
import type { FailureGroup, StatsRow } from "../../api/stats.ts";
import {
  age,
  causeText,
  count,
  duration,
  heartbeatAge,
  NOTHING,
  percentage,
  shortId,
} from "../../presentation/text.ts";
import { counted } from "../../pynenc/numbers.ts";
import { epochFromIso } from "../../pynenc/time.ts";
import type { Column } from "../print/table.ts";
import { idColumn, seconds, taskColumn, timeColumn } from "../print/text.ts";
import type { TopState } from "./state.ts";

export function newestFirst(groups: readonly FailureGroup[]): FailureGroup[] {
  return [...groups].sort((a, b) => ((a.last_seen ?? "") < (b.last_seen ?? "") ? 1 : -1));
}

export function taskColumns({ sort }: TopState): Column<StatsRow>[] {
  const mark = (title: string, by: TopState["sort"]) => (by === sort ? `${title}↓` : title);
  const number = (title: string, cell: (row: StatsRow) => string, optional = false): Column<StatsRow> => ({
    title,
    align: "right",
    cell,
    ...(optional ? { optional } : {}),
  });
  return [
    { ...taskColumn((row: StatsRow) => row.task_id_key ?? "(task not stored)", mark("TASK", "name")), min: 16 },
    number(mark("FINISHED", "finished"), (row) => count(row.finished)),
    number(mark("FAILED", "failed"), (row) => count(row.failed)),
    number("SHARE", (row) => (row.failed_share === null ? NOTHING : percentage(row.failed_share)), true),
    number("RETRIES", (row) => count(row.retries), true),
    number(mark("WAIT P95", "wait"), (row) => seconds(row.wait.p95_seconds), sort !== "wait"),
    number(mark("RUN P95", "p95"), (row) => seconds(row.run.p95_seconds)),
    number(mark("RUN TOTAL", "busy"), (row) => seconds(row.busy_seconds), sort !== "busy"),
  ];
}

export function failureColumns(now: number): Column<FailureGroup>[] {
  return [
    {
      title: "FAILURES",
      cell: ({ task_id_key, tasks }) =>
        task_id_key ?? (tasks.length > 1 ? counted(tasks.length, "task") : "(task not stored)"),
      cut: "start",
      min: 16,
    },
    { title: "COUNT", align: "right", cell: (group) => count(group.count) },
    {
      ...timeColumn<FailureGroup>("LAST", (group) => group.last_seen, now),
      cell: ({ last_seen }) => ago(last_seen, now),
    },
    {
      title: "CAUSE",
      cell: causeText,
      cut: "end",
      min: 20,
    },
    { title: "NEWEST", cell: ({ invocation_ids: [id] }) => (id === undefined ? NOTHING : shortId(id)), optional: true },
  ];
}

/** @param leftOut not everything that is running was read. */
export function workerColumns(now: number, leftOut: boolean): Column<Worker>[] {
  return [
    idColumn("RUNNER", (row) => row.runner_id),
    {
      title: "HOST",
      cell: ({ name }) => (name.hostname === null ? NOTHING : `${name.hostname}:${name.pid ?? "?"}`),
      cut: "end",
      min: 8,
      optional: true,
    },
    {
      title: "HEARTBEAT",
      align: "right",
      cell: ({ silent_seconds }) => (silent_seconds === null ? NOTHING : heartbeatAge(silent_seconds)),
    },
    { title: "RUNS", cell: (row) => runs(row, now, leftOut), cut: "end", min: 16 },
  ];
}

function runs({ running }: Worker, now: number, leftOut: boolean): string {
  const [longest, ...others] = running;
  if (longest === undefined) return leftOut ? "not known" : "nothing";
  const since = epochFromIso(longest.since);
  const more = others.length === 0 ? "" : ` and ${count(others.length)} more`;
  return `${longest.task_id_key}${since === null ? "" : ` for ${duration(now - since)}`}${more}`;
}

function ago(iso: string | null, now: number): string {
  const at = iso === null ? null : epochFromIso(iso);
  return at === null ? NOTHING : age(now - at);
}
