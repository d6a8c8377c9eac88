import type { RunnerRow } from "../../api/runners.ts";
import { age, NOTHING } from "../../presentation/text.ts";
import { counted } from "../../pynenc/numbers.ts";
import { silenceWords } from "../../services/model/runner-liveness.ts";
import { listRunners } from "../../services/runners/runners.ts";
import { type Flags, inFlagWords, rawInput } from "../flags.ts";
import type { Output } from "../print/output.ts";
import type { Column } from "../print/table.ts";
import { idColumn, pageNotes, seconds, wrapped } from "../print/text.ts";
import { withApp } from "../session.ts";

const FLAGS = { page: "page", limit: "limit" };

/** `monitor runners`: those with a young heartbeat, with `--all` every one ever seen. */
export async function runners(flags: Flags): Promise<void> {
  const raw = { ...rawInput(flags, FLAGS), show: [flags.all === true ? "all" : "active"] };
  await withApp(flags, async (app, out) => {
    const list = await inFlagWords(FLAGS, () => listRunners(app, raw));
    if (out.json) return out.document(list);
    out.table(columns(out, list.runners), list.runners);
    if (list.runners.length === 0 && list.page.number === 1) {
      const others = list.known > 0 ? ` ${counted(list.known, "runner")} known: --all` : "";
      out.say(list.scope === "active" ? `No runner is active.${others}` : "No runner was ever seen.");
    }
    out.say(...pageNotes(list.page, "runner"));
    if (list.silence.recovery !== null) {
      out.say(...wrapped(`A runner is considered dead after ${silenceWords(list.silence)}.`, out.width));
    }
  });
}

function columns(out: Output, rows: readonly RunnerRow[]): Column<RunnerRow>[] {
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
      cell: (row) => (row.silent_seconds === null ? NOTHING : age(row.silent_seconds)),
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
