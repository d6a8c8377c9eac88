/**
 * Renews a drawing: elements that are sent again stay, because of some thousand marks of a live timeline a few dozen change. An element with `data-part` is a
 * group: it stays under its name and its children are renewed one by one. Any other element is compared as a whole, with what the server sent before.
 */
import { addTo } from "../../src/pynenc/groups.ts";

/** What is renewed in this way. */
export const DRAWINGS = ".timeline-plot, .timeline-labels, .occupancy-plot, .time-chart-plot";

/** The markup with which each element came, before scripts changed it. */
const sent = new WeakMap<Element, string>();

/** Must be called before scripts change anything in what came: the next refresh keeps what is the same. */
export function readDrawings(within: ParentNode): void {
  for (const drawing of within.querySelectorAll(DRAWINGS)) for (const child of drawing.children) readMarkup(child);
}

function readMarkup(element: Element): void {
  if (!element.hasAttribute("data-part")) sent.set(element, element.outerHTML);
  else for (const child of element.children) readMarkup(child);
}

/** @param fresh its next version, read by `readDrawings`; its new elements move into the drawing. */
export function renewDrawing(drawing: Element, fresh: Element): void {
  const hadFocus = drawing.contains(document.activeElement);
  takeAttributes(drawing, fresh);
  renewChildren(drawing, fresh);
  // Where the mark that had the focus was taken away, its next version gets it.
  if (hadFocus && document.activeElement === document.body)
    document.dispatchEvent(new CustomEvent("drawing-lost-focus"));
}

function renewChildren(shown: Element, fresh: Element): void {
  const known = new Map<string, Element[]>();
  for (const child of [...shown.children].reverse()) addTo(known, keyOf(child), child);
  const children = [...fresh.children].map((child) => ({ child, kept: known.get(keyOf(child))?.pop() }));
  for (const gone of [...known.values()].flat()) gone.remove();
  let next = shown.firstElementChild;
  for (const { child, kept } of children) {
    if (kept?.hasAttribute("data-part")) {
      takeAttributes(kept, child);
      renewChildren(kept, child);
    }
    if (kept !== undefined && kept === next) next = kept.nextElementSibling;
    else shown.insertBefore(kept ?? child, next);
  }
}

function keyOf(element: Element): string {
  const part = element.getAttribute("data-part");
  return part === null ? (sent.get(element) ?? element.outerHTML) : `part ${part}`;
}

/** Gives an element exactly the attributes of another. Unchanged ones are not set, because that would make the browser lay out the drawing again. */
function takeAttributes(element: Element, from: Element): void {
  for (const name of element.getAttributeNames()) if (!from.hasAttribute(name)) element.removeAttribute(name);
  for (const { name, value } of from.attributes) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
}
