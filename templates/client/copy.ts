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
    if (!done) {
      announce("Could not copy");
      return;
    }
    button.focus();
    button.classList.add("copied");
    setTimeout(() => button.classList.remove("copied"), 1200);
    announce("Copied");
  });
}
