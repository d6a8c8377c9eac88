/** A text field with a list of suggestions, usable by keyboard and pointer, and announced as a combobox. */

/** Milliseconds without typing before options are requested. */
const PAUSE = 150;

/** The content of one option. */
export interface Choice {
  kind: string;
  name: string;
  about: string[];
}

export interface Offer<Given extends Choice> {
  choices: readonly Given[];
  /** Announced with the list. */
  words: string;
}

export interface ComboboxRules<Given extends Choice> {
  /** The options for the content of the field. If it fails, `failure` is announced. */
  ask(signal: AbortSignal): Promise<Offer<Given>>;
  take(choice: Given): void;
  /** Announced if the server cannot be reached. */
  failure: string;
}

export interface Combobox {
  /** Requests options immediately. */
  ask(): Promise<void>;
  /** Empties the list and drops pending requests. */
  close(): void;
  /** Whether options are shown. */
  readonly open: boolean;
  /** Takes the option selected with the keys. @returns whether there was one */
  takeChosen(): boolean;
}

function element(name: string, className: string, text: string): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function optionOf({ kind, name, about }: Choice, id: string): HTMLElement {
  const option = element("div", "choice", "");
  option.id = id;
  option.setAttribute("role", "option");
  option.setAttribute("aria-selected", "false");
  option.append(
    ...(kind === "" ? [] : [element("span", "choice-kind small", kind)]),
    element("bdi", "choice-name", name),
    ...about.map((text) => element("bdi", "choice-about muted", text)),
  );
  return option;
}

/** The list and the note below it: how many suggestions there are, or why none. */
function partsAfter(input: HTMLInputElement, label: string): [list: HTMLElement, note: HTMLElement] {
  const [list, note] = [element("div", "choices", ""), element("p", "choices-note small", "")];
  list.id = `${input.id}-completions`;
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", label);
  note.setAttribute("role", "status");
  const both = element("div", "completions", "");
  both.append(list, note);
  input.after(both);
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-expanded", "false");
  input.setAttribute("aria-controls", list.id);
  return [list, note];
}

/** Turns the field, which has an id, into a combobox. The caller handles keys other than the arrows. @param label of the list */
export function combobox<Given extends Choice>(
  input: HTMLInputElement,
  label: string,
  { ask, take, failure }: ComboboxRules<Given>,
): Combobox {
  const [list, note] = partsAfter(input, label);
  let shown: readonly Given[] = [];
  let at = -1;
  let asked: AbortController | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const choose = (index: number) => {
    at = index;
    for (const [i, option] of [...list.children].entries()) option.setAttribute("aria-selected", String(i === index));
    const option = list.children[index];
    if (option === undefined) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", option.id);
    option?.scrollIntoView({ block: "nearest" });
  };

  const forget = () => {
    clearTimeout(timer);
    asked?.abort();
    asked = null;
  };

  const show = ({ choices, words }: Offer<Given>) => {
    const kept = shown[at];
    shown = choices;
    list.replaceChildren(...choices.map((choice, i) => optionOf(choice, `${list.id}-${i}`)));
    list.hidden = choices.length === 0;
    input.setAttribute("aria-expanded", String(choices.length > 0));
    note.textContent = words;
    choose(choices.findIndex(({ kind, name }) => kind === kept?.kind && name === kept.name));
  };

  const takeAt = (index: number): boolean => {
    const choice = shown[index];
    if (choice === undefined) return false;
    // The next Enter belongs to the field, even before new options arrive.
    choose(-1);
    take(choice);
    return true;
  };

  /** Moves to the next option, or with -1 to the previous one. Before the first and after the last comes the field itself. */
  const step = (by: 1 | -1) => {
    const length = shown.length + 1;
    choose(((at + 1 + by + length) % length) - 1);
  };

  const made: Combobox = {
    async ask() {
      forget();
      const asking = new AbortController();
      asked = asking;
      try {
        const offer = await ask(asking.signal);
        if (asked === asking) show(offer);
      } catch {
        if (!asking.signal.aborted) show({ choices: [], words: failure });
      }
    },
    close() {
      forget();
      show({ choices: [], words: "" });
    },
    get open() {
      return shown.length > 0;
    },
    takeChosen: () => takeAt(at),
  };

  input.addEventListener("input", () => {
    forget();
    choose(-1);
    timer = setTimeout(made.ask, PAUSE);
  });
  input.addEventListener("keydown", (event) => {
    if (!["ArrowDown", "ArrowUp"].includes(event.key) || event.isComposing) return;
    if (!made.open && event.key === "ArrowUp") return;
    event.preventDefault();
    if (!made.open) void made.ask();
    else step(event.key === "ArrowDown" ? 1 : -1);
  });
  list.addEventListener("click", (event) => {
    const option = event.target instanceof Element ? event.target.closest("[role=option]") : null;
    if (option !== null) takeAt([...list.children].indexOf(option));
  });
  input.addEventListener("blur", () => made.close());
  // Keeps the focus in the field while an option is clicked.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  return made;
}
