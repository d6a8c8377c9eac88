import type { AtomicScheduling, CycleView, SettingsFit, SlotRow, TurnRow } from "../../../src/api/runners.ts";
import { stuckWords } from "../../../src/presentation/facts/service-run.ts";
import { count, duration } from "../../../src/presentation/text.ts";
import { counted } from "../../../src/pynenc/numbers.ts";
import { useLinks } from "../../links.ts";
import { NamedRunner } from "../facts/runner-name.tsx";
import { Card } from "../ui/card.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Duration } from "../ui/duration.tsx";
import { Empty } from "../ui/empty.tsx";
import { Facts } from "../ui/facts.tsx";
import { Id } from "../ui/id.tsx";
import { Notice } from "../ui/notice.tsx";
import { Time } from "../ui/time.tsx";

/** Rows that are worth reading on one page. */
const RUNNERS_SHOWN = 200;

/** Whose turn it is in the atomic service, and what is wrong with it. */
export function ServiceTurns({ model }: { model: AtomicScheduling }) {
  const { cycle } = model;
  const shown = model.runners.slice(0, RUNNERS_SHOWN);
  return (
    <>
      <Warnings model={model} />
      <Card
        title={cycle === null ? "Runners taking turns" : "Slots of this cycle"}
        flush={shown.length > 0}
        actions={model.runners.length > shown.length && <span class="muted">the first {count(shown.length)}</span>}
      >
        <DataTable
          caption={cycle === null ? "Runners that take turns, oldest first" : "Runners in the order of their slots"}
          columns={[
            ...(cycle === null ? [] : SLOT_COLUMNS.before),
            RUNNER_COLUMN,
            ...(cycle === null ? [] : SLOT_COLUMNS.after),
            ...(model.recorded ? [RUNS_COLUMN] : []),
            ...RUN_COLUMNS,
          ]}
          rows={shown.map((turn) => ({ key: turn.runner_id, cells: turnCells(turn) }))}
          empty={
            <Empty title="No runner takes turns">
              {model.active === 0
                ? "No runner is active, so neither triggers nor recovery run. Start a runner and it appears here automatically."
                : "All active runners are workers or are excluded from the atomic service, so neither triggers nor recovery run."}
            </Empty>
          }
        />
        <div class="card-part">
          <Facts
            rows={[
              ...(cycle === null
                ? []
                : [
                    { label: "Cycle", value: <CycleTimes cycle={cycle} /> },
                    { label: "Slot length", value: <SlotLength cycle={cycle} model={model} /> },
                  ]),
              { label: "Runners taking turns", value: <TurnsTaken model={model} /> },
              { label: "Based on", value: <SettingsSource model={model} /> },
            ]}
          />
        </div>
      </Card>
    </>
  );
}

function TurnsTaken({ model: { eligible, active } }: { model: AtomicScheduling }) {
  const links = useLinks();
  return (
    <>
      {count(eligible)} of <a href={links.runners()}>{count(active)} active</a>
    </>
  );
}

function CycleTimes({ cycle }: { cycle: CycleView }) {
  return (
    <>
      <Time iso={cycle.cycle_start} clock /> to <Time iso={cycle.cycle_end} clock />, {duration(cycle.interval_seconds)}
    </>
  );
}

function SlotLength({ cycle, model }: { cycle: CycleView; model: AtomicScheduling }) {
  if (cycle.slot_seconds === null) return <span class="muted">no runner, no slot</span>;
  return (
    <>
      {duration(cycle.slot_seconds)}
      <span class="muted">{marginWords(cycle, model)}</span>
    </>
  );
}

function marginWords(
  { spread_seconds: margin, slot_seconds }: CycleView,
  { eligible, recorded }: AtomicScheduling,
): string {
  if (margin <= 0) return "";
  if (eligible === 1) return `; the margin of ${duration(margin)} only applies to two or more runners`;
  if (margin < (slot_seconds ?? 0)) return `, including a safety margin of ${duration(margin)} at the end`;
  const all = `; the margin of ${duration(margin)} takes up all of it`;
  return recorded ? all : `${all}, so half of it is used`;
}

/** What the page rests on: settings alone, or settings that recorded runs bear out. */
function SettingsSource({ model: { fit, recorded, cycle, eligible } }: { model: AtomicScheduling }) {
  if (cycle === null) return <>recorded runs only</>;
  const settings = fit.assumed ? "the default settings: no others were found" : "the settings below";
  if (eligible === 0) return <>{settings}</>;
  return (
    <>
      {settings}
      <span class="muted">{fitWords(fit, recorded)}</span>
    </>
  );
}

function fitWords({ verdict, compared, outside }: SettingsFit, recorded: boolean): string {
  if (verdict === "untested") return "; there is no run to compare since these runners have been taking turns";
  const runs = recorded ? counted(compared, "recorded run") : `the last run of ${counted(compared, "runner")}`;
  const matching = compared - outside;
  return `; compared with ${runs}: ${count(matching)} ${matching === 1 ? "matches" : "match"}`;
}

/** Why the settings cannot be those of the runners. */
function Contradiction({ fit: { contradictions } }: { fit: SettingsFit }) {
  return (
    <Notice tone="warn">
      The runners use other settings than this monitor found, so whose turn it is cannot be determined.{" "}
      {contradictions.join(" ")} Start the monitor in the app's folder, with its configuration file (
      <code>--config</code>) or with its <code>PYNENC__</code> variables.
    </Notice>
  );
}

function Warnings({ model }: { model: AtomicScheduling }) {
  const links = useLinks();
  const { cycle } = model;
  return (
    <>
      {cycle === null && <Contradiction fit={model.fit} />}
      {cycle?.every_window_invalid && (
        <Notice tone="warn">
          No runner may start{model.fit.assumed && " if the app uses the default settings"}. With{" "}
          {count(model.eligible)} runners a slot is {duration(cycle.slot_seconds ?? 0)} long and the margin of{" "}
          {duration(cycle.spread_seconds)} takes up all of it, so neither triggers nor recovery run.
          {cycle.most_runners !== null &&
            ` These settings allow ${count(cycle.most_runners)} ${cycle.most_runners === 1 ? "runner" : "runners"}.`}
          {model.fit.since !== null && (
            <>
              {" "}
              No run is recorded since these runners have been taking turns, <Time iso={model.fit.since} />.
            </>
          )}{" "}
          Raise <code>atomic_service_interval_minutes</code> or lower <code>atomic_service_spread_margin_minutes</code>.
        </Notice>
      )}
      {model.stuck.map((run) => (
        <Notice key={run.atomic_service_run_id} tone="error">
          The atomic service is stuck in{" "}
          <Id value={run.atomic_service_run_id} href={links.atomicRun(run.atomic_service_run_id)} copy={false} /> on{" "}
          <NamedRunner name={run.runner} />, since <Time iso={run.start_time} relative />.{" "}
          {run.stuck !== null && stuckWords(run.stuck)} All other runs are blocked, whichever runner owns the slot.
        </Notice>
      ))}
      {model.running
        .filter((run) => run.stuck === null)
        .map((run) => (
          <Notice key={run.atomic_service_run_id} tone="info">
            A run is in progress:{" "}
            <Id value={run.atomic_service_run_id} href={links.atomicRun(run.atomic_service_run_id)} copy={false} /> on{" "}
            <NamedRunner name={run.runner} />.
          </Notice>
        ))}
      {model.incomplete && (
        <Notice tone="warn">
          More runners are active than this page includes, so the slots differ from those that the runners compute.
        </Notice>
      )}
      {!model.recorded && (
        <Notice tone="info">
          This layout does not record the runs of the atomic service; pynenc records them since 0.2.4. Shown is the last
          run in each runner's heartbeat.
        </Notice>
      )}
    </>
  );
}

const RUNNER_COLUMN: Column = { label: "Runner", rowHeader: true };

/** Before and after the runner; left out if no slot is known. */
const SLOT_COLUMNS: Readonly<Record<"before" | "after", readonly Column[]>> = {
  before: [{ label: "Slot", align: "end" }],
  after: [
    { label: "From" },
    { label: "To" },
    { label: "Decision", hint: "What the runner would decide if it checked now" },
    { label: "Why" },
  ],
};

const RUNS_COLUMN: Column = { label: "Runs", align: "end", hint: "Among the newest 1,000 that are recorded" };

const RUN_COLUMNS: readonly Column[] = [
  { label: "Last run" },
  { label: "Took", align: "end", hint: "Its last run", roomy: true },
  { label: "First heartbeat", hint: "Decides the order of the slots", roomy: true },
  { label: "Last heartbeat", roomy: true },
];

function turnCells(turn: TurnRow) {
  const { slot } = turn;
  return [
    ...(slot === null ? [] : [count(turn.position)]),
    <span key="runner" class="with-mark">
      <NamedRunner name={turn.runner} />
      {slot?.owns_slot && <span class="mark mark-info">owns the slot</span>}
      {slot?.in_grace && (
        <span class="mark mark-warn" title="Younger than atomic_service_membership_stabilization_minutes">
          in grace
        </span>
      )}
    </span>,
    ...(slot === null ? [] : slotCells(slot)),
    ...(turn.recorded_runs === null ? [] : [count(turn.recorded_runs)]),
    <LastRun key="last" turn={turn} />,
    <Duration key="took" seconds={lastDuration(turn)} />,
    <Time key="first" iso={turn.created_at} relative />,
    <Time key="heartbeat" iso={turn.last_heartbeat} relative />,
  ];
}

function slotCells(slot: SlotRow) {
  return [
    <Time key="from" iso={slot.slot_start} clock />,
    <Time key="to" iso={slot.slot_end} clock />,
    <span key="decision" class={DECISION_TONES[slot.reason] ?? "muted"}>
      {DECISIONS[slot.reason]}
    </span>,
    <span key="why" class="cell-text">
      {slot.explanation}
    </span>,
  ];
}

/** Words for the reasons; the reason itself is in the JSON. */
const DECISIONS: Readonly<Record<SlotRow["reason"], string>> = {
  assigned: "may start",
  not_assigned_slot: "waits",
  no_stable_runners: "waits",
  scheduled_runner_in_grace: "in grace",
  slot_window_invalid: "no window",
  late_start: "too late",
};

const DECISION_TONES: Readonly<Partial<Record<SlotRow["reason"], string>>> = {
  assigned: "mark mark-good",
  scheduled_runner_in_grace: "mark mark-warn",
  slot_window_invalid: "mark mark-bad",
  late_start: "mark mark-warn",
};

/** When it last ran; a recorded run leads to its page. */
function LastRun({ turn: { last_service_start: start, last_atomic_service_run_id: run } }: { turn: TurnRow }) {
  const links = useLinks();
  if (start === null) return <span class="muted">none recently</span>;
  const time = <Time iso={start} relative />;
  return run === null ? time : <a href={links.atomicRun(run)}>{time}</a>;
}

function lastDuration({ last_service_start: start, last_service_end: end }: TurnRow): number | null {
  return start === null || end === null ? null : (Date.parse(end) - Date.parse(start)) / 1000;
}
