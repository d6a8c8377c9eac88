/** Copies a link to what the page shows now: with its app, and with instants instead of "the last hour" (`Permalink` of layout/page-context.ts). */
import { announce } from "./announce.ts";
import { copy } from "./copy.ts";
import { now, pageMade } from "./times.ts";

export function startPermalink(): void {
  // The timeline replaces the link.
  document.querySelector("#settings")?.addEventListener("click", async (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("#copy-link") : null;
    if (link === null) return;
    event.preventDefault();
    const words = link.firstElementChild;
    const said = (await copy(permalink(link).href, link)) ? "Copied" : "Could not copy";
    announce(said);
    if (words == null) return;
    words.textContent = said;
    setTimeout(() => {
      words.textContent = "Copy link";
    }, 1_500);
  });
}

function permalink({ href, dataset: { moving } }: HTMLAnchorElement): URL {
  const url = new URL(href);
  // A live page has gone on since it was made.
  const later = moving === undefined ? 0 : now() - pageMade;
  for (const name of ["from", "to", "at"]) {
    const instant = Date.parse(url.searchParams.get(name) ?? "");
    if (later > 0 && !Number.isNaN(instant)) url.searchParams.set(name, new Date(instant + later).toISOString());
  }
  return url;
}
