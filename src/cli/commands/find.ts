import type { FindAnswer, FoundThing } from "../../api/find.ts";
import { linksTo } from "../../presentation/links.ts";
import { searchedPages } from "../../presentation/nav-entries.ts";
import { withPaths } from "../../presentation/thing-links.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { find as findThings } from "../../services/find/find.ts";
import type { Flags } from "../flags.ts";
import { NOTHING_FOUND, printFound } from "../print/found.ts";
import type { Output } from "../print/output.ts";
import { withProgress } from "../print/search-progress.ts";
import { withApp } from "../session.ts";
import { SCAN_LIMIT } from "./invocations.ts";

/** `monitor find <text...>`: what an id in any form, a name or a log line means, and where to see it. */
export async function run(flags: Flags, words: readonly string[]): Promise<void> {
  await withApp(flags, async (app, out) => {
    const found = await foundOnTerminal(app, words, out);
    if (found.matches.length === 0) process.exitCode = NOTHING_FOUND;
    if (out.json) return out.document(found);
    printFound(found, await app.addressedAs(), app.now(), out, await runDefinedBy(app, found));
  });
}

/** The workflow run of a single match that is an invocation: it has the same id. */
async function runDefinedBy(app: OpenedApp, { matches: [only, ...others] }: FindAnswer): Promise<FoundThing | null> {
  if (only?.kind !== "invocation" || others.length > 0) return null;
  const runs = await findThings(app, { q: [only.id], kind: ["workflow"] }, []);
  return withPaths(await linksTo(app), runs).matches[0] ?? null;
}

/** What the words mean. A command searches further than a page does, because no other request waits for it. */
export async function foundOnTerminal(app: OpenedApp, words: readonly string[], out: Output): Promise<FindAnswer> {
  const found = await withProgress(out, (onProgress) =>
    findThings(app, { q: [words.join(" ")] }, searchedPages(true, false), { invocations: SCAN_LIMIT, onProgress }),
  );
  return withPaths(await linksTo(app), found);
}
