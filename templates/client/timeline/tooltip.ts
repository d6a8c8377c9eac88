/**
 * What a mark is, beside it: shown a moment after the pointer or the focus came, as its title would be, which the browser shows late and for
 * the pointer alone.
 */
import { MARKS } from "./relatives.ts";

/** Long enough that nothing flickers while the pointer crosses the plot, in milliseconds. */
const DELAY = 150;
/** Pixels between a mark and its words, and between those and the edge of the window. */
const GAP = 10;

interface Pointed {
  mark: SVGAElement;
  /** Where the pointer was; null for the focus. */
  x: number | null;
}

interface Tip extends Pointed {
  box: HTMLElement;
  title: Element;
  words: string;
}

/** What is shown in a moment. */
let waiting: (Pointed & { timer: ReturnType<typeof setTimeout> }) | null = null;
let shown: Tip | null = null;

export function startTooltip(): void {
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "touch") follow(markAt(event.target), event.clientX);
  });
  document.addEventListener("pointerdown", hide);
  document.addEventListener("focusin", ({ target }) => {
    const mark = markAt(target);
    if (mark?.matches(":focus-visible")) follow(mark, null);
  });
  document.addEventListener("focusout", hide);
  // One that is still to come is placed when it comes.
  document.addEventListener("scroll", scrolled, { passive: true });
}

/** The focus goes with its mark; below the pointer there is another one now. */
function scrolled(): void {
  if (shown === null) return;
  if (shown.x === null) place(shown);
  else hide();
}

/** After marks were replaced: shows what was shown, or was about to be, beside the new version of the mark. */
export function showTooltipAgain(): void {
  const before = shown ?? waiting;
  if (before === null) return;
  const wasShown = shown !== null;
  hide();
  // The next version of the mark has the focus by now. If the pointer is over it, the browser reports that by itself.
  const mark = before.x === null ? markAt(document.activeElement) : before.mark;
  if (mark?.isConnected !== true) return;
  if (wasShown) show(mark, before.x);
  else follow(mark, before.x);
}

function hide(): void {
  clearTimeout(waiting?.timer);
  waiting = null;
  if (shown === null) return;
  shown.title.textContent = shown.words;
  shown.mark.removeAttribute("aria-label");
  shown.box.remove();
  shown = null;
}

function markAt(target: EventTarget | null): SVGAElement | null {
  return target instanceof Element
    ? target.closest<SVGAElement>(`.timeline :is(${MARKS}, .timeline-plot .slice)`)
    : null;
}

function follow(mark: SVGAElement | null, x: number | null): void {
  if (mark !== null && shown?.mark === mark) return;
  hide();
  if (mark !== null) waiting = { mark, x, timer: setTimeout(() => show(mark, x), DELAY) };
}

function show(mark: SVGAElement, x: number | null): void {
  waiting = null;
  const title = mark.querySelector(":scope > title");
  const words = title?.textContent ?? "";
  if (title === null || words === "" || !mark.isConnected) return;
  const box = document.createElement("div");
  box.className = "timeline-tip";
  // Those who hear the page are texts the title of the link.
  box.ariaHidden = "true";
  const [first = "", ...rest] = words.split("\n");
  const name = document.createElement("strong");
  name.textContent = first;
  box.append(name, ...rest.map(line));
  document.body.append(box);
  // The browser would show it as well.
  title.textContent = "";
  mark.setAttribute("aria-label", words);
  shown = { mark, box, title, words, x };
  place(shown);
}

function place({ mark, box, x }: Tip): void {
  const at = mark.getBoundingClientRect();
  const { width, height } = box.getBoundingClientRect();
  const left = x ?? at.left;
  const above = at.top - height - GAP;
  box.style.left = `${Math.max(GAP, Math.min(left + GAP, innerWidth - width - GAP))}px`;
  box.style.top = `${above > GAP ? above : at.bottom + GAP}px`;
}

function line(text: string): HTMLElement {
  const element = document.createElement("span");
  element.textContent = text;
  return element;
}
