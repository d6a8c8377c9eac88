/** Parts of pages that the server answers to requests with `HX-Request: true`. */

/** Milliseconds after which no answer is expected any more. */
const TIMEOUT = 15_000;

export interface Fragment {
  /** 0 if there was no answer. */
  status: number;
  /** Empty where nothing is to be shown: no answer, an error, or unchanged since `etag`. */
  html: string;
  etag: string;
}

/**
 * Asks for a fragment. Does not throw: an answer that did not come has the status 0.
 *
 * @param etag of what is shown now, so that the server need not send it again.
 */
export async function askFragment(address: string | URL, signal: AbortSignal, etag = ""): Promise<Fragment> {
  const ended = new AbortController();
  const end = () => ended.abort();
  const timer = setTimeout(end, TIMEOUT);
  signal.addEventListener("abort", end);
  try {
    const headers = { "hx-request": "true", ...(etag !== "" && { "if-none-match": etag }) };
    const response = await fetch(address, { headers, signal: ended.signal });
    const html = response.status === 200 ? await response.text() : "";
    return { status: response.status, html, etag: response.headers.get("etag") ?? "" };
  } catch {
    return { status: 0, html: "", etag: "" };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

/** The elements of a fragment. */
export function elementsOf(html: string): DocumentFragment {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

const SHOWN = "fragment-shown";

/** Reports that the content of an element was renewed. */
export function tellShown(element: Element): void {
  element.dispatchEvent(new CustomEvent(SHOWN, { bubbles: true }));
}

/** @param handle is called with each element whose content was renewed. */
export function onShown(handle: (element: Element) => void): void {
  document.body.addEventListener(SHOWN, (event) => {
    if (event.target instanceof Element) handle(event.target);
  });
}
