import type * as preact from "preact";
import { visibleLine } from "../../../src/presentation/text.ts";
import { STATUSES } from "../../../src/pynenc/statuses.ts";
import type { TimelineGeometry } from "../../../src/timeline/geometry.ts";
import { statusClass } from "../../assets/status-css.ts";

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
  const { strands, cells, markers, relations, services, lanes, breaks } = geometry;
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
    <ul class="legend">
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
        <li>
          <Sample>
            <g class="strand">
              <rect class="bar ongoing status-running" x="1" y="3" width="22" height="8" />
            </g>
          </Sample>
          ongoing{" "}
        </li>
      )}
      {strands.some((strand) => strand.workflow_root) && (
        <li>
          <Sample>
            <g class="strand workflow-root">
              <rect class="bar status-success" x="1" y="3" width="22" height="8" />
            </g>
          </Sample>
          defines a workflow run
        </li>
      )}
      {cells.some((lane) => lane.of === "changes") && (
        <li>
          <Sample>
            <g class="lane-cells">
              <path class="cell" d="M1 8h7v5h-7zM8 4h7v9h-7z" />
              <path class="cell-failed status-failed" d="M8 2h7v3h-7z" />
            </g>
          </Sample>
          status changes that are counted instead of drawn, failed and killed on top; each lane scaled to its own
          maximum
        </li>
      )}
      {breaks.length > 0 && (
        <li>
          <Sample>
            <g class="scale-break">
              <rect class="scale-break-ground" x="6" y="0" width="12" height="14" />
            </g>
          </Sample>
          nothing happened; cut
        </li>
      )}
      {lanes.some(({ runner }) => (runner?.busy_seconds ?? null) !== null) && (
        <li class="muted">busy: how long a runner executed at least one invocation in this window; idle: none</li>
      )}
      {services.length > 0 && (
        <li>
          <Sample>
            <g class="service service-completed">
              <rect x="1" y="4" width="22" height="6" />
            </g>
          </Sample>
          atomic service
        </li>
      )}
      {states.map(({ state, words }) => (
        <li key={state}>
          <Sample>
            <g class={`marker marker-event marker-${state}`}>
              <path d="M8 3H16V11H8Z" />
            </g>
          </Sample>
          {words}
        </li>
      ))}
      {markers.some((marker) => marker.kind === "cron") && (
        <li>
          <Sample>
            <g class="marker marker-cron">
              <path d="M12 2L17 7L12 12L7 7Z" />
            </g>
          </Sample>
          schedule
        </li>
      )}
      {kinds.map((kind) => (
        <li key={kind}>
          <Sample>
            <path class={`relation relation-${kind}`} d="M1 7H23" />
          </Sample>
          {RELATIONS[kind]}
        </li>
      ))}
    </ul>
  );
}

function Sample({ children }: { children: preact.ComponentChildren }) {
  return (
    <svg class="sample" width="24" height="14" aria-hidden="true">
      {children}
    </svg>
  );
}
