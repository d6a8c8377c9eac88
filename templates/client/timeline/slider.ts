/** The slider that selects an earlier instant to show: the crosshair moves with it, and releasing it opens the timeline of that instant. */

import { crosshair } from "./crosshair.ts";
import { timeShare } from "./shares.ts";
import { addressOf, jump, plot, shownWindow } from "./stage.ts";
import { clockOf } from "./window.ts";

const SLIDER = ".time-slider input[type=range]";

export function startSlider(): void {
  document.body.addEventListener("input", ({ target }) => {
    if (target instanceof HTMLInputElement && target.matches(SLIDER)) follow(target);
  });
  document.body.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLInputElement && target.matches(SLIDER)) go(target);
  });
}

/** A new page sets the position of the slider. */
export function showSlider(): void {
  const slider = document.querySelector<HTMLInputElement>(SLIDER);
  if (slider !== null) slider.value = slider.defaultValue;
}

/** In epoch seconds. Where idle times are cut the value of the slider is a place, which the cuts of the drawing relate to an instant. */
function chosenInstant({ value, dataset: { from, to } }: HTMLInputElement): number {
  if (from === undefined || to === undefined) return Number(value);
  const instant = Number(from) + (Number(to) - Number(from)) * timeShare(Number(value), plot()?.dataset.breaks);
  return Number(instant.toFixed(6));
}

function follow(slider: HTMLInputElement): void {
  const instant = chosenInstant(slider);
  const then = clockOf(instant * 1000);
  const output = slider.form?.querySelector("output");
  if (output) output.textContent = then;
  slider.ariaValueText = then;
  const drawing = plot();
  if (drawing === null) return;
  const { left, top, width } = drawing.getBoundingClientRect();
  const { start, end } = shownWindow() ?? { start: 0, end: 0 };
  const share = slider.dataset.from === undefined ? (instant * 1000 - start) / (end - start) : Number(slider.value);
  crosshair(drawing, left + share * width, top);
}

/** After the latest change nothing differs from now. The window stays, which would otherwise move with the present. */
function go(slider: HTMLInputElement): void {
  const window = shownWindow();
  if (window === null) return;
  const url = addressOf(window);
  const latest = Number(slider.form?.dataset.latest);
  const chosen = chosenInstant(slider);
  if (chosen >= latest || Number(slider.value) >= Number(slider.max)) url.searchParams.delete("at");
  else url.searchParams.set("at", String(chosen));
  jump(url);
}
