/** The slider that selects an earlier instant to show: the crosshair moves with it, and releasing it opens the timeline of that instant. */

import { crosshair } from "./crosshair.ts";
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

function follow(slider: HTMLInputElement): void {
  const instant = Number(slider.value) * 1000;
  const then = clockOf(instant);
  const output = slider.form?.querySelector("output");
  if (output) output.textContent = then;
  slider.ariaValueText = then;
  const drawing = plot();
  if (drawing === null) return;
  const { left, top, width } = drawing.getBoundingClientRect();
  const { start, end } = shownWindow() ?? { start: 0, end: 0 };
  crosshair(drawing, left + ((instant - start) / (end - start)) * width, top);
}

/** After the latest change nothing differs from now. The window stays, which would otherwise move with the present. */
function go(slider: HTMLInputElement): void {
  const window = shownWindow();
  if (window === null) return;
  const url = addressOf(window);
  const latest = Math.min(Number(slider.form?.dataset.latest), Number(slider.max));
  if (Number(slider.value) >= latest) url.searchParams.delete("at");
  else url.searchParams.set("at", slider.value);
  jump(url);
}
