/** The family tree in the browser: zooming, panning, highlighting relatives, and loading more in place. */
import { addTo } from "../../src/pynenc/groups.ts";
import { announce, showBanner } from "./announce.ts";
import { askFragment, elementsOf, onShown, tellShown } from "./fragments.ts";
import { dropRefreshes } from "./live.ts";
import { morphTo } from "./morph.ts";

const SMALLEST = 0.25;
const LARGEST = 2;
const STEP = 1.25;
/** Pixels; a shorter drag counts as a click. */
const CLICK_PIXELS = 4;

/** Zoom of the page's only tree; it survives refreshes, which restore the server's markup. */
let scale = 1;
/** The invocation whose children were requested last: it gets the focus when they arrive. */
let opened: string | null = null;
/** The invocation whose ancestors and descendants are highlighted. */
let lit: string | null = null;

const frame = () => document.querySelector<HTMLElement>(".family-scroll");
const picture = () => document.querySelector<SVGSVGElement>(".family-svg");

function size(svg: SVGSVGElement): { width: number; height: number } {
  return { width: Number(svg.getAttribute("width")), height: Number(svg.getAttribute("height")) };
}

/** Applies the current scale. At 1 the server's markup is unchanged. */
function applyScale(): void {
  const svg = picture();
  if (svg === null) return;
  const { width, height } = size(svg);
  svg.style.width = scale === 1 ? "" : `${width * scale}px`;
  svg.style.height = scale === 1 ? "" : `${height * scale}px`;
  if (svg.getAttribute("style") === "") svg.removeAttribute("style");
}

/** Zooms so that the point of the frame at (x, y) stays where it is. */
function zoomTo(wanted: number, x?: number, y?: number): void {
  const scroll = frame();
  if (scroll === null) return;
  const next = Math.min(LARGEST, Math.max(SMALLEST, wanted));
  const [atX, atY] = [x ?? scroll.clientWidth / 2, y ?? scroll.clientHeight / 2];
  const ratio = next / scale;
  const [left, top] = [(scroll.scrollLeft + atX) * ratio - atX, (scroll.scrollTop + atY) * ratio - atY];
  scale = next;
  applyScale();
  scroll.scrollTo(left, top);
}

function zoomToFit(): void {
  const [scroll, svg] = [frame(), picture()];
  if (scroll === null || svg === null) return;
  const { width, height } = size(svg);
  zoomTo(Math.min(1, scroll.clientWidth / width, scroll.clientHeight / height));
}

function zoomBy(what: string | undefined): void {
  if (what === "in") zoomTo(scale * STEP);
  else if (what === "out") zoomTo(scale / STEP);
  else zoomToFit();
  announce(`Zoom ${Math.round(scale * 100)} percent`);
}

/** Centres the focused invocation; a wide tree would otherwise start at a corner without it. */
function showFocus(): void {
  const scroll = frame();
  const focus = scroll?.querySelector(".family-focus");
  if (scroll == null || focus == null) return;
  const [box, view] = [focus.getBoundingClientRect(), scroll.getBoundingClientRect()];
  scroll.scrollLeft += box.left + box.width / 2 - view.left - view.width / 2;
  scroll.scrollTop += box.top + box.height / 2 - view.top - view.height / 2;
}

/** An invocation with its ancestors and descendants. */
function lineOf(svg: SVGSVGElement, id: string): Set<string> {
  const parents = new Map<string, string>();
  const children = new Map<string, string[]>();
  for (const { dataset } of svg.querySelectorAll<SVGPathElement>(".family-edge[data-to]")) {
    const { from = "", to = "" } = dataset;
    parents.set(to, from);
    addTo(children, from, to);
  }
  const line = new Set([id]);
  for (let above = parents.get(id); above !== undefined && !line.has(above); above = parents.get(above))
    line.add(above);
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const child of children.get(next) ?? []) {
      line.add(child);
      open.push(child);
    }
  }
  return line;
}

function light(id: string | null): void {
  const svg = picture();
  if (svg === null || id === lit) return;
  lit = id;
  svg.classList.toggle("family-lit", id !== null);
  const line = id === null ? null : lineOf(svg, id);
  const related = (...ids: (string | undefined)[]) => line !== null && ids.every((one) => line.has(one ?? ""));
  for (const part of svg.querySelectorAll<SVGElement>(".family-node, .family-more, .family-edge")) {
    const { invocationId, moreOf, from, to } = part.dataset;
    const ids = from === undefined ? [invocationId ?? moreOf] : to === undefined ? [from] : [from, to];
    part.classList.toggle("family-related", related(...ids));
  }
}

function nodeAt(target: EventTarget | null): string | null {
  const node = target instanceof Element ? target.closest<SVGElement>(".family-svg .family-node") : null;
  return node?.dataset.invocationId ?? null;
}

/** Drags the content of the frame; a drag that ends on a link does not follow it. */
function startPanning(): void {
  let from: { x: number; y: number; left: number; top: number } | null = null;
  let moved = false;
  document.addEventListener("pointerdown", (event) => {
    const scroll = event.target instanceof Element ? event.target.closest<HTMLElement>(".family-scroll") : null;
    // Touch scrolls natively.
    if (scroll === null || event.button !== 0 || event.pointerType === "touch") return;
    moved = false;
    from = { x: event.clientX, y: event.clientY, left: scroll.scrollLeft, top: scroll.scrollTop };
  });
  document.addEventListener("pointermove", (event) => {
    const scroll = frame();
    if (from === null || scroll === null) return;
    const [x, y] = [event.clientX - from.x, event.clientY - from.y];
    if (!moved && Math.hypot(x, y) < CLICK_PIXELS) return;
    moved = true;
    scroll.classList.add("family-panning");
    scroll.scrollTo(from.left - x, from.top - y);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    document.addEventListener(end, () => {
      from = null;
      frame()?.classList.remove("family-panning");
    });
  }
  document.addEventListener("dragstart", (event) => {
    if (event.target instanceof Element && event.target.closest(".family-scroll") !== null) event.preventDefault();
  });
  document.addEventListener(
    "click",
    (event) => {
      if (!moved || !(event.target instanceof Element) || event.target.closest(".family-scroll") === null) return;
      moved = false;
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );
}

/** A plain click loads more in place; with a modifier key the browser follows the link as usual. */
function loadMore(event: MouseEvent): void {
  const link =
    event.target instanceof Element ? event.target.closest<SVGAElement>(".family-more a[data-in-place]") : null;
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  opened = link.closest<SVGElement>(".family-more")?.dataset.moreOf ?? null;
  void showMore(link.href.baseVal);
}

let asked = new AbortController();

async function showMore(address: string): Promise<void> {
  asked.abort();
  asked = new AbortController();
  const { signal } = asked;
  const { status, html } = await askFragment(address, signal);
  if (signal.aborted) return;
  const [family, fresh] = [document.querySelector("#family"), elementsOf(html).querySelector("#family")];
  if (family === null || fresh === null) {
    showBanner(
      status === 0 ? "No answer from the monitor" : `The tree could not be extended (the server answered ${status})`,
    );
    return;
  }
  dropRefreshes(document);
  morphTo(family, fresh);
  const shown = document.querySelector<HTMLElement>("#family");
  if (shown === null) return;
  keepExpanded(shown);
  tellShown(shown);
}

/** Refreshes ask for what was expanded too. */
function keepExpanded(family: HTMLElement): void {
  const region = family.closest<HTMLElement>("[data-live]");
  if (region === null) return;
  const address = new URL(region.dataset.live ?? "", location.href);
  address.searchParams.set("expand", family.dataset.expand ?? "");
  region.dataset.live = address.pathname + address.search;
}

function showAgain(): void {
  lit = null;
  applyScale();
  if (opened === null) return;
  const node = [...document.querySelectorAll<SVGElement>(".family-node")].find(
    (one) => one.dataset.invocationId === opened,
  );
  opened = null;
  node?.querySelector<SVGAElement>("a")?.focus();
  announce("Showing more of the tree");
}

export function startFamilyTree(): void {
  const scroll = frame();
  if (scroll === null) return;
  showFocus();
  startPanning();
  document.addEventListener("click", loadMore);
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-zoom]") : null;
    if (button !== null) zoomBy(button.dataset.zoom);
  });
  // A refresh keeps the frame and morphs its content. Not passive, so that the browser does not zoom the page.
  scroll.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, top } = scroll.getBoundingClientRect();
      zoomTo(scale * STEP ** (-event.deltaY / 100), event.clientX - left, event.clientY - top);
    },
    { passive: false },
  );
  scroll.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const what = { "+": "in", "-": "out", "0": "fit" }[event.key];
    if (what === undefined) return;
    event.preventDefault();
    zoomBy(what);
  });
  document.addEventListener("pointerover", (event) => light(nodeAt(event.target)));
  document.addEventListener("focusin", (event) => light(nodeAt(event.target)));
  document.addEventListener("focusout", () => light(null));
  onShown(showAgain);
}
