/**
 * The panel beside the timeline: what is selected, as the server renders it (templates/panels/). Its address is that of the thing's own page
 * with `/panel` behind it, so a mark's link leads to both. The selection is kept in the page's address.
 */
import { announce } from "../announce.ts";
import { askFragment, elementsOf, type Fragment } from "../fragments.ts";
import { loadLazyParts } from "../lazy-parts.ts";
import { morphInto } from "../morph.ts";
import { showTimes } from "../times.ts";
import { hideCrosshair } from "./crosshair.ts";
import { MARKS, marksWithId, relativesOf } from "./relatives.ts";
import { hasModifier, jump, noteSelection, plot, renew, shownWindow, stage } from "./stage.ts";
import { instantOf, type TimeWindow } from "./window.ts";

/** A marker can stand for many runs of schedules; each has its page. */
const MOST = 6;

interface Selection {
  /** As written in the address. */
  parameter: "selected" | "focus_event";
  id: string;
  /** Pages of what is selected. */
  pages: string[];
}

let open: Selection | null = null;
let etag = "";
let pending: AbortController | undefined;

export function startPanel(): void {
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || hasModifier(event) || !(event.target instanceof Element))
      return;
    const mark = event.target.closest<SVGAElement>(MARKS);
    // Of several runs of the atomic service none is selected: their mark leads to their part of the window.
    if (mark !== null && mark.dataset.count === undefined && plot()?.contains(mark)) {
      event.preventDefault();
      select(selectionOf(mark));
      return;
    }
    const link = event.target.closest<HTMLAnchorElement>(".timeline-panel a[href]");
    if (link !== null) followLink(event, link);
  });
  document.body.addEventListener("live", () => {
    if (open !== null) void fill(open, true);
  });
  showSelection();
  const { focus_event, selected } = addressed();
  const examined = focus_event ?? selected;
  const [mark] = examined === null ? [] : marksOf(examined);
  mark?.scrollIntoView({ block: "center", inline: "nearest" });
}

/** Makes panel and marks those of the address: after loading, going back and every exchange of the content. */
export function showSelection(): void {
  if (stage() === null) return;
  const { selected, focus_event } = addressed();
  const id = selected ?? focus_event;
  markSelected([selected, focus_event]);
  if (id === open?.id) return;
  if (id === null) {
    hide();
    return;
  }
  const parameter = selected === null ? "focus_event" : "selected";
  const [mark] = marksOf(id);
  // Selected things that are not drawn can still be shown.
  const list = parameter === "selected" ? "invocations" : "events";
  show(mark === undefined ? { parameter, id, pages: [pageIn(list, id)] } : selectionOf(mark));
}

/** Closes the panel and forgets the selection; the focus goes back to where it was opened. */
export function closePanel(): boolean {
  if (open === null) return false;
  const { id } = open;
  const within = element()?.contains(document.activeElement);
  noteSelection({ selected: null, focus_event: null });
  showSelection();
  renew();
  if (within) marksOf(id)[0]?.focus({ preventScroll: true });
  return true;
}

function addressed(): { selected: string | null; focus_event: string | null } {
  const parameters = new URL(location.href).searchParams;
  const last = (name: string) => parameters.getAll(name).at(-1)?.trim() || null;
  return { selected: last("selected"), focus_event: last("focus_event") };
}

function select(selection: Selection): void {
  const { parameter, id } = selection;
  noteSelection({ selected: null, focus_event: null, [parameter]: id });
  show(selection);
  markSelected([id]);
  // The plot may get another width.
  hideCrosshair();
  marksOf(id)[0]?.scrollIntoView({ block: "nearest", inline: "nearest" });
  element()?.focus({ preventScroll: true });
  renew();
}

function selectionOf(mark: SVGAElement): Selection {
  const { invocationId, atomicServiceRunId, eventId, triggerRunId } = mark.dataset;
  const page = mark.href.baseVal;
  const selected = invocationId ?? atomicServiceRunId;
  if (selected !== undefined) return { parameter: "selected", id: selected, pages: [page] };
  if (eventId !== undefined) return { parameter: "focus_event", id: eventId, pages: [page] };
  const runs = (triggerRunId ?? "").split(" ");
  const pages = runs.map((run) => pageIn("triggerRuns", run));
  return { parameter: "focus_event", id: runs[0] ?? "", pages };
}

/** The page of a thing, below the address of its list, which comes with the timeline. */
function pageIn(list: "invocations" | "events" | "triggerRuns", id: string): string {
  const url = new URL(stage()?.dataset[list] ?? "", location.href);
  url.pathname += encodeURIComponent(id);
  return url.href;
}

function marksOf(id: string): SVGAElement[] {
  const drawing = plot();
  return drawing === null ? [] : marksWithId(drawing, id);
}

/** Whether something may be marked: once it was, the server may send it marked again. */
let marked = false;

function markSelected(ids: readonly (string | null)[]): void {
  // Looking for marks of a selection in thousands takes longer than everything else that a refresh needs here.
  if (!marked && ids.every((id) => id === null)) return;
  marked = true;
  for (const mark of plot()?.querySelectorAll(".selected, .chained") ?? [])
    mark.classList.remove("selected", "chained");
  for (const mark of ids.flatMap((id) => (id === null ? [] : marksOf(id)))) {
    mark.classList.add("selected");
    for (const relative of relativesOf(mark))
      if (relative.matches(".relation, .transition")) relative.classList.add("chained");
  }
}

/** Selects what is drawn; navigates to what is not. */
function followLink(event: MouseEvent, link: HTMLAnchorElement): void {
  const href = link.getAttribute("href") ?? "";
  if (link.matches("[data-zoom]")) {
    event.preventDefault();
    const window = windowOf(new URL(href, location.href));
    if (window !== null) jump(window);
    return;
  }
  if (link.matches(".panel-page")) return;
  const mark = [...(plot()?.querySelectorAll<SVGAElement>(MARKS) ?? [])].find((one) => one.href.baseVal === href);
  if (mark === undefined) return;
  event.preventDefault();
  select(selectionOf(mark));
}

function windowOf({ searchParams }: URL): TimeWindow | null {
  const window = {
    start: instantOf(searchParams.get("start_date") ?? ""),
    end: instantOf(searchParams.get("end_date") ?? ""),
  };
  return window.end > window.start ? window : shownWindow();
}

function element(): HTMLElement | null {
  return document.querySelector<HTMLElement>("#timeline-panel");
}

function hide(): void {
  open = null;
  pending?.abort();
  element()?.remove();
}

function show(selection: Selection): void {
  open = selection;
  etag = "";
  if (element() === null) document.querySelector("#main")?.after(made());
  void fill(selection, false);
}

/** Empty, with the means to close it. */
function made(): HTMLElement {
  const panel = document.createElement("aside");
  panel.id = "timeline-panel";
  panel.className = "timeline-panel";
  panel.setAttribute("role", "region");
  panel.setAttribute("aria-label", "Details of the selection");
  panel.tabIndex = -1;
  const close = document.createElement("button");
  close.type = "button";
  close.className = "button quiet panel-close";
  close.textContent = "Close";
  close.title = "Close (Esc)";
  close.addEventListener("click", closePanel);
  const content = document.createElement("div");
  content.className = "panel-content";
  panel.append(close, content);
  return panel;
}

/** @param renewed the panel already shows it: its content stays until the answer arrives, and if none does. */
async function fill(selection: Selection, renewed: boolean): Promise<void> {
  const content = element()?.querySelector<HTMLElement>(".panel-content");
  if (content == null) return;
  pending?.abort();
  const request = new AbortController();
  pending = request;
  if (!renewed) content.replaceChildren(words("Loading …"));
  content.ariaBusy = "true";
  const pages = selection.pages.slice(0, MOST);
  try {
    const answers = await Promise.all(pages.map((page) => partOf(page, request.signal)));
    if (open !== selection || request.signal.aborted) return;
    const tag = answers.map((answer) => answer.etag).join(" ");
    if (tag === etag) return;
    etag = tag;
    const parsed = elementsOf(answers.map((answer) => answer.html).join(""));
    const more = selection.pages.length - pages.length;
    if (more > 0) parsed.append(words(`and ${more} more runs of the same tick`));
    morphInto(content, parsed);
    loadLazyParts(content);
    showTimes(content);
    if (!renewed) announce(content.querySelector("h2")?.textContent ?? "");
  } catch (error) {
    if (request.signal.aborted || renewed) return;
    content.replaceChildren(words(error instanceof Error ? error.message : "No answer from the monitor"));
  } finally {
    if (pending === request) content.ariaBusy = null;
  }
}

async function partOf(page: string, signal: AbortSignal): Promise<Fragment> {
  const url = new URL(page, location.href);
  url.pathname += "/panel";
  const answer = await askFragment(url, signal);
  if (answer.status === 0) throw new Error("No answer from the monitor");
  if (answer.status === 404) throw new Error("Not stored.");
  if (answer.status !== 200) throw new Error(`The server answered ${answer.status}.`);
  return answer;
}

function words(text: string): HTMLElement {
  const line = document.createElement("p");
  line.className = "muted";
  line.textContent = text;
  return line;
}
