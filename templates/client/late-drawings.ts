/** Renews large drawings after the rest of a refresh, in tasks of their own, so that pointer and key events are handled in between. */

import { nextFrame, nextTask } from "./browser-tasks.ts";
import { type Prepare, type Put, planDrawing, readDrawing, takeAttributes } from "./drawing-parts.ts";

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

/** Returns an answer without the content of its large drawings. What the answer before it has still to bring is left. */
export function withoutLargeDrawings(answer: string): string {
  kept = [];
  dropLateDrawings();
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

/** Before scripts change anything in what came with the page: a first refresh then keeps what is the same, as later ones do. */
export function readDrawings(): void {
  for (const drawing of document.querySelectorAll(`[data-live] :is(${DRAWINGS})`)) readDrawing(drawing);
}

/** Leaves drawings as far as they were renewed: what they are in is about to be replaced. Where it is not, the next refresh brings all of them again. */
export function dropLateDrawings(): void {
  for (const { drawing } of waiting) forgetAnswer(drawing);
  waiting = [];
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
  if (waiting.length === 1) void renewAll(waiting);
  return true;
}

/** What is done in one frame; it returns what prepares the next. */
type Step = () => readonly Preparation[];
type Preparation = () => Step;

/** Labels belong to their plot; the chart above it comes before. What takes long is done in tasks and frames of its own. */
async function renewAll(all: typeof waiting): Promise<void> {
  // All of them are known when the answer was read.
  await nextTask();
  for (const timeline of new Set(all.map(({ drawing }) => drawing.closest(".timeline")))) {
    let prepare: readonly Preparation[] = all
      .filter(({ drawing }) => drawing.closest(".timeline") === timeline)
      .map((one) => () => planned(one));
    while (prepare.length > 0) {
      if (all !== waiting) return;
      const steps = prepare.map((make) => make());
      await nextFrame();
      if (all !== waiting) return;
      prepare = steps.flatMap((step) => step());
      await nextTask();
    }
  }
  if (all !== waiting) return;
  waiting = [];
  document.dispatchEvent(new CustomEvent("drawings-renewed"));
}

function planned({ drawing, fresh, content }: (typeof waiting)[number]): Step {
  const put = planDrawing(drawing, content);
  return () =>
    unlessHeld(drawing, () => {
      const hadFocus = drawing.contains(document.activeElement);
      keepHeight(drawing, fresh);
      takeAttributes(drawing, fresh);
      return shownNext(drawing, put, hadFocus);
    });
}

/** Puts in what there is room for in this frame. */
function shownNext(drawing: SVGSVGElement, put: Put, hadFocus: boolean): readonly Preparation[] {
  const rest = put();
  if (hadFocus) restoreFocus();
  return rest === null ? [] : [() => nextStep(drawing, rest, hadFocus)];
}

function nextStep(drawing: SVGSVGElement, prepare: Prepare, hadFocus: boolean): Step {
  const put = prepare();
  return () => unlessHeld(drawing, () => shownNext(drawing, put, hadFocus));
}

function unlessHeld(drawing: Element, step: Step): readonly Preparation[] {
  if (drawing.closest("[data-live]")?.querySelector("[data-held]") == null) return step();
  // A gesture has begun, so skip this; the next refresh brings all of it again.
  forgetAnswer(drawing);
  return [];
}

/** The next refresh is answered in full, also when nothing changes until then. */
function forgetAnswer(drawing: Element): void {
  const region = drawing.closest<HTMLElement>("[data-live]");
  if (region !== null) region.dataset.etag = "";
}

/** Replaces the content of a drawing at once by that of another. */
export function replaceDrawing(drawing: SVGSVGElement, fresh: SVGSVGElement): void {
  const hadFocus = drawing.contains(document.activeElement);
  takeAttributes(drawing, fresh);
  drawing.replaceChildren(...fresh.childNodes);
  readDrawing(drawing);
  if (hadFocus) restoreFocus();
}

/** Where the mark that had the focus was taken away, its next version gets it. */
function restoreFocus(): void {
  if (document.activeElement === document.body) document.dispatchEvent(new CustomEvent("drawing-lost-focus"));
}

/** A drawing that a refresh makes lower, by no more than this share of its height, keeps it: browsers place every mark again when it changes. */
const SPARE = 0.25;

function keepHeight(drawing: SVGSVGElement, fresh: SVGSVGElement): void {
  const [shown, sent] = [drawing, fresh].map((one) => Number(one.getAttribute("height"))) as [number, number];
  if (sent < shown && sent >= shown * (1 - SPARE)) fresh.setAttribute("height", String(shown));
}
