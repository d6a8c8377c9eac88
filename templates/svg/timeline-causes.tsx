import type { ComponentChildren } from "preact";
import { count, duration, instant, shortId, visibleLine } from "../../src/presentation/text.ts";
import type { ServiceShape, TimelineGeometry } from "../../src/timeline/geometry.ts";
import type { MarkerShape } from "../../src/timeline/markers.ts";
import type { RelationShape } from "../../src/timeline/relations.ts";
import { serviceMarks } from "../../src/timeline/service-marks.ts";
import type { Zoom } from "../../src/timeline/zoom-groups.ts";
import { useLinks } from "../links.ts";
import { BarWords } from "./bar-words.tsx";
import { ByLane } from "./by-lane.tsx";
import { Linked } from "./linked.tsx";
import { naive, percent, trimmed } from "./numbers.ts";

interface MarksProps {
  geometry: TimelineGeometry;
  linked: boolean;
  selected: ReadonlySet<string>;
}

interface ServicesProps extends MarksProps {
  /** Without it each run has a mark of its own. */
  href: Zoom | undefined;
}

/** Runs of the atomic service, in the lane of the runner whose turn it was. Where many follow each other, one mark has them all. */
export function Services({ geometry, linked, selected, href }: ServicesProps) {
  const links = useLinks();
  const { width } = geometry;
  return (
    <g class="services" data-part="services">
      <ByLane geometry={geometry} shapes={serviceMarks(geometry, href === undefined ? null : selected)}>
        {({ runs, ...within }, top) => {
          const [{ atomic_service_run_id: id, runner_id, start_time, end_time }] = runs;
          const alone = runs.length === 1;
          const [start_date, end_date] = [naive(within.start), naive(within.end)];
          const target = alone ? (linked ? links.atomicRun(id) : null) : (href?.({ start_date, end_date }) ?? null);
          return (
            <Linked
              key={alone ? id : start_date}
              class={serviceClass(runs[0], selected)}
              href={target}
              data-atomic-service-run-id={alone ? id : undefined}
              data-runner-id={runner_id}
              data-count={alone ? undefined : runs.length}
              data-start={alone ? naive(start_time) : start_date}
              data-end={alone ? end_time && naive(end_time) : end_date}
            >
              <title>
                {alone ? serviceTitle(runs[0]) : `${count(runs.length)} completed runs of the atomic service`}
              </title>
              {runs.map((run) => (
                <rect
                  key={run.atomic_service_run_id}
                  x={percent(run.x, width)}
                  width={percent(run.width, width)}
                  y={trimmed(run.y - top)}
                  height={run.height}
                />
              ))}
            </Linked>
          );
        }}
      </ByLane>
    </g>
  );
}

const SERVICE_STATUSES: readonly string[] = ["running", "completed", "abandoned", "blocked"];

function serviceClass({ atomic_service_run_id: id, status }: ServiceShape, selected: ReadonlySet<string>): string {
  return `service service-${SERVICE_STATUSES.includes(status) ? status : "other"}${selected.has(id) ? " selected" : ""}`;
}

function serviceTitle({ atomic_service_run_id, status, start_time, seconds }: ServiceShape): string {
  const length = seconds === null ? "not ended" : duration(seconds);
  return [
    `Atomic service ${visibleLine(shortId(atomic_service_run_id))}, ${visibleLine(status)}`,
    `from ${instant(start_time).slice(11)}, ${length}`,
  ].join("\n");
}

/** Events and schedules, above the bars, each with a stem down to what emitted it. */
export function Markers({ geometry, linked, selected }: MarksProps) {
  const links = useLinks();
  const { markers, width } = geometry;
  return (
    <g class="markers" data-part="markers">
      <ByLane geometry={geometry} shapes={markers}>
        {(marker, top) => {
          const x = percent(marker.x, width);
          const [run = ""] = marker.trigger_run_ids;
          const id = marker.event_id ?? run;
          const href = marker.event_id === null ? links.triggerRun(run) : links.event(marker.event_id);
          return (
            <Linked
              key={`${marker.kind} ${id}`}
              class={`marker marker-${marker.kind} marker-${marker.state}${selected.has(id) ? " selected" : ""}`}
              href={linked ? href : null}
              data-event-id={marker.event_id ?? undefined}
              data-event-code={marker.event_id === null ? undefined : marker.name}
              data-trigger-run-id={marker.event_id === null ? marker.trigger_run_ids.join(" ") : undefined}
              data-emitter={marker.emitter ?? undefined}
              data-state={marker.state}
              data-at={naive(marker.timestamp)}
            >
              <title>{markerTitle(marker)}</title>
              {marker.stem !== null && (
                <line class="stem" x1={x} x2={x} y1={trimmed(marker.y - top)} y2={trimmed(marker.stem - top)} />
              )}
              <MarkerGlyph square={marker.kind === "event"} x={x} y={trimmed(marker.y - top)}>
                {!linked && marker.label !== null && (
                  <text x={marker.before ? -8 : 8} y="3.5" text-anchor={marker.before ? "end" : undefined}>
                    {visibleLine(marker.label.text)}
                  </text>
                )}
              </MarkerGlyph>
              {linked && marker.label !== null && (
                <BarWords
                  {...marker.label}
                  text={visibleLine(marker.label.text)}
                  width={width}
                  y={marker.y - top - 7}
                  height={14}
                  mode={marker.before ? "before" : "after"}
                  short
                />
              )}
            </Linked>
          );
        }}
      </ByLane>
    </g>
  );
}

/** Events are squares, what a trigger started is a diamond. Its size does not change with the width of the plot. */
export function MarkerGlyph({
  square,
  children,
  ...place
}: {
  square: boolean;
  x: string;
  y: string | number;
  children?: ComponentChildren;
}) {
  return (
    <svg class="marker-shape" aria-hidden="true" {...place} width="1" height="1" overflow="visible">
      <path d={square ? "M-4-4H4V4H-4Z" : "M0-5L5 0L0 5L-5 0Z"} />
      {children}
    </svg>
  );
}

const STATES: Readonly<Record<MarkerShape["state"], string>> = {
  triggered: "started an invocation",
  matched: "met at least one condition, started nothing so far",
  unmatched: "met no condition",
};

/** Tasks that are named. */
const NAMED = 4;

/** `charge_card 8, authorize 4, and 2 more tasks`. */
function taskWords(tasks: MarkerShape["tasks"]): string {
  const named = tasks.slice(0, NAMED).map(({ task, total }) => {
    return `${visibleLine(task.split(".").at(-1) ?? task)}${total === 1 ? "" : ` ${count(total)}`}`;
  });
  const more = tasks.length - named.length;
  return [...named, ...(more > 0 ? [`and ${count(more)} more ${more === 1 ? "task" : "tasks"}`] : [])].join(", ");
}

function markerTitle({ kind, name, state, timestamp, tasks, trigger_run_ids: runs }: MarkerShape): string {
  const schedules = runs.length > 1 ? `${runs.length} schedules` : "Schedule";
  const what = kind === "event" ? `Event ${visibleLine(name)}` : schedules;
  const outcome = kind === "event" || state === "triggered" ? STATES[state] : "started nothing";
  return `${what}, ${tasks.length === 0 ? outcome : `started ${taskWords(tasks)}`}\nat ${instant(timestamp).slice(11)}`;
}

/** More lines than these hide the marks: then they are faint, but for those of what is pointed at or selected. */
const SHOWN_AT_ONCE = 40;

/** Lines from causes to effects, drawn behind the marks they join. */
export function Relations({ geometry }: { geometry: TimelineGeometry }) {
  const { relations } = geometry;
  return (
    <g class={relations.length > SHOWN_AT_ONCE ? "relations relations-many" : "relations"} data-part="relations">
      <ByLane geometry={geometry} shapes={relations}>
        {(relation, top) => (
          <path
            key={`${relation.kind} ${relation.from} ${relation.to}`}
            class={`relation ${edgeClass(relation.kind)}`}
            d={curve(relation, top)}
            data-relation-kind={relation.kind}
            data-from={relation.from}
            data-to={relation.to}
            data-trigger-run-id={relation.trigger_run_id ?? undefined}
          />
        )}
      </ByLane>
    </g>
  );
}

/** How a cause is drawn. */
export function edgeClass(kind: string): string {
  return `edge edge-${kind === "event-origin" ? "source" : kind.replace(/^direct-|-trigger$/g, "")}`;
}

/** A call goes down and across; every other cause is a curve, which bends upwards if both ends are on one line. */
function curve({ kind, x1, x2, ...ends }: RelationShape, top: number): string {
  const n = (value: number) => trimmed(value);
  const [y1, y2] = [ends.y1 - top, ends.y2 - top];
  if (kind === "direct-call") return `M${n(x1)} ${n(y1)}V${n(y2)}H${n(x2)}`;
  const middle = (x1 + x2) / 2;
  if (Math.abs(y2 - y1) < 4) {
    const bow = Math.min(56, Math.max(18, Math.abs(x2 - x1) * 0.4));
    return `M${n(x1)} ${n(y1)}Q${n(middle)} ${n(y1 - bow)} ${n(x2)} ${n(y2)}`;
  }
  return `M${n(x1)} ${n(y1)}C${n(middle)} ${n(y1)} ${n(middle)} ${n(y2)} ${n(x2)} ${n(y2)}`;
}
