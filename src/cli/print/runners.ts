/** Tables of runners. */
import type { RunnerRow } from "../../api/runners.ts";
import { heartbeatAge, NOTHING } from "../../presentation/text.ts";
import type { Output } from "./output.ts";
import type { Column } from "./table.ts";
import { idColumn, seconds } from "./text.ts";

export function runnerColumns(out: Output, rows: readonly RunnerRow[]): Column<RunnerRow>[] {
  return [
    idColumn("RUNNER", (row) => row.runner_id),
    { title: "CLASS", cell: (row) => row.name.runner_cls ?? "(no context)", cut: "middle", min: 10 },
    {
      title: "HOST",
      cell: (row) => (row.name.hostname === null ? NOTHING : `${row.name.hostname}:${row.name.pid ?? "?"}`),
      cut: "end",
      min: 8,
    },
    { title: "ACTIVE", cell: (row) => (row.active ? "yes" : { text: "no", paint: out.paint.dim }) },
    {
      title: "HEARTBEAT",
      align: "right",
      cell: (row) => (row.silent_seconds === null ? NOTHING : heartbeatAge(row.silent_seconds)),
    },
    { title: "AGE", align: "right", cell: (row) => seconds(row.age_seconds), optional: true },
    ...(rows.some((row) => row.consumed_queues !== null)
      ? [
          {
            title: "QUEUES",
            cell: ({ consumed_queues: queues }: RunnerRow) =>
              queues === null ? NOTHING : queues.length === 0 ? "all declared" : queues.join(","),
            cut: "end" as const,
            min: 8,
          },
        ]
      : []),
    {
      title: "SERVICE",
      cell: (row) => (row.atomic_service_eligible === null ? NOTHING : row.atomic_service_eligible ? "yes" : "no"),
      optional: true,
    },
    idColumn("PARENT", (row) => row.name.parent?.runner_id, { optional: true }),
  ];
}
