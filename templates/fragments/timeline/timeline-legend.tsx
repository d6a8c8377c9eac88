import type { ComponentChildren } from "preact";
import { PATH_PHASE_WORDS } from "../../../src/presentation/critical-path.ts";
import { visibleLine } from "../../../src/presentation/text.ts";
import { STATUSES, statusInfo } from "../../../src/pynenc/statuses.ts";
import type { TimelineGeometry } from "../../../src/timeline/geometry.ts";
import { statusClass } from "../../assets/status-css.ts";
import { edgeClass } from "../../svg/timeline-causes.tsx";
import { haveManyTransitions, textureId } from "../../svg/timeline-strands.tsx";

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
  const { strands, transitions, cells, path, markers, relations, services, lanes } = geometry;
  const bars = strands.flatMap((strand) => strand.bars);
  const points = strands.flatMap((strand) => strand.points);
  const present = new Set([
    ...bars.flatMap((bar) => [bar.status, bar.outcome ?? bar.status]),
    ...points.map(({ status }) => status),
    ...(cells.some(({ failed }) => failed > 0) ? ["failed"] : []),
  ]);
  const known = STATUSES.map((status) => status.name);
  const statuses = [
    ...known.filter((name) => present.has(name)),
    ...[...present].filter((name) => !known.includes(name)),
  ];
  const drawnAsBar = new Set(bars.map((bar) => bar.outcome ?? bar.status));
  const bar = (strand: string, classes: string, status: string) => {
    const { glyph } = statusInfo(status);
    return (
      <g class={`strand ${strand}`}>
        <rect class={`bar ${classes} ${statusClass(status)}`} x="1" y="3" width="22" height="8" />
        {glyph !== "disc" && (
          <rect class="bar-texture" fill={`url(#${textureId(glyph)})`} x="1" y="3" width="22" height="8" />
        )}
      </g>
    );
  };
  const many = haveManyTransitions(geometry) && (
    <span class="needs-script">, shown for what is pointed at or selected</span>
  );
  const entries: readonly LegendEntry[] = [
    [
      bars.some(({ outcome }) => outcome !== null),
      null,
      "the colour shows how a run ended; blue: it paused or goes on",
    ],
    [bars.some(({ ongoing }) => ongoing), bar("", "ongoing", "running"), "ongoing"],
    [bars.some(({ dead }) => dead), bar("strands", "dead", "running_recovery"), PATH_PHASE_WORDS.dead_runner],
    [strands.some((strand) => strand.workflow_root), bar("workflow-root", "", "success"), "defines a workflow run"],
    [
      path.length > 0,
      <rect class="path-line" x="1" y="6" width="22" height="3" />,
      "critical path of what is selected: what its time went to",
    ],
    [transitions.length > 0, <path class="transition" d="M1 7H23" />, <>where an invocation went next{many}</>],
    ...[true, false].map(
      (busy) =>
        [
          cells.some((lane) => lane.of === "changes" && lane.busy === busy),
          <g class="lane-cells">
            <path class={busy ? "cell cell-busy status-running" : "cell"} d="M1 8h7v5h-7zM8 4h7v9h-7z" />
            <path class="cell-failed status-failed" d="M8 2h7v3h-7z" />
          </g>,
          `${busy ? "how many ran, on average" : "status changes"}, where bars have no room; failed and killed on top; each lane scaled to its own maximum`,
        ] as const,
    ),
    [
      lanes.some(({ runner }) => (runner?.busy_seconds ?? null) !== null),
      null,
      "busy: how long a runner executed at least one invocation in this window; idle: it executed none",
    ],
    [
      services.length > 0,
      <g class="service service-completed">
        <rect x="1" y="4" width="22" height="6" />
      </g>,
      "atomic service",
    ],
    ...STATES.map(
      ({ state, words }) =>
        [
          markers.some((one) => one.kind === "event" && one.state === state),
          <g class={`marker marker-event marker-${state}`}>
            <path d="M8 3H16V11H8Z" />
          </g>,
          words,
        ] as const,
    ),
    [
      markers.some((one) => one.kind === "cron"),
      <g class="marker marker-cron">
        <path d="M12 2L17 7L12 12L7 7Z" />
      </g>,
      "schedule",
    ],
    ...[...new Set(relations.map((one) => one.kind))].map(
      (kind) => [true, <path class={edgeClass(kind)} d="M1 7H23" />, RELATIONS[kind]] as const,
    ),
  ];
  return (
    <Legend entries={entries}>
      {statuses.map((status) => (
        <li key={status} class={statusClass(status)}>
          {drawnAsBar.has(status) && statusInfo(status).glyph !== "disc" ? (
            <Sample>{bar("", "", status)}</Sample>
          ) : (
            <span class="status-dot" />
          )}
          {visibleLine(status)}
        </li>
      ))}
    </Legend>
  );
}

/** Whether it occurs, its mark in 24 by 14 pixels, null where words alone do, and what it is. */
export type LegendEntry = readonly [occurs: boolean, mark: ComponentChildren, words: ComponentChildren];

function Sample({ children }: { children: ComponentChildren }) {
  return (
    <svg class="sample" width="24" height="14" aria-hidden="true">
      {children}
    </svg>
  );
}

/** What marks mean, of those that occur. */
export function Legend({ entries, children }: { entries: readonly LegendEntry[]; children?: ComponentChildren }) {
  return (
    <ul class="legend row">
      {children}
      {entries.map(
        ([occurs, mark, words], index) =>
          occurs && (
            <li key={String(index)} class={mark === null ? "muted" : undefined}>
              {mark !== null && <Sample>{mark}</Sample>}
              {words}
            </li>
          ),
      )}
    </ul>
  );
}
