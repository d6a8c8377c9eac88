import type { VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Links } from "../../src/presentation/links.ts";
import { LinksContext, TodayContext } from "../links.ts";
import { BareDocument } from "./bare-document.tsx";
import { Document } from "./document.tsx";
import type { PageContext } from "./page-context.ts";

/** A complete HTML document. */
export function renderPage(page: PageContext, body: VNode): string {
  return `<!doctype html>\n${renderToString(<Document page={page}>{body}</Document>)}`;
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
