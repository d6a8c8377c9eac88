import { FINAL_STATUSES, STATUSES } from "../pynenc/statuses.ts";
import { epochFromIso } from "../pynenc/time.ts";
import type { AppMetrics } from "../services/health/metrics.ts";

/** How many tasks are counted by name: those with the most invocations. */
export const BUSIEST_TASKS = 20;

/** Label value for everything without one of its own. */
export const OTHERS = "(others)";

/** Facts about the process; null for a command, which has just started. */
export interface ServerFigures {
  version: string;
  /** Epoch seconds. */
  started_at: number;
  resident_bytes: number;
}

type ArrivedOfTask = NonNullable<AppMetrics["arrived"]>["tasks"][number];
type DurationCounts = ArrivedOfTask["wait"];
/** The values of the labels, in their order, and what was measured. */
type Sample<T = number> = readonly [labels: readonly string[], value: T];

interface NumberMetric {
  name: string;
  type: "gauge" | "counter";
  help: string;
  /** Their names; all metrics also have `app`. */
  labels: readonly string[];
  samples(metrics: AppMetrics, server: ServerFigures | null): readonly Sample[];
}

interface DurationMetric extends Pick<NumberMetric, "name" | "help" | "labels"> {
  type: "histogram";
  samples(metrics: AppMetrics): readonly Sample<DurationCounts>[];
}

export type Metric = NumberMetric | DurationMetric;

const KNOWN_STATUSES: ReadonlySet<string> = new Set(STATUSES.map(({ name }) => name));

/** A store may contain any word as a status. */
const statusLabel = (status: string) => (KNOWN_STATUSES.has(status) ? status : OTHERS);

const yes = (value: boolean) => (value ? 1 : 0);

/** One sample for each task that was counted. */
function perTask<T>({ arrived }: AppMetrics, samplesOf: (task: ArrivedOfTask) => readonly Sample<T>[]): Sample<T>[] {
  return (arrived?.tasks ?? []).flatMap((task) =>
    samplesOf(task).map(([labels, value]) => [[task.task_id_key ?? OTHERS, ...labels], value] as const),
  );
}

/** Samples for every final status, zeros included: otherwise the first failure would not register as an increase. */
function finished({ entered }: ArrivedOfTask): Sample[] {
  return FINAL_STATUSES.map((status) => [[status], entered[status] ?? 0]);
}

/** The busiest tasks by name, and all others together. */
function byTask({ tasks }: AppMetrics): Sample[] {
  const totals = new Map<string, number>();
  for (const { task_id_key, count } of tasks ?? []) totals.set(task_id_key, (totals.get(task_id_key) ?? 0) + count);
  const busiest = [...totals].sort(([a, most], [b, more]) => more - most || (a < b ? -1 : 1)).slice(0, BUSIEST_TASKS);
  const named = new Set(busiest.map(([task]) => task));
  return (tasks ?? []).map(({ task_id_key, status, count }) => [
    [named.has(task_id_key) ? task_id_key : OTHERS, statusLabel(status)],
    count,
  ]);
}

/** Verdicts by code, severity and whether they are muted. */
function verdicts({ status }: AppMetrics): Sample[] {
  return (status?.verdicts ?? []).map(({ code, severity, muted_until }) => [
    [code, severity, muted_until === null ? "no" : "yes"],
    1,
  ]);
}

function perQueue(
  { status }: AppMetrics,
  numberOf: (queue: NonNullable<AppMetrics["status"]>["queues"][number]) => number | null,
): Sample[] {
  return (status?.queues ?? []).flatMap((queue) => {
    const value = numberOf(queue);
    return value === null ? [] : [[[queue.queue_name ?? ""], value] as const];
  });
}

const always = (value: number | null | undefined): Sample[] =>
  value === null || value === undefined ? [] : [[[], value]];

/** All metrics, in the order in which they are written. */
export const METRICS: readonly Metric[] = [
  {
    name: "pynenc_store_up",
    type: "gauge",
    help: "1 if the store of the app could be read for this answer, 0 if not",
    labels: [],
    samples: ({ status }) => always(yes(status !== null)),
  },
  {
    name: "pynenc_invocations",
    type: "gauge",
    help: "Invocations in the store by status",
    labels: ["status"],
    samples: ({ status }) =>
      Object.entries(status?.statuses ?? {}).map(([word, count]) => [[statusLabel(word)], count]),
  },
  {
    name: "pynenc_task_invocations",
    type: "gauge",
    help: `Invocations in the store by task and status: the ${BUSIEST_TASKS} tasks with the most invocations, and all others together`,
    labels: ["task", "status"],
    samples: byTask,
  },
  {
    name: "pynenc_invocations_complete",
    type: "gauge",
    help: "0 while a large store is still being scanned, so there may be more invocations",
    labels: [],
    samples: ({ status }) => always(status && yes(status.invocations_complete)),
  },
  {
    name: "pynenc_queue_messages",
    type: "gauge",
    help: "Messages in a queue",
    labels: ["queue"],
    samples: (metrics) => perQueue(metrics, ({ messages }) => messages),
  },
  {
    name: "pynenc_queue_waiting_messages",
    type: "gauge",
    help: "Messages in a queue, without those of invocations that have ended",
    labels: ["queue"],
    samples: (metrics) => perQueue(metrics, ({ waiting }) => waiting),
  },
  {
    name: "pynenc_queue_oldest_age_seconds",
    type: "gauge",
    help: "Age of the oldest waiting message of a queue; 0 if none waits, absent if it is not stored",
    labels: ["queue"],
    samples: (metrics) => perQueue(metrics, ({ waiting, oldest_seconds }) => (waiting === 0 ? 0 : oldest_seconds)),
  },
  {
    name: "pynenc_queue_active_runners",
    type: "gauge",
    help: "Active runners that take messages from a queue",
    labels: ["queue"],
    samples: (metrics) =>
      perQueue(metrics, ({ active_consumers, health }) => (health === "unknown" ? null : active_consumers)),
  },
  {
    name: "pynenc_runners",
    type: "gauge",
    help: "Runners by whether their heartbeat is recent",
    labels: ["state"],
    samples: ({ status }) =>
      status === null
        ? []
        : [
            [["active"], status.runners.active],
            [["inactive"], Math.max(0, status.runners.known - status.runners.active)],
          ],
  },
  {
    name: "pynenc_verdicts",
    type: "gauge",
    help: "What looks wrong: verdicts by code and severity, and whether the user of the monitor has muted them",
    labels: ["code", "severity", "muted"],
    samples: verdicts,
  },
  {
    name: "pynenc_history_current",
    type: "gauge",
    help: "1 while new history entries are counted as they are written, 0 while the totals lag behind",
    labels: [],
    samples: ({ arrived }) => always(arrived && yes(arrived.reach.until === Number.POSITIVE_INFINITY)),
  },
  {
    name: "pynenc_history_whole",
    type: "gauge",
    help: "1 once the whole history has been read for statistics and verdicts",
    labels: [],
    samples: ({ arrived }) => always(arrived && yes(arrived.reach.whole)),
  },
  {
    name: "pynenc_history_since_timestamp_seconds",
    type: "gauge",
    help: "The history has been read back to this time",
    labels: [],
    samples: ({ arrived }) => always(arrived?.reach.since),
  },
  {
    name: "pynenc_invocations_registered_total",
    type: "counter",
    help: "Invocations registered since the monitor started following the app",
    labels: ["task"],
    samples: (metrics) => perTask(metrics, ({ entered }) => always(entered.registered ?? 0)),
  },
  {
    name: "pynenc_invocations_finished_total",
    type: "counter",
    help: "Invocations that reached a final status since the monitor started following the app",
    labels: ["task", "status"],
    samples: (metrics) => perTask(metrics, finished),
  },
  {
    name: "pynenc_invocations_retried_total",
    type: "counter",
    help: "Retries since the monitor started following the app",
    labels: ["task"],
    samples: (metrics) => perTask(metrics, ({ entered }) => always(entered.retry ?? 0)),
  },
  {
    name: "pynenc_wait_seconds",
    type: "histogram",
    help: "Time from being ready until running, for runs that started since the monitor started following the app",
    labels: ["task"],
    samples: (metrics) => perTask(metrics, ({ wait }) => [[[], wait]]),
  },
  {
    name: "pynenc_run_seconds",
    type: "histogram",
    help: "Running time without pauses, for runs that ended since the monitor started following the app",
    labels: ["task"],
    samples: (metrics) => perTask(metrics, ({ run }) => [[[], run]]),
  },
  {
    name: "pynenc_as_of_timestamp_seconds",
    type: "gauge",
    help: "The current time used to judge heartbeats and waits",
    labels: [],
    samples: ({ status }) => always(status && epochFromIso(status.as_of)),
  },
  {
    name: "pynenc_monitor_info",
    type: "gauge",
    help: "1; the label has the version of pynenc-monitor",
    labels: ["version"],
    samples: (_, server) => (server === null ? [] : [[[server.version], 1]]),
  },
  {
    name: "process_start_time_seconds",
    type: "gauge",
    help: "When the monitor was started",
    labels: [],
    samples: (_, server) => always(server?.started_at),
  },
  {
    name: "process_resident_memory_bytes",
    type: "gauge",
    help: "Memory of the monitor",
    labels: [],
    samples: (_, server) => always(server?.resident_bytes),
  },
];
