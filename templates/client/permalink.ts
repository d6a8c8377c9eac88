/** Copies a link to what the page shows now: with its app, and with instants instead of "the last hour" (`Permalink` of layout/page-context.ts). */
import { copy, say } from "./copy.ts";
import { now, pageMade } from "./times.ts";

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

export function startPermalink(): void {
  // The timeline replaces the links.
  document.querySelector(".header-tools")?.addEventListener("click", async (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>(".copy-link") : null;
    if (link === null) return;
    event.preventDefault();
    const url = permalink(link);
    const copied = await copy(url.href, link);
    const reach = LOOPBACK.test(url.hostname) ? "Copied. Works on this computer only" : "Copied";
    say(link, copied ? reach : "Could not copy");
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
