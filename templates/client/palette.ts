import { meantForField } from "./keys.ts";

/** How long typing must pause before matches are asked for, in milliseconds. */
const PAUSE = 150;

/** What stands in one option. */
interface Match {
  href: string;
  kind: string;
  name: string;
  /** What it is, and its status. */
  about: string[];
}

/** The parts of the dialog (layout/palette.tsx). */
interface Parts {
  dialog: HTMLDialogElement;
  form: HTMLFormElement;
  input: HTMLInputElement;
  list: HTMLElement;
  note: HTMLElement;
}

function partsOfPalette(): Parts | null {
  const dialog = document.querySelector<HTMLDialogElement>("#palette");
  const form = dialog?.querySelector("form");
  const input = dialog?.querySelector<HTMLInputElement>("#palette-text");
  const list = dialog?.querySelector<HTMLElement>("#palette-matches");
  const note = dialog?.querySelector<HTMLElement>("#palette-note");
  return dialog && form && input && list && note ? { dialog, form, input, list, note } : null;
}

/** The pages of the navigation, for an empty field. */
function pages(): Match[] {
  return [...document.querySelectorAll<HTMLAnchorElement>("a.nav-link")].map((link) => ({
    href: link.href,
    kind: "page",
    name: link.textContent?.trim() ?? "",
    about: [],
  }));
}

/** The rows of the search page, which the server has made safe to show. */
function matchesIn(html: string): Match[] {
  const rows = new DOMParser().parseFromString(html, "text/html").querySelectorAll("tbody tr");
  return [...rows].flatMap((row) => {
    const link = row.querySelector<HTMLAnchorElement>("th a[href]");
    const href = link?.getAttribute("href");
    if (link === null || !href) return [];
    const [kind = "", what = "", status = ""] = [...row.querySelectorAll("td")].map(
      (cell) => cell.textContent?.trim() ?? "",
    );
    return [{ href, kind, name: link.textContent?.trim() ?? "", about: [what, status].filter((text) => text !== "") }];
  });
}

function element(name: string, className: string, text: string): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function optionOf({ href, kind, name, about }: Match, index: number): HTMLElement {
  const option = element("div", "palette-match", "");
  option.id = `palette-match-${index}`;
  option.setAttribute("role", "option");
  option.setAttribute("aria-selected", "false");
  option.dataset.href = href;
  option.append(
    element("span", "palette-kind", kind),
    element("bdi", "palette-name", name),
    ...about.map((text) => element("bdi", "palette-about", text)),
  );
  return option;
}

export function startPalette(): void {
  const parts = partsOfPalette();
  if (parts === null) return;
  const { dialog, form, input, list, note } = parts;
  let asked: AbortController | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const options = () => [...list.querySelectorAll<HTMLElement>("[role=option]")];
  const chosen = () => options().findIndex((option) => option.getAttribute("aria-selected") === "true");

  const choose = (index: number) => {
    const all = options();
    for (const [i, option] of all.entries()) option.setAttribute("aria-selected", String(i === index));
    const option = all[index];
    if (option === undefined) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", option.id);
    option?.scrollIntoView({ block: "nearest" });
  };

  const show = (matches: readonly Match[], words: string) => {
    list.replaceChildren(...matches.map(optionOf));
    list.hidden = matches.length === 0;
    input.setAttribute("aria-expanded", String(matches.length > 0));
    note.textContent = words;
    choose(-1);
  };

  const ask = async () => {
    asked?.abort();
    const text = input.value.trim();
    if (text === "") return show(pages(), "");
    const asking = new AbortController();
    asked = asking;
    const address = new URL(form.action);
    for (const [name, value] of new FormData(form)) address.searchParams.set(name, String(value));
    try {
      const response = await fetch(address, { headers: { "hx-request": "true" }, signal: asking.signal });
      const matches = response.ok ? matchesIn(await response.text()) : [];
      if (asked !== asking) return;
      const count = matches.length === 1 ? "1 match" : `${matches.length} matches`;
      show(matches, response.ok ? (matches.length === 0 ? "No match" : count) : "The search failed");
    } catch {
      if (!asking.signal.aborted) show([], "The server cannot be reached");
    }
  };

  const open = () => {
    if (dialog.open) return;
    input.value = "";
    show(pages(), "");
    dialog.showModal();
    input.focus();
  };

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE);
  });
  input.addEventListener("keydown", (event) => {
    const { length } = options();
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && length > 0) {
      event.preventDefault();
      // Before the first and behind the last is the field itself.
      choose(((chosen() + 1 + step + length + 1) % (length + 1)) - 1);
    } else if (event.key === "Enter") {
      const href = options()[chosen()]?.dataset.href;
      if (href === undefined || event.isComposing) return;
      event.preventDefault();
      location.assign(href);
    }
  });
  list.addEventListener("click", (event) => {
    const option = event.target instanceof Element ? event.target.closest<HTMLElement>("[role=option]") : null;
    if (option?.dataset.href !== undefined) location.assign(option.dataset.href);
  });
  // The field keeps the focus while a match is pressed.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    clearTimeout(timer);
    asked?.abort();
  });
  document.addEventListener("keydown", (event) => {
    const control =
      (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k";
    const slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !meantForField(event);
    if (!slash && (!control || document.querySelector("dialog[open]") !== null)) return;
    event.preventDefault();
    open();
  });
}
