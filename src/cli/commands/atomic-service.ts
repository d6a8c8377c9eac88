import type { AtomicScheduling, ExecutionRow, TurnRow } from "../../api/runners.ts";
import { InvalidInputError } from "../../errors.ts";
import { EXECUTION_COLUMNS } from "../../presentation/facts/service-run.ts";
import { duration, NOTHING, shortId, visible } from "../../presentation/text.ts";
import { counted } from "../../pynenc/numbers.ts";
import { atomicService } from "../../questions/atomic-service.ts";
import { atomicScheduling } from "../../services/runners/atomic-scheduling.ts";
import { atomicTimeline, unknownRunner } from "../../services/runners/atomic-timeline.ts";
import { type Flags, flagOf, inFlagWords, rawInput } from "../flags.ts";
import { refuseUnknown } from "../known-names.ts";
import { printRows } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import type { Column } from "../print/table.ts";
import { facts, idColumn, pageNotes, runnerText, timeColumn } from "../print/text.ts";
import { clock, time } from "../print/zone.ts";
import { withApp } from "../session.ts";

/** `monitor atomic-service`: its recorded runs, or with `--schedule` which runner may run it now. */
export async function run(flags: Flags): Promise<void> {
  const raw = rawInput(flags, atomicService.input);
  await withApp(flags, async (app, out) => {
    if (flags.schedule === true) {
      for (const [parameter, values] of Object.entries(raw)) {
        const accepted = "--schedule shows the present and takes no filter; use one or the other";
        throw new InvalidInputError([
          { parameter: flagOf(atomicService.input, parameter) ?? parameter, value: String(values), accepted },
        ]);
      }
      const scheduling = await atomicScheduling(app);
      return out.json ? out.document(scheduling) : printSchedule(scheduling, app.now(), out);
    }
    const list = await inFlagWords(atomicService.input, () => atomicTimeline(app, raw));
    if (list.executions.length === 0) refuseUnknown(await unknownRunner(app, list.filter));
    if (out.json) return out.document(list);
    printRows(EXECUTION_COLUMNS, list.executions, out, { now: app.now() });
    if (!list.recorded) {
      out.say("pynenc records service runs since 0.2.4; this store is older. --schedule shows the last runs.");
    } else if (list.executions.length === 0 && list.page.number === 1) {
      out.say(Object.keys(raw).length > 0 ? "No run matches the filter." : "No service runs yet.");
    }
    out.say(...pageNotes(list.page, "run"), ...list.running.filter((run) => run.stuck !== null).map(stuckWords));
  });
}

function stuckWords(run: ExecutionRow): string {
  return `The atomic service is stuck in ${shortId(run.atomic_service_run_id)}: ${run.stuck === "runner_dead" ? "its runner is silent" : "it has been running for too long"}, so no other run can start.`;
}

function printSchedule(model: AtomicScheduling, now: number, out: Output): void {
  const { cycle, fit } = model;
  out.lines(
    facts(
      [
        ["Now", time(model.now)],
        ...(cycle === null ? [] : [["Cycle", `${time(cycle.cycle_start)} to ${time(cycle.cycle_end)}`] as const]),
        ["Runners", `${counted(model.eligible, "runner")} taking turns, ${model.active} active`],
        ...(cycle === null
          ? []
          : ([
              ["Slot", cycle.slot_seconds === null ? NOTHING : duration(cycle.slot_seconds)],
              ["Margin", duration(cycle.spread_seconds)],
              ["Owner now", runnerText(cycle.owner)],
            ] as const)),
      ],
      out,
    ),
  );
  if (model.runners.length > 0) {
    out.lines([""]);
    out.table(turnColumns(cycle !== null, now, out), model.runners);
  }
  if (model.eligible === 0) out.say("No runner takes turns, so neither triggers nor recovery run.");
  if (cycle === null) {
    out.say("The runners use other settings than this monitor found, so the current turn is not known.");
    out.say(...fit.contradictions);
  }
  if (cycle !== null && fit.assumed) out.say("Cycle and margin are pynenc's defaults; no other settings were found.");
  if (cycle?.every_window_invalid) {
    const most = cycle.most_runners === null ? "" : ` These settings allow ${counted(cycle.most_runners, "runner")}.`;
    out.say(`No runner may start: atomic_service_spread_margin_minutes takes up the whole slot.${most}`);
  }
  if (model.incomplete) out.say("More runners are active than are listed here.");
  if (!model.recorded)
    out.say("pynenc records service runs since 0.2.4; in this older store the last run comes from each heartbeat.");
  out.say(...model.stuck.map(stuckWords));
}

function turnColumns(slots: boolean, now: number, out: Output): Column<TurnRow>[] {
  const runner = idColumn<TurnRow>("RUNNER", (row) => row.runner_id);
  const last = timeColumn<TurnRow>("LAST RUN", (row) => row.last_service_start, now);
  if (!slots) {
    const runs = {
      title: "RUNS",
      align: "right" as const,
      cell: (row: TurnRow) => String(row.recorded_runs ?? NOTHING),
    };
    return [runner, runs, last];
  }
  return [
    { title: "SLOT", align: "right", cell: (row) => String(row.position) },
    runner,
    { title: "FROM", cell: ({ slot }) => (slot === null ? "" : clock(slot.slot_start)) },
    { title: "TO", cell: ({ slot }) => (slot === null ? "" : clock(slot.slot_end)) },
    { title: "OWNER", cell: ({ slot }) => (slot?.owns_slot ? "yes" : "") },
    {
      title: "DECISION",
      cell: ({ slot }) => ({ text: slot?.reason ?? "", paint: slot?.may_start ? out.paint.bold : out.paint.dim }),
    },
    { title: "WHY", cell: ({ slot }) => visible(slot?.explanation ?? ""), cut: "end", min: 20, optional: true },
    last,
  ];
}
