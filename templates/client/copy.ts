import { announce } from "./announce.ts";

/** The clipboard API only exists on secure origins; elsewhere a selected text field is copied. */
export async function copy(text: string, near: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text, near);
  }
}

function copySelected(text: string, near: Element): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "visually-hidden";
  field.readOnly = true;
  // While a dialog is open, nothing outside it can take the focus.
  (near.closest("dialog") ?? document.body).append(field);
  field.select();
  let copied = false;
  try {
    copied = document.execCommand("copy");
  } catch {
    copied = false;
  }
  field.remove();
  return copied;
}

/** Handles copy buttons, including those added by a refresh. */
export function startCopy(): void {
  document.addEventListener("click", async (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLElement>("button.copy") : null;
    if (button === null) return;
    const { copy: plain, copyEncoded } = button.dataset;
    const done = await copy(plain ?? decodeURIComponent(copyEncoded ?? ""), button);
    button.focus();
    say(button, done ? "Copied" : "Could not copy");
  });
}

/** Milliseconds for which a button says what it did. */
const SAID_FOR = 3_000;

/** Says beside a button what it did (`[data-said]`), and reads it out. */
export function say(button: HTMLElement, words: string): void {
  announce(words);
  button.dataset.said = words;
  setTimeout(() => button.removeAttribute("data-said"), SAID_FOR);
}
