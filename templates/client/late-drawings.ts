/** Inserts large drawings after the rest of a refresh, each in its own task, so that pointer and key events are handled in between. */

/** Drawings with fewer characters are inserted with the rest. */
const LARGE = 20_000;
/** Attribute of an emptied drawing: the index of its content. */
const MARK = "data-late";

const BEGINNING = /<svg class="timeline-(?:plot|labels)"[^>]*>/g;

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
    drawing.innerHTML = kept[Number(drawing.getAttribute(MARK))] ?? "";
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

/**
 * Whether the content of a drawing is inserted later. All late drawings of an answer are then exchanged together.
 *
 * @param exchange replaces the content of one drawing by that of another.
 */
export function comesLater(
  drawing: SVGSVGElement,
  fresh: SVGSVGElement,
  exchange: (drawing: SVGSVGElement, fresh: SVGSVGElement) => void,
): boolean {
  const mark = fresh.getAttribute(MARK);
  const content = mark === null ? undefined : kept[Number(mark)];
  if (content === undefined) return false;
  fresh.removeAttribute(MARK);
  waiting.push({ drawing, fresh, content });
  if (waiting.length === 1) setTimeout(read, 0, waiting, exchange);
  return true;
}

function read(all: typeof waiting, exchange: (drawing: SVGSVGElement, fresh: SVGSVGElement) => void): void {
  if (all !== waiting) return;
  for (const { fresh, content } of all) fresh.innerHTML = content;
  requestAnimationFrame(() => {
    if (all !== waiting) return;
    waiting = [];
    for (const { drawing, fresh } of all) {
      const region = drawing.closest<HTMLElement>("[data-live]");
      // A gesture has begun, so skip this; the next refresh brings all of it again.
      if (region?.querySelector("[data-held]") != null) region.dataset.etag = "";
      else exchange(drawing, fresh);
    }
    document.dispatchEvent(new CustomEvent("drawings-renewed"));
  });
}
