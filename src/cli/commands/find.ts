import { createLinks } from "../../presentation/links.ts";
import { NAV_ENTRIES } from "../../presentation/nav-entries.ts";
import { withPaths } from "../../presentation/thing-links.ts";
import { find as findThings } from "../../services/find/find.ts";
import type { Flags } from "../flags.ts";
import { NOTHING_FOUND, printFound, printNothing } from "../print/found.ts";
import { withApp } from "../session.ts";

/** `monitor find <text...>`: what an id in any form, a name or a log line means, and where to see it. */
export async function find(flags: Flags, words: readonly string[]): Promise<void> {
  await withApp(flags, async (app, out) => {
    const found = withPaths(createLinks(null), await findThings(app, { q: [words.join(" ")] }, NAV_ENTRIES));
    if (found.matches.length === 0) process.exitCode = NOTHING_FOUND;
    if (out.json) return out.document(found);
    if (found.matches.length === 0) printNothing(found, app.now(), out);
    else printFound(found, app.now(), out);
  });
}
