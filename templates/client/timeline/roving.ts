/** A plot of thousands of marks is one stop of the Tab key, and so are its labels and the chart above; arrows go from mark to mark. */
import { identityOf, laneOf, MARKS, markOf } from "./relatives.ts";
import { hasModifier } from "./stage.ts";

const STOPS = `${MARKS}, .slice, .lane-link`;
const DRAWINGS = ".timeline-plot, .timeline-labels, .occupancy-plot";
const ARROWS = /^(?:Arrow(?:Left|Right|Up|Down)|Home|End)$/;

interface Stop {
  stop: SVGAElement;
  lane: string;
  x: number;
  y: number;
}

/** The mark that had the focus last. */
let focused: string | null = null;

/** Every new mark of a drawing is a stop until this is called. */
export function oneStopPerDrawing(): void {
  for (const drawing of document.querySelectorAll(DRAWINGS)) {
    const active = document.activeElement;
    const current = active?.matches(STOPS) && drawing.contains(active) ? active : drawing.querySelector(STOPS);
    // By the name of the element, of which browsers keep a list: there are hundreds, and a refresh brings only a few that are new.
    for (const link of drawing.getElementsByTagName("a")) {
      if (link.getAttribute("tabindex") !== "-1" && link !== current && link.matches(STOPS))
        link.setAttribute("tabindex", "-1");
    }
    if (current?.getAttribute("tabindex") !== "0") current?.setAttribute("tabindex", "0");
  }
}

export function startRoving(): void {
  document.addEventListener("focusin", ({ target }) => {
    const stop = target instanceof SVGAElement && target.matches(STOPS) ? target : null;
    focused = stop === null ? null : identityOf(stop.closest(".lane-label") ?? stop);
    if (stop !== null) makeCurrent(stop);
  });
  document.addEventListener("drawing-lost-focus", () => {
    const mark = focused === null ? null : markOf(focused);
    const stop = mark?.matches(".lane-label")
      ? mark.querySelector<SVGAElement>(".lane-link")
      : (mark as SVGAElement | null);
    stop?.focus({ preventScroll: true });
  });
  document.addEventListener("keydown", (event) => {
    const stop = event.target instanceof SVGAElement && event.target.matches(STOPS) ? event.target : null;
    if (stop === null || hasModifier(event) || !ARROWS.test(event.key)) return;
    event.preventDefault();
    const next = nextFrom(stop, event.key);
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}

function makeCurrent(stop: SVGAElement): void {
  for (const other of stop.closest(DRAWINGS)?.querySelectorAll(`[tabindex="0"]`) ?? []) {
    other.setAttribute("tabindex", "-1");
  }
  stop.setAttribute("tabindex", "0");
}

/** Undefined where a key leads nowhere from here. */
function nextFrom(stop: SVGAElement, key: string): SVGAElement | undefined {
  const drawing = stop.closest(DRAWINGS);
  const stops = [...(drawing?.querySelectorAll<SVGAElement>(STOPS) ?? [])].map(stopOf);
  const here = stops.find((place) => place.stop === stop);
  if (here === undefined) return undefined;
  const inLane = stops.filter((place) => place.lane === here.lane).sort((a, b) => a.x - b.x || a.y - b.y);
  const index = inLane.indexOf(here);
  switch (key) {
    case "ArrowLeft":
      return inLane[index - 1]?.stop;
    case "ArrowRight":
      return inLane[index + 1]?.stop;
    case "Home":
      return inLane[0]?.stop;
    case "End":
      return inLane.at(-1)?.stop;
    default:
      return nextLane(stops, here, key === "ArrowDown" ? 1 : -1)?.stop;
  }
}

/** The mark nearest in time of the nearest lane above or below that has marks. */
function nextLane(stops: readonly Stop[], here: Stop, direction: 1 | -1): Stop | undefined {
  const beyond = stops.filter(({ lane, y }) => lane !== here.lane && (y - here.y) * direction > 0);
  const nearest = beyond.reduce<Stop | undefined>(
    (best, one) => (best === undefined || (best.y - one.y) * direction > 0 ? one : best),
    undefined,
  );
  return beyond
    .filter(({ lane }) => lane === nearest?.lane)
    .reduce<Stop | undefined>(
      (best, one) => (best === undefined || Math.abs(one.x - here.x) < Math.abs(best.x - here.x) ? one : best),
      undefined,
    );
}

/** Where its first shape is, in pixels. */
function stopOf(stop: SVGAElement): Stop {
  const shape = stop.querySelector(":scope > :is(rect, circle, svg, text)") ?? stop;
  const { left, top } = shape.getBoundingClientRect();
  return { stop, lane: laneOf(stop.closest(".lane-label") ?? stop), x: left, y: top };
}
