/** Renews large drawings after the rest of a refresh, in tasks of their own, so that pointer and key events are handled in between. */
import { forgetDrawing, planDrawing, takeAttributes } from "./drawing-parts.ts";

/** Drawings with fewer characters are renewed with the rest. */
const LARGE = 4_000;
/** Attribute of an emptied drawing: the index of its content. */
const MARK = "data-late";

const CLASSES = ["timeline-plot", "timeline-labels", "occupancy-plot", "time-chart-plot"];
const BEGINNING = new RegExp(`<svg class="(?:${CLASSES.join("|")})"(?:"[^"]*"|[^">])*>`, "g");

/** What is renewed as a drawing, at once or later. */
export const DRAWINGS = CLASSES.map((name) => `.${name}`).join(", ");

/** Contents taken out of the newest answer, by mark. */
let kept: string[] = [];
/** Drawings to update from that answer, with their new versions. */
let waiting: { drawing: SVGSVGElement; fresh: SVGSVGElement; content: string }[] = [];

/** Returns an answer without the content of its large drawings. */
export function withoutLargeDrawings(answer: string): string {
  kept = [];
  waiting = [];
  let rest = "";
  let from = 0;
  for (const { index, 0: tag } of answer.matchAll(BEGINNING)) {
    const begin = index + tag.length;
    const end = index < from ? -1 : endOfDrawing(answer, begin);
    if (end - begin < LARGE) continue;
    rest += `${answer.slice(from, begin - 1)} ${MARK}="${kept.length}">`;
    kept.push(answer.slice(begin, end));
    from = end;
  }
  return rest + answer.slice(from);
}

/** Fills drawings that were not there before. All others were passed to `comesLater`. */
export function fillNewDrawings(region: Element): void {
  for (const drawing of region.querySelectorAll(`[${MARK}]`)) {
    planDrawing(drawing, kept[Number(drawing.getAttribute(MARK))] ?? "")();
    drawing.removeAttribute(MARK);
  }
}

/** End of the drawing that starts before this index, taking nested drawings into account. -1 if it has no end. */
function endOfDrawing(answer: string, begin: number): number {
  let depth = 1;
  for (let at = begin; ; ) {
    const close = answer.indexOf("</svg", at);
    if (close < 0) return -1;
    const open = answer.indexOf("<svg", at);
    if (open >= 0 && open < close) {
      depth++;
      at = open + 4;
    } else {
      depth--;
      if (depth === 0) return close;
      at = close + 5;
    }
  }
}

/** Whether the content of a drawing is renewed later. All late drawings of an answer are then renewed together. */
export function comesLater(drawing: SVGSVGElement, fresh: SVGSVGElement): boolean {
  const mark = fresh.getAttribute(MARK);
  const content = mark === null ? undefined : kept[Number(mark)];
  if (content === undefined) return false;
  fresh.removeAttribute(MARK);
  waiting.push({ drawing, fresh, content });
  if (waiting.length === 1) setTimeout(read, 0, waiting);
  return true;
}

function read(all: typeof waiting): void {
  if (all !== waiting) return;
  const planned = all.map(({ drawing, fresh, content }) => ({
    drawing,
    fresh,
    timeline: drawing.closest(".timeline"),
    renew: planDrawing(drawing, content),
  }));
  // Labels belong to their plot; the chart above it comes one frame earlier. All at once would take longer than a frame.
  const timelines = [...new Set(planned.map(({ timeline }) => timeline))];
  const steps = timelines.map((timeline) => planned.filter((one) => one.timeline === timeline));
  showNext(
    all,
    steps.map((drawings) => () => drawings.flatMap(renewed)),
  );
}

/** What is left to do in a later frame. */
type Rest = () => void;

interface PlannedDrawing {
  drawing: SVGSVGElement;
  fresh: SVGSVGElement;
  renew: () => Rest | null;
}

/** Does the first step in the next frame, and each further one in a frame of its own. */
function showNext(all: typeof waiting, [step, ...others]: readonly (() => readonly Rest[])[]): void {
  if (step === undefined) {
    waiting = [];
    return;
  }
  requestAnimationFrame(() => {
    if (all !== waiting) return;
    const rest = step();
    tellRenewed();
    const finish = () => {
      for (const one of rest) one();
      return [];
    };
    showNext(all, rest.length === 0 ? others : [...others, finish]);
  });
}

function renewed({ drawing, fresh, renew }: PlannedDrawing): readonly Rest[] {
  const region = drawing.closest<HTMLElement>("[data-live]");
  if (region?.querySelector("[data-held]") == null) {
    keepHeight(drawing, fresh);
    const rest = exchange(drawing, fresh, renew);
    return rest === null ? [] : [rest];
  }
  // A gesture has begun, so skip this; the next refresh brings all of it again.
  region.dataset.etag = "";
  return [];
}

function tellRenewed(): void {
  document.dispatchEvent(new CustomEvent("drawings-renewed"));
}

/** Replaces the content of a drawing at once by that of another. */
export function replaceDrawing(drawing: SVGSVGElement, fresh: SVGSVGElement): void {
  exchange(drawing, fresh, () => {
    forgetDrawing(drawing);
    drawing.replaceChildren(...fresh.childNodes);
  });
}

/** A drawing that a refresh makes lower, by no more than this share of its height, keeps it: browsers place every mark again when it changes. */
const SPARE = 0.25;

function keepHeight(drawing: SVGSVGElement, fresh: SVGSVGElement): void {
  const [shown, sent] = [drawing, fresh].map((one) => Number(one.getAttribute("height"))) as [number, number];
  if (sent < shown && sent >= shown * (1 - SPARE)) fresh.setAttribute("height", String(shown));
}

/** @returns what `renew` does. */
function exchange<Left>(drawing: SVGSVGElement, fresh: SVGSVGElement, renew: () => Left): Left {
  const focused = document.activeElement;
  const had = drawing.contains(focused);
  takeAttributes(drawing, fresh);
  const left = renew();
  if (had && !drawing.contains(focused)) document.dispatchEvent(new CustomEvent("drawing-lost-focus"));
  return left;
}
