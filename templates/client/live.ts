import { showBanner } from "./announce.ts";
import { nextTask } from "./browser-tasks.ts";
import { readDrawings } from "./drawing-parts.ts";
import { askFragment, elementsOf, tellShown } from "./fragments.ts";
import { loadLazyParts } from "./lazy-parts.ts";
import { allShown, keepPlace, rememberPlace, showNewRows, wasHeldBack } from "./live-rows.ts";
import { keepWhatIsShown, morphInto, readWhatCame } from "./morph.ts";
import { onRemembered, recall, remember } from "./storage.ts";

const DEFAULT_SECONDS = 5;
const LONGEST_WAIT_SECONDS = 60;

/** How often figures that were not read in time are asked for again where the page does not refresh by itself. */
const MOST_TRIES = 5;

let seconds = DEFAULT_SECONDS;
let failures = 0;
let gone = false;
let paused = false;
let tries = 0;
let lastAnswer = new Date();
let timer: ReturnType<typeof setTimeout> | undefined;

function regions(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("[data-live]")];
}

function inRegion(node: Node | null | undefined): boolean {
  const element = node instanceof Element ? node : node?.parentElement;
  return element?.closest("[data-live]") != null;
}

/** A refresh must not replace something being selected or filled in. */
function inUse(): boolean {
  const selection = getSelection();
  if (selection !== null && !selection.isCollapsed && inRegion(selection.anchorNode)) return true;
  // During a gesture.
  if (document.querySelector("[data-live] [data-held]") !== null) return true;
  const focused = document.activeElement;
  return focused?.matches("input, textarea, select") === true && inRegion(focused);
}

function tick(): void {
  const all = regions();
  if (all.some((region) => region.ariaBusy === "true")) return;
  for (const region of all) void refresh(region);
  // For what is renewed with the regions and is in none: the panel of the timeline.
  document.body.dispatchEvent(new CustomEvent("live"));
}

/** What is being asked for, by region. */
const requests = new WeakMap<Element, AbortController>();

/** Ignores what is still to come of answers that belong to the present content of these regions: it is about to be replaced. */
export function dropRefreshes(within: ParentNode): void {
  for (const region of within.querySelectorAll("[data-live]")) requests.get(region)?.abort();
}

async function refresh(region: HTMLElement): Promise<void> {
  const request = new AbortController();
  requests.set(region, request);
  region.ariaBusy = "true";
  const { status, html, etag } = await askFragment(region.dataset.live ?? "", request.signal, region.dataset.etag);
  const content = status === 200 && !request.signal.aborted ? elementsOf(html) : null;
  // Reading and showing an answer at once would take longer than a frame.
  if (content !== null) await nextTask();
  region.ariaBusy = null;
  if (request.signal.aborted) return;
  // A gesture that began meanwhile goes on: the next refresh brings all of it again.
  if (content !== null && region.querySelector("[data-held]") === null) show(region, content, etag);
  allShown();
  answered(status);
}

function show(region: HTMLElement, content: DocumentFragment, etag: string): void {
  rememberPlace();
  morphInto(region, content);
  keepPlace();
  region.dataset.etag = wasHeldBack(region) ? "" : etag;
  loadLazyParts(region);
  tellShown(region);
}

function schedule(): void {
  clearTimeout(timer);
  const dot = document.querySelector<HTMLElement>("#live-dot");
  const working = seconds > 0 && !paused ? "on" : "off";
  if (dot !== null) dot.dataset.state = failures > 0 || gone ? "failing" : working;
  const still = seconds === 0 || paused;
  const unread = still && tries < MOST_TRIES && document.querySelector("[data-live] [data-unread]") !== null;
  if (gone || (still && !unread)) return;
  const each = still ? 2 ** (tries + 1) : seconds;
  const wait = Math.min(each * 2 ** failures, Math.max(LONGEST_WAIT_SECONDS, each));
  timer = setTimeout(() => {
    if (still) tries += 1;
    if (!document.hidden && !inUse()) tick();
    schedule();
  }, wait * 1000);
}

/** Renews the live regions at once, with all rows that waited, or the page when it has none. */
export function refreshNow(): void {
  if (regions().length === 0 || gone) {
    location.reload();
    return;
  }
  showNewRows();
  tick();
}

/** Pauses or resumes live refresh of this page only; the chosen interval stays. */
export function togglePause(): void {
  if (regions().length === 0 || seconds === 0 || gone) return;
  setPaused(!paused);
  if (!paused) tick();
}

function setPaused(to: boolean): void {
  paused = to;
  const select = document.querySelector<HTMLSelectElement>("#live-switch");
  if (select !== null) select.value = paused ? "paused" : String(seconds);
  schedule();
}

function answered(status: number): void {
  if (status >= 200 && status < 400) {
    failures = 0;
    lastAnswer = new Date();
    showBanner(null);
  } else if (status >= 400 && status < 500 && status !== 429) {
    // Retrying cannot help: what the page shows was removed, or is no longer accessible.
    gone = true;
    showBanner(`This page no longer refreshes (the server answered ${status}). Reload it to see why.`);
  } else {
    failures += 1;
    showBanner(
      `${status === 0 ? "No answer from the monitor" : `The server answered ${status}`}. Retrying; last data ${lastAnswer.toISOString().slice(11, 19)} UTC`,
    );
  }
  schedule();
}

/** The live switch: how often live regions refresh. Must be called before scripts change what came with the page. */
export function startLive(): void {
  keepWhatIsShown();
  loadLazyParts(document);
  if (regions().length === 0) return;
  for (const region of regions()) {
    readWhatCame(region);
    readDrawings(region);
  }
  const choose = (value: string | null) => {
    seconds = value !== null && /^(?:0|2|5|15)$/.test(value) ? Number(value) : DEFAULT_SECONDS;
    setPaused(false);
  };
  const fixed = document.documentElement.dataset.clockFixed !== undefined;
  choose(fixed ? "0" : recall("live"));
  if (!fixed) onRemembered("live", choose);
  const select = document.querySelector<HTMLSelectElement>("#live-switch");
  select?.addEventListener("change", () => {
    // A pause is of this page only.
    if (select.value === "paused") return setPaused(true);
    remember("live", select.value);
    choose(select.value);
  });
  document.querySelector("#new-rows")?.addEventListener("click", () => {
    scrollTo({ top: 0 });
    refreshNow();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden || seconds === 0 || gone || paused || failures > 0) return;
    if (Date.now() - lastAnswer.getTime() > seconds * 1000 && !inUse()) tick();
  });
}
