/** Parts of a page that are loaded after it, from the address in `data-lazy`: at the start, and again when a refresh has changed that address. */
import { askFragment, elementsOf, tellShown } from "./fragments.ts";

/** What each part shows or is loading. */
const loaded = new WeakMap<Element, { address: string; request: AbortController }>();

export function loadLazyParts(within: ParentNode): void {
  for (const part of within.querySelectorAll<HTMLElement>("[data-lazy]")) {
    const address = part.dataset.lazy ?? "";
    const known = loaded.get(part);
    if (known?.address === address) continue;
    known?.request.abort();
    const request = new AbortController();
    loaded.set(part, { address, request });
    void load(part, address, request.signal);
  }
}

async function load(part: HTMLElement, address: string, signal: AbortSignal): Promise<void> {
  part.ariaBusy = "true";
  const { status, html } = await askFragment(address, signal);
  if (signal.aborted) return;
  part.ariaBusy = null;
  part.replaceChildren(status === 200 ? elementsOf(html) : couldNotBeLoaded(status));
  tellShown(part);
}

function couldNotBeLoaded(status: number): Element {
  const words = document.createElement("p");
  words.className = "card-note muted";
  words.textContent = `Could not be loaded${status === 0 ? "" : ` (the server answered ${status})`}.`;
  return words;
}
