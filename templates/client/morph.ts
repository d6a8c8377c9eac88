import { DRAWINGS, readDrawings, renewDrawing } from "./drawing-parts.ts";
import { holdRows, rowsOf } from "./live-rows.ts";

/** The parts of the idiomorph script's global that are used here. */
interface Morpher {
  defaults: {
    callbacks: {
      beforeAttributeUpdated?: (name: string, element: Element, change: "update" | "remove") => boolean;
      beforeNodeMorphed?: (node: Node, content: Node) => boolean;
      beforeNodeRemoved?: (node: Node) => boolean;
    };
  };
  morph(
    element: Element,
    content: Element | readonly Node[],
    options: { morphStyle: "innerHTML" | "outerHTML" },
  ): unknown;
}

/** Missing where the script could not be loaded: content is then replaced as a whole. */
const morpher = (globalThis as { Idiomorph?: Morpher }).Idiomorph;

/**
 * A refresh keeps `details` as the viewer left them, whatever the server's markup says, and the content loaded into a `data-lazy` part, which
 * the server sends empty. Drawings are renewed by their groups (drawing-parts.ts): comparing thousands of marks node by node takes the browser a second.
 */
export function keepWhatIsShown(): void {
  if (morpher === undefined) return;
  const { callbacks } = morpher.defaults;
  callbacks.beforeAttributeUpdated = (name, element) => !(name === "open" && element.matches("details"));
  callbacks.beforeNodeMorphed = (node, content) => {
    if (node instanceof Element && content instanceof Element) {
      if (node.matches(COMPARED) && isSentAgain(node, content)) return false;
      holdRows(node, content);
      if (node.matches("tbody") && content.matches("tbody") && renewRows(node, content)) return false;
    }
    if (!(node instanceof SVGSVGElement && content instanceof SVGSVGElement && node.matches(DRAWINGS))) return true;
    renewDrawing(node, content);
    return false;
  };
  callbacks.beforeNodeRemoved = (node) => node.parentElement?.matches("[data-lazy]") !== true;
}

/**
 * These are compared with what the server sent before: most of a page is the same again. Not what holds a table or a drawing, which may show less than
 * was sent.
 */
const COMPARED = `:is(.card, .card > *, li):not(:has(tbody, ${DRAWINGS}))`;
const sent = new WeakMap<Element, string>();

/** Before scripts change anything in what came with the page: a first refresh then compares with that, as later ones do with the one before. */
export function readWhatCame(region: Element): void {
  for (const element of region.querySelectorAll(`${COMPARED}, tbody > [data-row]`))
    sent.set(element, element.outerHTML);
}

function isSentAgain(shown: Element, fresh: Element): boolean {
  const html = fresh.outerHTML;
  if (sent.get(shown) === html) return true;
  sent.set(shown, html);
  return false;
}

/**
 * Renews the rows of a table by their `data-row`: idiomorph goes by place where elements have no `id`, and would make every row that of the one above
 * when a new one comes first.
 *
 * @returns false for a table whose rows have no distinct names.
 */
function renewRows(shown: Element, fresh: Element): boolean {
  const named = (body: Element) => new Map(rowsOf(body).map((row) => [row.dataset.row, row]));
  const [before, after] = [named(shown), named(fresh)];
  if (before.size < shown.children.length || after.size < fresh.children.length) return false;
  for (const [name, row] of before) if (!after.has(name)) row.remove();
  let next = shown.firstElementChild;
  for (const [name, row] of after) {
    const known = before.get(name);
    if (known === undefined) {
      sent.set(row, row.outerHTML);
      shown.insertBefore(row, next);
      continue;
    }
    if (known === next) next = known.nextElementSibling;
    else shown.insertBefore(known, next);
    if (!isSentAgain(known, row)) morphTo(known, row);
  }
  return true;
}

/** Replaces the content of an element, keeping unchanged parts. */
export function morphInto(element: Element, content: ParentNode): void {
  readDrawings(content);
  if (morpher === undefined) element.replaceChildren(...content.children);
  else morpher.morph(element, [...content.children], { morphStyle: "innerHTML" });
}

/** Replaces an element by another version of it, keeping unchanged parts. */
export function morphTo(element: Element, fresh: Element): void {
  if (morpher === undefined) element.replaceWith(fresh);
  else morpher.morph(element, fresh, { morphStyle: "outerHTML" });
}
