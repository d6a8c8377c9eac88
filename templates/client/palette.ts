import { type Choice, combobox, type Offer } from "./combobox.ts";
import { askFragment } from "./fragments.ts";
import { meantForField } from "./keys.ts";
import { pageSwitches } from "./page-switches.ts";

/** A match with its kind and status. */
interface Match extends Choice {
  take(): void;
}

const goTo = (href: string) => () => location.assign(href);

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
    take: goTo(link.href),
    kind: "page",
    name: link.textContent?.trim() ?? "",
    about: [],
  }));
}

/** The rows of the search page, already escaped by the server. */
function matchesIn(html: string): Match[] {
  const rows = new DOMParser().parseFromString(html, "text/html").querySelectorAll("tbody tr");
  return [...rows].flatMap((row) => {
    const link = row.querySelector<HTMLAnchorElement>("th a[href]");
    const href = link?.getAttribute("href");
    if (link === null || !href) return [];
    const [kind = "", what = "", status = ""] = [...row.querySelectorAll("td")].map(
      (cell) => cell.textContent?.trim() ?? "",
    );
    return [
      {
        take: goTo(href),
        kind,
        name: link.textContent?.trim() ?? "",
        about: [what, status].filter((text) => text !== ""),
      },
    ];
  });
}

function switches(text: string, dialog: HTMLDialogElement): Match[] {
  return pageSwitches(text).map(({ name, use }) => ({
    kind: "switch",
    name,
    about: ["on this page"],
    // A button may open a dialog of its own.
    take: () => {
      dialog.close();
      use();
    },
  }));
}

export function startPalette(): void {
  const parts = partsOfPalette();
  if (parts === null) return;
  const { dialog, form, input } = parts;

  const offer = async (signal: AbortSignal): Promise<Offer<Match>> => {
    if (input.value.trim() === "") return { choices: pages(), words: "" };
    const address = new URL(form.action);
    for (const [name, value] of new FormData(form)) address.searchParams.set(name, String(value));
    const { status, html } = await askFragment(address, signal);
    if (status === 0) throw new Error("no answer");
    if (status !== 200) return { choices: [], words: "The search failed" };
    const choices = [...matchesIn(html), ...switches(input.value, dialog)];
    const count = choices.length === 1 ? "1 match" : `${choices.length} matches`;
    return { choices, words: choices.length === 0 ? "No match" : count };
  };
  const box = combobox(parts, {
    ask: offer,
    take: ({ take }) => take(),
    failure: "The server cannot be reached",
  });

  const open = () => {
    if (dialog.open) return;
    input.value = "";
    box.show({ choices: pages(), words: "" });
    dialog.showModal();
    input.focus();
  };

  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || box.chosen === null) return;
    event.preventDefault();
    box.chosen.take();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => box.close());
  document.addEventListener("keydown", (event) => {
    const control =
      (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k";
    const slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !meantForField(event);
    if (!slash && (!control || document.querySelector("dialog[open]") !== null)) return;
    event.preventDefault();
    open();
  });
}
