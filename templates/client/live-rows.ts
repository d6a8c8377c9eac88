/**
 * Tables under a reader: nothing moves in them. A refresh renews the rows in place, and new ones wait. Lists that grow at the top wait until they
 * are asked for, or while the page is scrolled; other tables as long as the pointer or focus is in them.
 */
import { announce } from "./announce.ts";

const GROWING = "[data-growing]";

/** How many rows each region holds back; 0 where it differs from its last response in other ways, such as the order. */
const heldBack = new WeakMap<Element, number>();
/** How many rows each region holds back after its refresh has ended. */
const waiting = new WeakMap<Element, number>();
let letThrough = false;

/** A pointer or the focus in such a list, or a scrolled page, means that someone is reading. */
function reading(list: Element): boolean {
  if (letThrough) return false;
  if (!list.matches(GROWING)) return isUsed(list);
  return scrollY > 0 || [...document.querySelectorAll(GROWING)].some(isUsed);
}

/** The section around a table takes the focus, to be scrolled with keys. */
function isUsed(list: Element): boolean {
  const { activeElement } = document;
  return (
    list.matches(":hover") ||
    (activeElement !== null && list.closest(".table-scroll")?.contains(activeElement)) === true
  );
}

/** Before a refresh replaces `shown` by `fresh`: while the viewer is reading, keeps the rows that are shown, in their order. */
export function holdRows(shown: Element, fresh: Element): void {
  if (!(shown.matches("tbody") && fresh.matches("tbody")) || !reading(shown)) return;
  const before = rowsOf(shown);
  const answered = new Map(rowsOf(fresh).map((row) => [row.dataset.row, row]));
  const differs = [...answered.keys()].join() !== before.map((row) => row.dataset.row).join();
  if (!differs) return;
  const renewed = before.map((row) => {
    const found = answered.get(row.dataset.row);
    answered.delete(row.dataset.row);
    return found ?? row.cloneNode(true);
  });
  fresh.replaceChildren(...renewed);
  const region = shown.closest("[data-live]");
  if (region === null) return;
  heldBack.set(region, (heldBack.get(region) ?? 0) + answered.size);
  say();
}

/** After the refresh of a region. The next one must not be answered with 304, even if the store is unchanged. */
export function wasHeldBack(region: Element): boolean {
  const rows = heldBack.get(region);
  heldBack.delete(region);
  waiting.set(region, rows ?? 0);
  say();
  return rows !== undefined;
}

/** The row under the pointer or with the focus, and its distance from the top of the window, in pixels, before a refresh. */
let place: { row: Element; top: number } | null = null;

export function rememberPlace(): void {
  const row = document.querySelector("tbody > tr:hover") ?? document.activeElement?.closest("tbody > tr") ?? null;
  const top = row?.getBoundingClientRect().top ?? -1;
  place = row === null || top < 0 || top > innerHeight ? null : { row, top };
}

/** What is above the table may have become longer or shorter: the page scrolls by that, as far as it can. */
export function keepPlace(): void {
  if (place?.row.isConnected) scrollBy({ top: place.row.getBoundingClientRect().top - place.top, behavior: "instant" });
  place = null;
}

/** The next refresh shows everything as it is. */
export function showNewRows(): void {
  letThrough = true;
}

export function allShown(): void {
  letThrough = false;
}

/** The rows of a table that have a name. */
export function rowsOf(list: Element): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>(":scope > tr[data-row]")];
}

function say(): void {
  const button = document.querySelector<HTMLElement>("#new-rows");
  if (button === null) return;
  const regions = [...document.querySelectorAll("[data-live]")];
  const rows = regions.reduce((sum, region) => sum + (heldBack.get(region) ?? waiting.get(region) ?? 0), 0);
  const text = rows === 0 ? "" : `${rows} new ${rows === 1 ? "row" : "rows"}`;
  if (rows > 0 && button.hidden) announce(`${text}. Press r to show.`);
  button.hidden = rows === 0;
  if (button.textContent !== text) button.textContent = text;
}
