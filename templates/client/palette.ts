import { type Choice, combobox, type Offer } from "./combobox.ts";
import { completionsIn, takeCompletion } from "./completion.ts";
import { askFragment } from "./fragments.ts";
import { meantForField } from "./keys.ts";
import { pageSwitches } from "./page-switches.ts";

/** A match with its kind and status. */
interface Match extends Choice {
  take(): void;
}

const goTo = (href: string) => () => location.assign(href);

/** The pages of the navigation, for an empty field. */
function pages(): Match[] {
  return [...document.querySelectorAll<HTMLAnchorElement>("a.nav-link")].map((link) => ({
    take: goTo(link.href),
    kind: "",
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

/** A switch may open a dialog, or take the focus. */
function switches(text: string, leave: () => void): Match[] {
  return pageSwitches(text).map(({ name, use }) => ({
    kind: "switch",
    name,
    about: ["on this page"],
    take: () => {
      leave();
      use();
    },
  }));
}

/** Completions of the last term of a search. */
async function completions(input: HTMLInputElement, signal: AbortSignal, taken: () => void): Promise<Match[]> {
  return (await completionsIn(input, signal)).map((suggestion) => ({
    ...suggestion,
    kind: "search",
    take: () => {
      takeCompletion(input, suggestion);
      taken();
    },
  }));
}

/** The search field of the header: pages, matches, switches of the page and completions of a search while text is typed. */
export function startPalette(): void {
  const input = document.querySelector<HTMLInputElement>("#go-to");
  const form = input?.form;
  if (!input || !form) return;
  let before: Element | null = null;
  // Without text, the button opens the list.
  input.required = false;

  const offer = async (signal: AbortSignal): Promise<Offer<Match>> => {
    if (input.value.trim() === "") return { choices: pages(), words: "" };
    const address = new URL(form.action);
    for (const [name, value] of new FormData(form)) address.searchParams.set(name, String(value));
    const [{ status, html }, completed] = await Promise.all([
      askFragment(address, signal),
      completions(input, signal, () => void box.ask()),
    ]);
    if (status === 0) throw new Error("no answer");
    if (status !== 200) return { choices: completed, words: "The search failed" };
    const others = [...matchesIn(html), ...switches(input.value, leave)];
    // After the name of a field, its values come first.
    const choices = /[:<>]\S*$/.test(input.value) ? [...completed, ...others] : [...others, ...completed];
    const count = choices.length === 1 ? "1 result" : `${choices.length} results`;
    return { choices, words: choices.length === 0 ? "No result" : count };
  };
  const box = combobox(input, "Matches", {
    ask: offer,
    take: ({ take }) => take(),
    failure: "The server cannot be reached",
  });

  /** The focus returns to where it was. */
  const leave = () => {
    box.close();
    input.value = "";
    input.blur();
    if (before instanceof HTMLElement) before.focus();
    before = null;
  };
  const open = () => {
    if (document.activeElement !== input) before = document.activeElement;
    input.focus();
    input.select();
    void box.ask();
  };

  form.addEventListener("submit", (event) => {
    if (input.value.trim() !== "") return;
    event.preventDefault();
    open();
  });
  input.addEventListener("click", () => {
    if (!box.open) void box.ask();
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      leave();
    } else if (event.key === "Enter" && box.takeChosen()) {
      event.preventDefault();
    }
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
