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
  for (const picture of document.querySelectorAll(".family-picture")) showFocus(picture);
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

/** On a phone, what a family picture is about may be beyond the part of it that is seen first. */
function showFocus(picture: Element): void {
  const focus = picture.querySelector(".family-focus :is(.bar, .marker)")?.getBoundingClientRect();
  const names = picture.querySelector(".timeline-labels")?.getBoundingClientRect();
  if (focus === undefined || names === undefined || focus.left < picture.getBoundingClientRect().right - MARGIN) return;
  picture.scrollLeft = focus.left - names.right - MARGIN;
}

/** Pixels. */
const MARGIN = 40;

/** The server sent new marks. */
function again(): void {
  oneStopPerDrawing();
  highlightAgain();
  attachWheel();
  showSelection();
}
