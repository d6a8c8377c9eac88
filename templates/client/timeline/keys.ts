/** Keys of the timeline's page (listed in templates/layout/keys-dialog.tsx). */
import { announce } from "../announce.ts";
import { meantForField } from "../keys.ts";
import { cancelDrag } from "./gestures.ts";
import { clearHighlight } from "./highlight.ts";
import { closePanel } from "./panel.ts";
import { failuresOf, MARKS, relativesOf, spanOf } from "./relatives.ts";
import { jump, plot, stage, step, wantedWindow } from "./stage.ts";
import { around, panned, type TimeWindow, zoomed } from "./window.ts";

const MOVES: Readonly<Record<string, { kind: string; move: (window: TimeWindow) => TimeWindow }>> = {
  ArrowLeft: { kind: "pan", move: (window) => panned(window, -0.25) },
  ArrowRight: { kind: "pan", move: (window) => panned(window, 0.25) },
  "+": { kind: "zoom", move: (window) => zoomed(window, 0.5) },
  "=": { kind: "zoom", move: (window) => zoomed(window, 0.5) },
  "-": { kind: "zoom", move: (window) => zoomed(window, 2) },
  a: { kind: "pan", move: (window) => panned(window, -0.25) },
  d: { kind: "pan", move: (window) => panned(window, 0.25) },
  w: { kind: "zoom", move: (window) => zoomed(window, 0.5) },
  s: { kind: "zoom", move: (window) => zoomed(window, 2) },
};

export function startTimelineKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (stage() === null || meantForField(event)) return;
    if (event.key === "Escape") {
      if (cancelDrag() || closePanel() || clearHighlight()) event.preventDefault();
      return;
    }
    // A part that scrolls sideways needs its arrows.
    if (event.target instanceof Element && event.target.matches(".table-scroll, .value-text")) return;
    const move = MOVES[event.key];
    const window = wantedWindow();
    const all = document.querySelector<HTMLAnchorElement>(`[data-move="all"]`);
    if (move !== undefined && window !== null) step(move.move(window), move.kind);
    else if (event.key === "0" && all !== null) all.click();
    else if (event.key === "f") showJust();
    else if (event.key === "n" || event.key === "N") toFailure(event.key === "n" ? 1 : -1);
    else return;
    event.preventDefault();
  });
}

/** Shows just what is selected or has the focus, with all that belongs to it; else just what is drawn. */
function showJust(): void {
  const drawing = plot();
  const mark = document.activeElement?.closest(MARKS) ?? drawing?.querySelector(":scope .selected") ?? null;
  const marks = mark !== null ? [...relativesOf(mark)] : [...(drawing?.querySelectorAll(MARKS) ?? [])];
  const span = spanOf(marks);
  if (span === null) announce("Nothing is drawn here");
  else jump(around(span));
}

/** Moves the focus to the next or previous failure; after the last one, to the first. */
function toFailure(direction: 1 | -1): void {
  const drawing = plot();
  const failures = drawing === null ? [] : failuresOf(drawing);
  if (failures.length === 0) {
    announce("No failure is drawn in this window");
    return;
  }
  const here = failures.indexOf(document.activeElement as SVGAElement);
  const end = direction > 0 ? 0 : -1;
  const next = here < 0 ? end : (here + direction) % failures.length;
  const mark = failures.at(next);
  mark?.focus({ preventScroll: true });
  mark?.scrollIntoView({ block: "center", inline: "nearest" });
}
