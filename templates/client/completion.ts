/** Completes a query while it is typed: field names and known values. */
import { type Choice, combobox, type Offer } from "./combobox.ts";

/** `QueryCompletion` of src/api/find.ts. */
interface Completion {
  from: number;
  suggestions: { text: string; about: string | null; whole: boolean }[];
}

export interface Suggestion extends Choice {
  /** Index in the field where the replaced text starts. */
  from: number;
  /** It completes a term. */
  whole: boolean;
}

export function startCompletion(): void {
  // The field of the header offers more than completions (palette.ts).
  for (const input of document.querySelectorAll<HTMLInputElement>("input[data-completions]:not(#go-to)"))
    complete(input);
}

/** Completions of what is before the caret. */
export async function completionsIn(input: HTMLInputElement, signal: AbortSignal): Promise<Suggestion[]> {
  const address = new URL(input.dataset.completions ?? "", location.href);
  address.searchParams.set("q", input.value.slice(0, caretIn(input)));
  const response = await fetch(address, { headers: { accept: "application/json" }, signal });
  if (!response.ok) return [];
  const { from, suggestions } = (await response.json()) as Completion;
  return suggestions.map(({ text, about, whole }) => ({
    kind: "",
    name: text,
    about: about === null ? [] : [about],
    from,
    whole,
  }));
}

export function takeCompletion(input: HTMLInputElement, { name, from, whole }: Suggestion): void {
  input.setRangeText(whole ? `${name} ` : name, from, caretIn(input), "end");
}

function caretIn(input: HTMLInputElement): number {
  return input.selectionStart ?? input.value.length;
}

function complete(input: HTMLInputElement): void {
  const offer = async (signal: AbortSignal): Promise<Offer<Suggestion>> => {
    const choices = await completionsIn(input, signal);
    const count = choices.length === 1 ? "1 completion" : `${choices.length} completions`;
    return { choices, words: choices.length === 0 ? "" : count };
  };
  const take = (suggestion: Suggestion) => {
    takeCompletion(input, suggestion);
    // After a field name, offer its values.
    if (suggestion.whole) box.close();
    else void box.ask();
  };
  const box = combobox(input, "Completions", { ask: offer, take, failure: "" });

  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape" && box.open) {
      event.preventDefault();
      event.stopPropagation();
      box.close();
    } else if ((event.key === "Enter" || event.key === "Tab") && box.takeChosen()) {
      event.preventDefault();
    }
  });
}
