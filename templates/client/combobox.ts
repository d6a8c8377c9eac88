/** A field with a list of what it may become: by keyboard and pointer, and read out as a combobox. */

/** How long typing must pause before options are asked for, in milliseconds. */
const PAUSE = 150;

/** What stands in one option. */
export interface Choice {
  kind: string;
  name: string;
  about: string[];
}

export interface Offer<Given extends Choice> {
  choices: readonly Given[];
  /** Told beside the list. */
  words: string;
}

export interface ComboboxParts {
  input: HTMLInputElement;
  list: HTMLElement;
  note: HTMLElement;
}

export interface ComboboxRules<Given extends Choice> {
  /** What is offered for what the field holds. It may fail: then `failure` is told. */
  ask(signal: AbortSignal): Promise<Offer<Given>>;
  take(choice: Given): void;
  /** Told when the server cannot be reached. */
  failure: string;
}

export interface Combobox<Given extends Choice> {
  show(offer: Offer<Given>): void;
  /** Asks at once. */
  ask(): Promise<void>;
  /** Empties the list and forgets what was asked. */
  close(): void;
  /** Options are shown. */
  readonly open: boolean;
  /** The option that the keys have reached. */
  readonly chosen: Given | null;
  /** To the next option, or with -1 to the one before. Before the first and behind the last is the field itself. */
  step(by: 1 | -1): void;
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
    element("span", "choice-kind", kind),
    element("bdi", "choice-name", name),
    ...about.map((text) => element("bdi", "choice-about", text)),
  );
  return option;
}

/** Makes the field one. The list has the role `listbox` and an id; keys other than the arrows are for the caller. */
export function combobox<Given extends Choice>(
  { input, list, note }: ComboboxParts,
  { ask, take, failure }: ComboboxRules<Given>,
): Combobox<Given> {
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

  const made: Combobox<Given> = {
    show({ choices, words }) {
      shown = choices;
      list.replaceChildren(...choices.map((choice, i) => optionOf(choice, `${list.id}-${i}`)));
      list.hidden = choices.length === 0;
      input.setAttribute("aria-expanded", String(choices.length > 0));
      note.textContent = words;
      choose(-1);
    },
    async ask() {
      forget();
      const asking = new AbortController();
      asked = asking;
      try {
        const offer = await ask(asking.signal);
        if (asked === asking) made.show(offer);
      } catch {
        if (!asking.signal.aborted) made.show({ choices: [], words: failure });
      }
    },
    close() {
      forget();
      made.show({ choices: [], words: "" });
    },
    get open() {
      return shown.length > 0;
    },
    get chosen() {
      return shown[at] ?? null;
    },
    step(by) {
      const length = shown.length + 1;
      choose(((at + 1 + by + length) % length) - 1);
    },
  };

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(made.ask, PAUSE);
  });
  input.addEventListener("keydown", (event) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : null;
    if (by === null || !made.open) return;
    event.preventDefault();
    made.step(by);
  });
  list.addEventListener("click", (event) => {
    const option = event.target instanceof Element ? event.target.closest("[role=option]") : null;
    const choice = option === null ? undefined : shown[[...list.children].indexOf(option)];
    if (choice !== undefined) take(choice);
  });
  // The field keeps the focus while an option is pressed.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  return made;
}
