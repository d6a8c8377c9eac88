/** Keys of the timeline's page (listed in templates/layout/keys-dialog.tsx). */
import { meantForField } from "../keys.ts";
import { cancelDrag } from "./gestures.ts";
import { clearHighlight } from "./highlight.ts";
import { closePanel } from "./panel.ts";
import { stage, step, wantedWindow } from "./stage.ts";
import { panned, type TimeWindow, zoomed } from "./window.ts";

const MOVES: Readonly<Record<string, { kind: string; move: (window: TimeWindow) => TimeWindow }>> = {
  ArrowLeft: { kind: "pan", move: (window) => panned(window, -0.25) },
  ArrowRight: { kind: "pan", move: (window) => panned(window, 0.25) },
  "+": { kind: "zoom", move: (window) => zoomed(window, 0.5) },
  "=": { kind: "zoom", move: (window) => zoomed(window, 0.5) },
  "-": { kind: "zoom", move: (window) => zoomed(window, 2) },
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
    else return;
    event.preventDefault();
  });
}
