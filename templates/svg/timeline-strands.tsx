import { PATH_PHASE_WORDS } from "../../src/presentation/critical-path.ts";
import { duration, exceptionText, instant, shortId, visibleLine } from "../../src/presentation/text.ts";
import { ascending } from "../../src/pynenc/order.ts";
import { type StatusGlyph, statusInfo } from "../../src/pynenc/statuses.ts";
import type { TimelineGeometry } from "../../src/timeline/geometry.ts";
import { shortTask } from "../../src/timeline/labels.ts";
import type { BarShape, PointShape, StrandShape } from "../../src/timeline/strand-shapes.ts";
import { statusClass } from "../assets/status-css.ts";
import { useLinks } from "../links.ts";
import { BarWords, SavedBarWords } from "./bar-words.tsx";
import { ByLane } from "./by-lane.tsx";
import { Linked } from "./linked.tsx";
import { naive, percent, trimmed } from "./numbers.ts";

/** Nominal width of a place that has room for a few letters on a phone. */
const FEW_LETTERS = 240;

interface StrandsProps {
  geometry: TimelineGeometry;
  linked: boolean;
  selected: ReadonlySet<string>;
}

/** What invocations did: bars while they kept a runner busy, points for every other status. */
export function Strands({ geometry, linked, selected }: StrandsProps) {
  const links = useLinks();
  const { width, barHeight } = geometry;
  const Words = linked ? BarWords : SavedBarWords;
  return (
    <g class="strands" data-part="strands">
      <ByLane geometry={geometry} shapes={geometry.strands}>
        {(strand, top) => {
          const { invocation_id, workflow_root } = strand;
          const y = strand.y - top;
          return (
            <Linked
              class={classOf(strand, selected)}
              href={linked ? links.invocation(invocation_id) : null}
              data-invocation-id={invocation_id}
              data-task-id={strand.task_id_key ?? undefined}
              data-runner-id={strand.runner_id ?? undefined}
              data-workflow-root={workflow_root ? "true" : undefined}
            >
              <title>{titleOf(strand)}</title>
              {strand.bars.map((bar) => (
                <rect
                  key={`${bar.status} ${bar.began}`}
                  class={`bar ${bar.ongoing ? "ongoing " : ""}${bar.dead ? "dead " : ""}${statusClass(colourOf(bar))}`}
                  x={percent(bar.x, width)}
                  width={percent(bar.width, width)}
                  y={trimmed(y - heightOf(bar, barHeight) / 2)}
                  height={heightOf(bar, barHeight)}
                  data-status={bar.status}
                  data-outcome={bar.outcome ?? undefined}
                  data-began={naive(bar.began)}
                  data-ended={bar.ended === null ? undefined : naive(bar.ended)}
                />
              ))}
              {strand.bars.map((bar) => {
                const { glyph } = statusInfo(colourOf(bar));
                return glyph === "disc" ? null : (
                  <rect
                    key={`texture ${bar.began}`}
                    class="bar-texture"
                    fill={`url(#${textureId(glyph)})`}
                    x={percent(bar.x, width)}
                    width={percent(bar.width, width)}
                    y={trimmed(y - heightOf(bar, barHeight) / 2)}
                    height={heightOf(bar, barHeight)}
                  />
                );
              })}
              {strand.label !== null && (
                <Words
                  text={nameOf(strand)}
                  from={strand.label.from}
                  to={strand.label.to}
                  width={width}
                  y={y - barHeight / 2}
                  height={barHeight}
                  short={strand.label.to - strand.label.from < FEW_LETTERS}
                  mode={strand.label.textured ? "over" : "in"}
                />
              )}
              {strand.points.map((point) => (
                <Point
                  key={`${point.status} ${point.at}`}
                  point={point}
                  x={percent(point.x, width)}
                  y={y}
                  radius={strand.bars.length > 0 ? 3 : 4}
                />
              ))}
            </Linked>
          );
        }}
      </ByLane>
    </g>
  );
}

/** A status without a length, in its shape. */
function Point({ point: { status, at }, x, y, radius }: { point: PointShape; x: string; y: number; radius: number }) {
  const shared = { class: `point ${statusClass(status)}`, "data-status": status, "data-at": naive(at) };
  const { glyph } = statusInfo(status);
  if (glyph === "disc" || glyph === "ring") return <circle {...shared} cx={x} cy={trimmed(y)} r={radius} />;
  // As big as the disc to the eye.
  const half = radius * 0.88;
  return <rect {...shared} x={x} y={trimmed(y - half)} width={trimmed(2 * half)} height={trimmed(2 * half)} />;
}

/** The textures of bars: one for each shape but the disc. */
export function Textures() {
  return (
    <defs>
      {Object.entries(TEXTURES).map(([glyph, path]) => (
        <pattern key={glyph} id={textureId(glyph as StatusGlyph)} width="6" height="6" patternUnits="userSpaceOnUse">
          <path class="texture-line" d={path} />
        </pattern>
      ))}
    </defs>
  );
}

const TEXTURES: Readonly<Record<Exclude<StatusGlyph, "disc">, string>> = {
  ring: "M0 3H6",
  square: "M-1 1L1 -1M-1 7L7 -1M5 7L7 5",
  diamond: "M0 0L6 6M6 0L0 6",
};

/** The id of the texture of a shape. */
export function textureId(glyph: StatusGlyph): string {
  return `texture-${glyph}`;
}

function classOf({ invocation_id, workflow_root }: StrandShape, selected: ReadonlySet<string>): string {
  return `strand${workflow_root ? " workflow-root" : ""}${selected.has(invocation_id) ? " selected" : ""}`;
}

/** A run takes the colour of how it ended, on a silent runner that of a recovery, taken already or not; waiting and pausing keep their own. */
function colourOf({ status, outcome, dead }: BarShape): string {
  if (dead) return "running_recovery";
  return outcome !== null && status === "running" ? outcome : status;
}

/** Running stands out; waiting to start and pausing are thinner. */
function heightOf(bar: BarShape, full: number): number {
  return isRun(bar) ? full : Math.round(full * 0.6);
}

function isRun({ status }: BarShape): boolean {
  return status === "running" || status === "resumed";
}

/** `✕ ship, run 1.2 s, order_id="ORD-1"`, or `on a silent runner`: what matters least is last, where it is cut. */
function nameOf({ task_id_key, arguments: words, bars }: StrandShape): string {
  const runs = bars.filter(isRun);
  const last = runs.at(-1);
  const task = visibleLine(shortTask(task_id_key));
  const all = runs.reduce((sum, { seconds }) => sum + (seconds ?? Number.NaN), 0);
  const parts = runs.length > 1 ? ` in ${runs.length} parts` : "";
  const ran = last === undefined || Number.isNaN(all) ? "" : `run ${duration(all)}${parts}`;
  const took = last?.dead ? PATH_PHASE_WORDS.dead_runner : ran;
  return `${last?.outcome === "failed" ? "✕ " : ""}${[task, took, visibleLine(words ?? "")].filter(Boolean).join(", ")}`;
}

function titleOf({
  invocation_id,
  task_id_key,
  arguments: words,
  exception,
  workflow_root,
  bars,
  points,
}: StrandShape) {
  const task = visibleLine(task_id_key ?? "task not known");
  const steps = [
    ...bars.map((bar) => ({ at: bar.began, words: barWords(bar) })),
    ...points.map((point) => ({ at: point.at, words: pointWords(point) })),
  ];
  steps.sort((a, b) => ascending(a.at, b.at));
  return [
    `${task} ${visibleLine(shortId(invocation_id))}${workflow_root ? ", defines a workflow run" : ""}`,
    ...(words === null || words === "" ? [] : [visibleLine(words)]),
    ...steps.map((step) => step.words),
    ...(exception === null ? [] : [visibleLine(exceptionText(exception))]),
  ].join("\n");
}

function barWords({ status, began, seconds, ongoing, dead }: BarShape): string {
  const open = ongoing ? "ongoing" : "until after this window";
  const length = seconds === null ? open : duration(seconds);
  return `${visibleLine(status)}${dead ? ` ${PATH_PHASE_WORDS.dead_runner}` : ""} from ${instant(began).slice(11)}, ${length}`;
}

function pointWords({ status, at }: PointShape): string {
  return `${visibleLine(status)} at ${instant(at).slice(11)}`;
}

/** The critical path: a line beneath the bars that it goes through, and dotted lines between them. */
export function Path({ geometry }: { geometry: TimelineGeometry }) {
  const { path, width, barHeight } = geometry;
  return (
    <g class="path" data-part="path">
      <ByLane geometry={geometry} shapes={path}>
        {({ x, width: length, y, from_y }, top) => {
          const below = (row: number) => trimmed(row - top + barHeight / 2 + 1.5);
          return (
            <g key={`${x} ${y}`}>
              {from_y !== null && from_y !== y && (
                <line
                  class="path-line"
                  x1={percent(x, width)}
                  x2={percent(x, width)}
                  y1={below(from_y)}
                  y2={below(y)}
                />
              )}
              <rect
                class="path-line"
                x={percent(x, width)}
                width={percent(length, width)}
                y={below(y - 1.5)}
                height="3"
              />
            </g>
          );
        }}
      </ByLane>
    </g>
  );
}

const TRANSITIONS_AT_ONCE = 100;

/** Whether they would hide what they connect. Scripts then show only those of what is pointed at or selected. */
export function haveManyTransitions({ transitions }: TimelineGeometry): boolean {
  return transitions.length > TRANSITIONS_AT_ONCE;
}

/** From where an invocation left one runner, or waited, to where it continues. */
export function Transitions({ geometry }: { geometry: TimelineGeometry }) {
  return (
    <g class={haveManyTransitions(geometry) ? "transitions transitions-many" : "transitions"} data-part="transitions">
      <ByLane geometry={geometry} shapes={geometry.transitions}>
        {(step, top) => (
          <path
            key={`${step.invocation_id} ${step.x1} ${step.y1}`}
            class={`transition ${statusClass(step.from_status)}`}
            d={`M${trimmed(step.x1)} ${trimmed(step.y1 - top)}L${trimmed(step.x2)} ${trimmed(step.y2 - top)}`}
            data-invocation-id={step.invocation_id}
            data-from-status={step.from_status}
            data-to-status={step.to_status}
          />
        )}
      </ByLane>
    </g>
  );
}
