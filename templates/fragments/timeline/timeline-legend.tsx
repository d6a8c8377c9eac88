import type * as preact from "preact";
import { PATH_PHASE_WORDS } from "../../../src/presentation/critical-path.ts";
import { visibleLine } from "../../../src/presentation/text.ts";
import { STATUSES } from "../../../src/pynenc/statuses.ts";
import type { TimelineGeometry } from "../../../src/timeline/geometry.ts";
import { statusClass } from "../../assets/status-css.ts";
import { edgeClass } from "../../svg/timeline-causes.tsx";
import { haveManyTransitions } from "../../svg/timeline-strands.tsx";

const STATES = [
  { state: "triggered", words: "event that started an invocation" },
  { state: "matched", words: "event that met a condition" },
  { state: "unmatched", words: "event that met no condition" },
];

const RELATIONS: Readonly<Record<string, string>> = {
  "direct-call": "call",
  "event-origin": "emitted",
  "event-trigger": "started by an event",
  "status-trigger": "started by a status",
  "result-trigger": "started by a result",
  "exception-trigger": "started by an exception",
  "cron-trigger": "started by a schedule",
};

/** Legend of the marks that occur in the drawing. */
export function TimelineLegend({ geometry }: { geometry: TimelineGeometry }) {
  const { strands, transitions, cells, path, markers, relations, services, lanes, breaks } = geometry;
  const present = new Set([
    ...strands.flatMap(({ bars, points }) => [
      ...bars.flatMap((bar) => [bar.status, bar.outcome ?? bar.status]),
      ...points.map((point) => point.status),
    ]),
  ]);
  const known = STATUSES.map((status) => status.name);
  const statuses = [
    ...known.filter((name) => present.has(name)),
    ...[...present].filter((name) => !known.includes(name)),
  ];
  const states = STATES.filter(({ state }) => markers.some((m) => m.kind === "event" && m.state === state));
  const kinds = [...new Set(relations.map((relation) => relation.kind))];
  return (
    <ul class="legend row">
      {statuses.map((status) => (
        <li key={status} class={statusClass(status)}>
          <span class="status-dot" />
          {visibleLine(status)}
        </li>
      ))}
      {strands.some((strand) => strand.bars.some((bar) => bar.outcome !== null)) && (
        <li class="muted">the colour shows how a run ended</li>
      )}
      {strands.some((strand) => strand.bars.some((bar) => bar.ongoing)) && (
        <Entry
          mark={
            <g class="strand">
              <rect class="bar ongoing status-running" x="1" y="3" width="22" height="8" />
            </g>
          }
        >
          ongoing{" "}
        </Entry>
      )}
      {strands.some((strand) => strand.bars.some((bar) => bar.dead)) && (
        <Entry
          mark={
            <g class="strand strands">
              <rect class="bar dead status-running_recovery" x="1" y="3" width="22" height="8" />
            </g>
          }
        >
          {PATH_PHASE_WORDS.dead_runner}
        </Entry>
      )}
      {strands.some((strand) => strand.workflow_root) && (
        <Entry
          mark={
            <g class="strand workflow-root">
              <rect class="bar status-success" x="1" y="3" width="22" height="8" />
            </g>
          }
        >
          defines a workflow run
        </Entry>
      )}
      {path.length > 0 && (
        <Entry mark={<rect class="path-line" x="1" y="6" width="22" height="3" />}>
          critical path of what is selected: what its time went to
        </Entry>
      )}
      {transitions.length > 0 && (
        <Entry mark={<path class="transition" d="M1 7H23" />}>
          where an invocation went next
          {haveManyTransitions(geometry) && (
            <span class="needs-script">, shown for what is pointed at or selected</span>
          )}
        </Entry>
      )}
      {cells.some((lane) => lane.of === "changes") && (
        <Entry
          mark={
            <g class="lane-cells">
              <path class="cell" d="M1 8h7v5h-7zM8 4h7v9h-7z" />
              <path class="cell-failed status-failed" d="M8 2h7v3h-7z" />
            </g>
          }
        >
          status changes that are counted instead of drawn, failed and killed on top; each lane scaled to its own
          maximum
        </Entry>
      )}
      {breaks.length > 0 && (
        <Entry
          mark={
            <g class="scale-break">
              <rect class="scale-break-ground" x="6" y="0" width="12" height="14" />
            </g>
          }
        >
          cut, because nothing happened
        </Entry>
      )}
      {lanes.some(({ runner }) => (runner?.busy_seconds ?? null) !== null) && (
        <li class="muted">
          busy: how long a runner executed at least one invocation in this window; idle: it executed none
        </li>
      )}
      {services.length > 0 && (
        <Entry
          mark={
            <g class="service service-completed">
              <rect x="1" y="4" width="22" height="6" />
            </g>
          }
        >
          atomic service
        </Entry>
      )}
      {states.map(({ state, words }) => (
        <Entry
          key={state}
          mark={
            <g class={`marker marker-event marker-${state}`}>
              <path d="M8 3H16V11H8Z" />
            </g>
          }
        >
          {words}
        </Entry>
      ))}
      {markers.some((marker) => marker.kind === "cron") && (
        <Entry
          mark={
            <g class="marker marker-cron">
              <path d="M12 2L17 7L12 12L7 7Z" />
            </g>
          }
        >
          schedule
        </Entry>
      )}
      {kinds.map((kind) => (
        <Entry key={kind} mark={<path class={edgeClass(kind)} d="M1 7H23" />}>
          {RELATIONS[kind]}
        </Entry>
      ))}
    </ul>
  );
}

interface EntryProps {
  /** What it explains, in 24 by 14 pixels. */
  mark: preact.ComponentChildren;
  children: preact.ComponentChildren;
}

function Entry({ mark, children }: EntryProps) {
  return (
    <li>
      <svg class="sample" width="24" height="14" aria-hidden="true">
        {mark}
      </svg>
      {children}
    </li>
  );
}
