import type { VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Links } from "../../src/presentation/links.ts";
import { LinksContext, TodayContext } from "../links.ts";
import { PartsContext } from "../parts.ts";
import { BareDocument } from "./bare-document.tsx";
import { Document } from "./document.tsx";
import type { PageContext } from "./page-context.ts";

/** A complete HTML document. @param turn lets other requests go first; waited for before each of the parts (parts.ts) */
export async function renderPage(page: PageContext, body: VNode, turn: () => Promise<unknown>): Promise<string> {
  const parts: VNode[] = [];
  // No stored text has it: the nonce is made for this page.
  const mark = `part-${page.nonce}`;
  const later = (part: VNode) => {
    parts.push(part);
    return mark;
  };
  const content = <PartsContext.Provider value={later}>{body}</PartsContext.Provider>;
  const [head = "", ...rest] = renderToString(<Document page={page}>{content}</Document>).split(mark);
  let html = `<!doctype html>\n${head}`;
  for (const [at, part] of parts.entries()) {
    await turn();
    html += renderFragment(page.links, part, page.now.slice(0, 10)) + (rest[at] ?? "");
  }
  return html;
}

/** A page without store data, header, navigation and scripts. */
export function renderBare(links: Links, nonce: string, title: string, body: VNode): string {
  const page = (
    <LinksContext.Provider value={links}>
      <BareDocument nonce={nonce} title={title}>
        {body}
      </BareDocument>
    </LinksContext.Provider>
  );
  return `<!doctype html>\n${renderToString(page)}`;
}

/** The body of a partial refresh: the content of the page's `LiveRegion`. @param today its date, absent in a file */
export function renderFragment(links: Links, body: VNode, today: string | null = null): string {
  return renderToString(
    <LinksContext.Provider value={links}>
      <TodayContext.Provider value={today}>{body}</TodayContext.Provider>
    </LinksContext.Provider>,
  );
}
