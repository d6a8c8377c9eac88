/** Lists that grow at the top: nothing moves under a reader. A refresh renews the rows in place, and new ones wait until they are asked for. */
import { announce } from "./announce.ts";

const GROWING = "tbody[data-growing]";

/** Regions that differ from their last response. */
const heldBack = new WeakSet<Element>();
let letThrough = false;

/** A pointer or the focus in such a list, or a scrolled page, means that someone is reading. */
function reading(): boolean {
  if (letThrough) return false;
  if (scrollY > 0) return true;
  const lists = [...document.querySelectorAll(GROWING)];
  return lists.some((list) => list.matches(":hover") || list.contains(document.activeElement));
}

/** Before a refresh puts `fresh` in the place of `shown`: while somebody reads, makes its rows those that are shown, in their order. */
export function holdNewRows(shown: Element, fresh: Element): void {
  if (!(shown.matches(GROWING) && fresh.matches(GROWING)) || !reading()) return;
  const answered = new Map(rowsOf(fresh).map((row) => [row.dataset.row, row]));
  const before = rowsOf(shown);
  const differs = [...answered.keys()].join() !== before.map((row) => row.dataset.row).join();
  fresh.replaceChildren(...before.map((row) => answered.get(row.dataset.row) ?? row.cloneNode(true)));
  const region = shown.closest("[data-live]");
  if (!differs || region === null) return;
  heldBack.add(region);
  for (const row of before) answered.delete(row.dataset.row);
  sayWaiting(answered.size);
}

/** After the refresh of a region. The next one must not be answered with 304, even if the store is unchanged. */
export function wasHeldBack(region: Element): boolean {
  if (heldBack.delete(region)) return true;
  sayWaiting(0);
  return false;
}

/** The next refresh shows everything as it is. */
export function showNewRows(): void {
  letThrough = true;
}

export function allShown(): void {
  letThrough = false;
}

function rowsOf(list: Element): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>(":scope > tr[data-row]")];
}

function sayWaiting(rows: number): void {
  const button = document.querySelector<HTMLElement>("#new-rows");
  if (button === null) return;
  const text = rows === 0 ? "" : `${rows} new ${rows === 1 ? "row" : "rows"}`;
  if (rows > 0 && button.hidden) announce(`${text}. Press r to show.`);
  button.hidden = rows === 0;
  if (button.textContent !== text) button.textContent = text;
}
