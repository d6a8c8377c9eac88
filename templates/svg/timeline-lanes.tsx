import type { TimelineRunner } from "../../src/api/timeline.ts";
import type { Links } from "../../src/presentation/links.ts";
import { count, duration, shortId, visibleLine } from "../../src/presentation/text.ts";
import { counted } from "../../src/pynenc/numbers.ts";
import type { LaneShape, TimelineGeometry } from "../../src/timeline/geometry.ts";
import { sharedLaneName } from "../../src/timeline/lanes.ts";
import { useLinks } from "../links.ts";
import { Linked } from "./linked.tsx";
import { trimmed } from "./numbers.ts";

interface LanesProps {
  geometry: TimelineGeometry;
}

/** The ground of each lane. */
export function LaneGrounds({ geometry: { lanes } }: LanesProps) {
  return (
    <g class="lanes" data-part="lanes">
      {lanes.map((lane) => (
        <rect
          key={lane.key}
          class="lane"
          y={trimmed(lane.y)}
          width="100%"
          height={trimmed(lane.height)}
          data-lane-key={lane.key}
          data-runner-id={lane.runner?.runner_id}
        />
      ))}
    </g>
  );
}

/** Which lanes were opened by hand, and the address of the timeline with other ones. */
export interface Opening {
  open: readonly string[];
  href: (open: readonly string[]) => string;
}

interface LabelsProps extends LanesProps {
  linked: boolean;
  /** Without it lanes stay as they are. */
  opening?: Opening | undefined;
}

/** The runner of each lane: class and short id, and below where it runs. Full names are in the titles. */
export function LaneLabels({ geometry: { lanes, compact }, linked, opening }: LabelsProps) {
  const links = useLinks();
  return (
    <>
      {lanes.map((lane) => {
        const x = lane.depth === 0 ? 10 : 22;
        const middle = Math.min(lane.height, 30) / 2;
        const [detail, narrow] = compact ? ["", ""] : [detailOf(lane, lanes), narrowDetailOf(lane)];
        const named = detail + narrow === "";
        const href = hrefOf(lane, links);
        return (
          <g
            key={lane.key}
            class="lane-label"
            transform={`translate(0 ${trimmed(lane.y)})`}
            data-lane-key={lane.key}
            data-runner-id={lane.runner?.runner_id}
            data-part={lane.key}
          >
            <rect class="lane" width="100%" height={trimmed(lane.height)} />
            <rect class="lane-edge" x={x - 8} y="2" width="3" height={trimmed(lane.height - 4)} />
            <Linked class="lane-link" href={linked ? href : null}>
              <title>{wholeName(lane) + silentOf(lane)}</title>
              <text class="lane-name" x={x} y={trimmed(middle + (named ? 4 : -1))}>
                <LaneName lane={lane} compact={compact} />
              </text>
              {!named && (
                <text class="lane-place" x={x} y={trimmed(middle + 11)}>
                  <tspan class="lane-wide">{detail}</tspan>
                  <tspan class="lane-narrow">{narrow}</tspan>
                </text>
              )}
            </Linked>
            {opening !== undefined && <LaneSwitch lane={lane} opening={opening} />}
          </g>
        );
      })}
    </>
  );
}

/** Shows each invocation of a lane as a bar, or takes that back. */
function LaneSwitch({
  lane: { closed, kind, key, runner, task_id_key },
  opening: { open, href },
}: {
  lane: LaneShape;
  opening: Opening;
}) {
  const name = runner?.runner_id ?? task_id_key ?? key;
  const opened = open.includes(name);
  const group = kind === "group";
  if (!opened && !(group || (closed && !open.includes("*")))) return null;
  const words = opened ? "Show as one row" : group ? "Show each runner" : "Show each invocation";
  const title = opened && closed && !group ? "Too many invocations to show each. Zoom in" : words;
  return (
    <a
      class="lane-switch"
      href={href(opened ? open.filter((one) => one !== name) : [...open, name])}
      aria-label={`${words}: ${visibleLine(name)}`}
    >
      <title>{title}</title>
      <svg x="100%" overflow="visible" aria-hidden="true">
        <rect x="-26" y="2" width="24" height="24" stroke="none" />
        <path d={opened ? "M-18 12l4 4l4 -4" : "M-16 10l4 4l-4 4"} />
      </svg>
    </a>
  );
}

function hrefOf({ kind, runner, task_id_key, tasks }: LaneShape, links: Links): string | null {
  if (kind === "cause") return null;
  if (runner !== null) return links.runner(runner.runner_id);
  if (task_id_key !== null) return links.task(task_id_key);
  if (kind === "apart") return links.atomicTimeline();
  if (kind === "events") return links.events();
  if (kind === "taskless" || tasks > 0) return links.tasks();
  return links.runners({ show: "all" });
}

/** Characters that there is room for, and on a phone. */
const WIDE = 32;
const NARROW = 11;

/** On a phone only what distinguishes a lane from others (timeline.css). */
function LaneName({ lane, compact }: { lane: LaneShape; compact: boolean }) {
  const [wide, short] = namesOf(lane, compact ? 26 : WIDE);
  const narrow = shortened(short, lane.closed ? NARROW - 2 : NARROW);
  if (narrow === wide) return <>{wide}</>;
  return (
    <>
      <tspan class="lane-wide">{wide}</tspan>
      <tspan class="lane-narrow">{narrow}</tspan>
    </>
  );
}

/** As beside the lane. */
export function laneName(lane: LaneShape): string {
  return namesOf(lane, WIDE)[0];
}

/** The name of a lane, and its part that says most. @param room characters that the column has room for */
function namesOf(lane: LaneShape, room: number): [wide: string, short: string] {
  const shared = sharedLaneName(lane);
  if (shared !== null) {
    // Of the task that called or was watched, the function says most.
    const name = shared[0].replace(/^(called by|\w+ of) .*\./, "$1 ");
    return [visibleLine(shortened(name, room)), visibleLine(shared[1])];
  }
  if (lane.kind === "task") {
    const name = visibleLine(functionOf(lane.task_id_key ?? ""));
    return [shortened(name, Math.min(room, 30)), name];
  }
  const id = lane.runner?.runner_id ?? "";
  // The id of code outside any runner already says class, host and process.
  const [, place] = /^\w+@(.*)$/s.exec(id) ?? [];
  if (place !== undefined) return [visibleLine(shortened(id, room)), visibleLine(place)];
  const short = visibleLine(/^[0-9a-f]{8}-/.test(id) ? id.slice(0, 8) : shortened(shortId(id), 16));
  return [`${visibleLine(shortened(lane.runner?.runner_cls ?? "unknown", 18))} ${short}`, short];
}

/** The module of a task, or what a runner did and where it runs. */
function detailOf(lane: LaneShape, lanes: readonly LaneShape[]): string {
  const { runner, task_id_key, kind, failed, silent, runner_ids } = lane;
  if (task_id_key !== null || kind === "cause") {
    const module = task_id_key?.split(".").slice(0, -1).join(".") ?? "";
    const counts = [
      ...(failed > 0 ? [`${count(failed)} failed or killed`] : []),
      ...(silent > 0 ? [`${count(silent)} silent`] : []),
    ];
    return withinRoom([...counts, visibleLine(shortened(module, counts.length > 0 ? 20 : 34))]);
  }
  if (kind === "apart") return "events, schedules, atomic service";
  if (kind === "one-shot") return "a process for each invocation";
  if (kind === "group") return `${count(runner_ids.length)} runners`;
  if (kind === "events") return "counted, not drawn one by one";
  if (kind === "idle") return "with a heartbeat, executed nothing";
  if (runner === null) return "";
  return withinRoom([workOf(runner), ...placeOf(runner, lanes)]);
}

/** What a phone has room for: how many failed, what a runner did, or what a cause has to do with its task. */
function narrowDetailOf(lane: LaneShape): string {
  const { kind, runner, failed } = lane;
  if (failed > 0 && runner === null) return `${count(failed)} ${failed === 1 ? "failure" : "failures"}`;
  if (kind === "cause") return /^(called by|\w+ of) /.exec(sharedLaneName(lane)?.[0] ?? "")?.[1] ?? "";
  return runner === null ? "" : workOf(runner).replace(/( min| h) .*$/, "$1");
}

/** Characters of a detail that the column has room for. */
const DETAIL = 38;

/** The first parts, as far as there is room for them. The title has all. */
function withinRoom(parts: readonly string[]): string {
  const known = parts.filter((part) => part !== "");
  return known.reduce((text, part) => {
    if (text === "") return part;
    return text.length + part.length + 3 <= DETAIL ? `${text} · ${part}` : text;
  }, "");
}

/** What the columns of a lane leave out. */
function silentOf({ silent }: LaneShape): string {
  return silent === 0 ? "" : `\n${counted(silent, "invocation")} on a silent runner: no column counts that time`;
}

/** How long it executed something in the window, or that it did not, or that it fell silent meanwhile. */
function workOf({ busy_seconds, silent_seconds }: TimelineRunner): string {
  if (silent_seconds !== null) return `silent ${duration(silent_seconds)}`;
  if (busy_seconds === null) return "";
  return busy_seconds === 0 ? "idle" : `busy ${duration(busy_seconds)}`;
}

/** Where a runner runs: host, process and thread as far as they differ from its parent's. */
function placeOf(runner: TimelineRunner, lanes: readonly LaneShape[]): string[] {
  if (/^\w+@/.test(runner.runner_id)) return [];
  if (runner.runner_cls === null) return ["context missing"];
  const parent = lanes.find((other) => other.key === runner.parent_runner_id)?.runner ?? null;
  return [
    runner.hostname === parent?.hostname ? "" : visibleLine(shortened(runner.hostname ?? "", 22)),
    runner.pid === null || runner.pid === parent?.pid ? "" : `pid ${runner.pid}`,
    runner.thread_id === null || parent === null || runner.thread_id === parent.thread_id
      ? ""
      : `thread ${shortened(String(runner.thread_id), 12)}`,
  ];
}

function wholeName(lane: LaneShape): string {
  const { kind, runner, runner_ids, task_id_key, tasks } = lane;
  if (task_id_key !== null) return visibleLine(task_id_key);
  if (kind === "cause") return visibleLine(sharedLaneName(lane)?.[0] ?? "");
  if (kind === "apart") return "Events without an invocation that is drawn, schedules, and runs of the atomic service";
  if (kind === "events") return "All events of the window, counted";
  if (kind === "unrecorded") return "Status changes without a runner in their entry";
  if (kind === "taskless") return "Invocations whose definition is not stored";
  if (tasks > 0) return `${count(tasks)} tasks with fewer status changes`;
  if (runner === null) {
    const shown = runner_ids.slice(0, 20).map(visibleLine);
    return [...shown, ...(runner_ids.length > 20 ? [`and ${count(runner_ids.length - 20)} more`] : [])].join("\n");
  }
  const words = [
    runner.runner_cls ?? "No context is stored under this id",
    runner.runner_id,
    runner.hostname === null ? "" : `host ${runner.hostname}`,
    runner.pid === null ? "" : `process ${runner.pid}`,
    runner.thread_id === null ? "" : `thread ${runner.thread_id}`,
    runner.parent_runner_id === null ? "" : `child of ${runner.parent_runner_id}`,
    workOf(runner),
  ];
  return words
    .filter((word) => word !== "")
    .map(visibleLine)
    .join("\n");
}

/** `module.function`: the function. */
function functionOf(task: string): string {
  return task.split(".").at(-1) ?? task;
}

/** Cut in the middle, because names differ at their ends. */
function shortened(text: string, room: number): string {
  const characters = Array.from(text);
  if (characters.length <= room) return text;
  const tail = Math.floor((room - 1) / 3);
  return `${characters.slice(0, room - 1 - tail).join("")}…${characters.slice(-tail).join("")}`;
}
