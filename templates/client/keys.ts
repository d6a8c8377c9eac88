import { refreshNow, togglePause } from "./live.ts";

/** Milliseconds to wait for a letter after `g`. */
const PATIENCE = 1500;

/** Whether the key belongs to a field or a dialog, not to the page. */
export function meantForField(event: KeyboardEvent): boolean {
  return event.isComposing || typing(event.target) || document.querySelector("dialog[open]") !== null;
}

function typing(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;
}

function openKeys(): void {
  const dialog = document.querySelector<HTMLDialogElement>("#keys-dialog");
  if (dialog?.open !== false) return;
  const list = dialog.querySelector("#keys-of-pages");
  if (list?.querySelector("[data-page]") === null) list.append(...lettersOfPages());
  dialog.showModal();
}

/** `g i Invocations`: rows as in layout/keys-dialog.tsx. */
function lettersOfPages(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLAnchorElement>("a[data-letter]")].map(({ dataset, text }) => {
    const row = document.createElement("div");
    row.dataset.page = "";
    const keys = document.createElement("dt");
    for (const key of ["g", dataset.letter ?? ""])
      keys.append(Object.assign(document.createElement("kbd"), { textContent: key }));
    const does = document.createElement("dd");
    does.textContent = text;
    row.append(keys, does);
    return row;
  });
}

function goTo(letter: string): boolean {
  const link = [...document.querySelectorAll<HTMLAnchorElement>("a[data-letter]")].find(
    (candidate) => candidate.dataset.letter === letter,
  );
  if (link === undefined) return false;
  location.assign(link.href);
  return true;
}

/** Closes menus with Escape and with a click elsewhere, as users expect. */
function closeMenus(except: EventTarget | null): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]")) {
    if (!(except instanceof Node && menu.contains(except))) menu.open = false;
  }
}

export function startKeys(): void {
  let goingUntil = 0;
  document.querySelector("#keys-button")?.addEventListener("click", openKeys);
  document.addEventListener("click", ({ target }) => {
    // A dialog that was opened from a menu gives the focus back to it.
    if (!(target instanceof Element && target.closest("dialog"))) closeMenus(target);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      const menu = document.querySelector<HTMLDetailsElement>("details.menu[open]");
      closeMenus(null);
      menu?.querySelector<HTMLElement>("summary")?.focus();
      // Escape closes one thing at a time.
      if (menu !== null) event.preventDefault();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || meantForField(event)) return;
    const going = Date.now() < goingUntil;
    goingUntil = 0;
    if (going && goTo(event.key)) event.preventDefault();
    else if (event.key === "g") goingUntil = Date.now() + PATIENCE;
    else if (event.key === "r") refreshNow();
    else if (event.key === "p") togglePause();
    else if (event.key === "?") openKeys();
  });
}
