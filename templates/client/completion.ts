/** Completes a query while it is typed: field names and known values. */
import { type Choice, combobox, type Offer } from "./combobox.ts";

/** `QueryCompletion` of src/api/find.ts. */
interface Completion {
  from: number;
  suggestions: { text: string; about: string | null; whole: boolean }[];
}

interface Suggestion extends Choice {
  /** Index in the field where the replaced text starts. */
  from: number;
  /** It completes a term. */
  whole: boolean;
}

export function startCompletion(): void {
  for (const input of document.querySelectorAll<HTMLInputElement>("input[data-completions]")) complete(input);
}

function complete(input: HTMLInputElement): void {
  const list = document.createElement("div");
  list.id = `${input.id}-completions`;
  list.className = "completions";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Completions");
  const note = document.createElement("span");
  note.className = "visually-hidden";
  note.setAttribute("role", "status");
  input.after(list, note);
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-expanded", "false");
  input.setAttribute("aria-controls", list.id);

  const caret = () => input.selectionStart ?? input.value.length;
  const offer = async (signal: AbortSignal): Promise<Offer<Suggestion>> => {
    const address = new URL(input.dataset.completions ?? "", location.href);
    address.searchParams.set("q", input.value.slice(0, caret()));
    const response = await fetch(address, { headers: { accept: "application/json" }, signal });
    if (!response.ok) return { choices: [], words: "" };
    const { from, suggestions } = (await response.json()) as Completion;
    const choices = suggestions.map(({ text, about, whole }) => ({
      kind: "",
      name: text,
      about: about === null ? [] : [about],
      from,
      whole,
    }));
    const count = choices.length === 1 ? "1 completion" : `${choices.length} completions`;
    return { choices, words: choices.length === 0 ? "" : count };
  };
  const take = ({ name, from, whole }: Suggestion) => {
    input.setRangeText(whole ? `${name} ` : name, from, caret(), "end");
    // After a field name, offer its values.
    if (whole) box.close();
    else void box.ask();
  };
  const box = combobox({ input, list, note }, { ask: offer, take, failure: "" });

  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const { chosen, open } = box;
    if (event.key === "ArrowDown" && !open) {
      event.preventDefault();
      void box.ask();
    } else if (event.key === "Escape" && open) {
      event.preventDefault();
      event.stopPropagation();
      box.close();
    } else if ((event.key === "Enter" || event.key === "Tab") && chosen !== null) {
      event.preventDefault();
      take(chosen);
    }
  });
  input.addEventListener("blur", () => box.close());
}
