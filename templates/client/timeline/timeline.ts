import { onShown } from "../fragments.ts";
import { attachWheel, startGestures } from "./gestures.ts";
import { highlightAgain, startHighlight } from "./highlight.ts";
import { startTimelineKeys } from "./keys.ts";
import { showSelection, startPanel } from "./panel.ts";
import { oneStopPerDrawing, startRoving } from "./roving.ts";
import { showSlider, startSlider } from "./slider.ts";
import { onArrival, stage, startStage } from "./stage.ts";

/** Timelines on every page light up and have one stop of the Tab key; that of the timeline's own page also moves and opens its panel. */
export function startTimelines(): void {
  startHighlight();
  startRoving();
  oneStopPerDrawing();
  onShown(again);
  if (stage() === null) return;
  startStage();
  startGestures();
  startPanel();
  startTimelineKeys();
  startSlider();
  onArrival(again);
  onArrival(showSlider);
}

/** The server sent new marks. */
function again(): void {
  oneStopPerDrawing();
  highlightAgain();
  attachWheel();
  showSelection();
}
