import { comesLater } from "./late-drawings.ts";
import { holdRows } from "./live-rows.ts";

/** The parts of the idiomorph script's global that are used here. */
interface Morpher {
  defaults: {
    callbacks: {
      beforeAttributeUpdated?: (name: string, element: Element, change: "update" | "remove") => boolean;
      beforeNodeMorphed?: (node: Node, content: Node) => boolean;
      beforeNodeRemoved?: (node: Node) => boolean;
    };
  };
  morph(element: Element, content: readonly Node[], options: { morphStyle: "innerHTML" }): unknown;
}

interface Scripts {
  Idiomorph?: Morpher;
  htmx?: { process(element: Element): void; trigger(element: Element, name: string): void };
}

const DRAWINGS = ".timeline-plot, .timeline-labels";

const scripts = globalThis as Scripts;

/**
 * A refresh keeps `details` as the viewer left them, whatever the server's markup says, and the content loaded into a `data-lazy` part, which
 * the server sends empty. Drawings are replaced as a whole, because comparing thousands of marks takes the browser a second.
 */
export function keepWhatIsShown(): void {
  if (scripts.Idiomorph === undefined) return;
  const { callbacks } = scripts.Idiomorph.defaults;
  callbacks.beforeAttributeUpdated = (name, element) => !(name === "open" && element.matches("details"));
  callbacks.beforeNodeMorphed = (node, content) => {
    if (node instanceof Element && content instanceof Element) holdRows(node, content);
    if (!(node instanceof SVGSVGElement && content instanceof SVGSVGElement && node.matches(DRAWINGS))) return true;
    if (!comesLater(node, content, exchange)) exchange(node, content);
    return false;
  };
  callbacks.beforeNodeRemoved = (node) => node.parentElement?.matches("[data-lazy]") !== true;
}

const addresses = new WeakMap<Element, string | null>();

/** At the start and after each refresh, reloads parts whose address has changed; htmx considers them loaded. */
export function loadChangedParts(within: ParentNode): void {
  for (const part of within.querySelectorAll("[data-lazy]")) {
    const address = part.getAttribute("hx-get");
    const changed = addresses.has(part) && addresses.get(part) !== address;
    addresses.set(part, address);
    if (!changed) continue;
    scripts.htmx?.process(part);
    scripts.htmx?.trigger(part, "load");
  }
}

function exchange(drawing: SVGSVGElement, fresh: SVGSVGElement): void {
  const focused = drawing.contains(document.activeElement);
  for (const name of drawing.getAttributeNames()) if (!fresh.hasAttribute(name)) drawing.removeAttribute(name);
  for (const { name, value } of fresh.attributes) drawing.setAttribute(name, value);
  drawing.replaceChildren(...fresh.childNodes);
  if (focused) document.dispatchEvent(new CustomEvent("drawing-lost-focus"));
}

/** Replaces the content of an element by that of another one, keeping unchanged parts. */
export function morphInto(element: Element, content: Element): void {
  // Ignore an answer that still belongs to the previous content.
  for (const region of element.querySelectorAll("[data-live]")) scripts.htmx?.trigger(region, "htmx:abort");
  if (scripts.Idiomorph === undefined) element.replaceChildren(...content.childNodes);
  else scripts.Idiomorph.morph(element, [...content.childNodes], { morphStyle: "innerHTML" });
  scripts.htmx?.process(element);
}
