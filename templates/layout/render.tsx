import type { VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Links } from "../../src/presentation/links.ts";
import { LinksContext, TodayContext } from "../links.ts";
import { PartsContext } from "../parts.ts";
import { BareDocument } from "./bare-document.tsx";
import { Document } from "./document.tsx";
import type { PageContext } from "./page-context.ts";

/** Where parts of a page are marked (parts.ts), and what is waited for before each, so that other requests go first. */
interface Rendering {
  /** No stored text has it: it is made for this page. */
  nonce: string;
  turn: () => Promise<unknown>;
}

/** A complete HTML document. */
export async function renderPage(page: PageContext, body: VNode, turn: Rendering["turn"]): Promise<string> {
  const document = (content: VNode) => <Document page={page}>{content}</Document>;
  const part = (content: VNode) => inContext(page.links, content, page.now.slice(0, 10));
  return `<!doctype html>\n${await inParts(body, document, part, { nonce: page.nonce, turn })}`;
}

/** The body of a partial refresh: the content of the page's `LiveRegion`. @param today its date, which lists leave out */
export function renderFragment(links: Links, body: VNode, today: string, rendering: Rendering): Promise<string> {
  const part = (content: VNode) => inContext(links, content, today);
  return inParts(body, part, part, rendering);
}

/** @param around puts it in its place. @param inside the same for its parts, which are rendered one by one. */
async function inParts(
  body: VNode,
  around: (content: VNode) => VNode,
  inside: (content: VNode) => VNode,
  { nonce, turn }: Rendering,
): Promise<string> {
  const parts: VNode[] = [];
  const mark = `part-${nonce}`;
  const later = (part: VNode) => {
    parts.push(part);
    return mark;
  };
  await turn();
  const content = <PartsContext.Provider value={later}>{body}</PartsContext.Provider>;
  const [head = "", ...rest] = renderToString(around(content)).split(mark);
  let html = head;
  for (const [at, part] of parts.entries())
    html += (await inParts(part, inside, inside, { nonce, turn })) + (rest[at] ?? "");
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

/** What a file has, at once. */
export function renderForFile(links: Links, body: VNode): string {
  return renderToString(inContext(links, body, null));
}

function inContext(links: Links, body: VNode, today: string | null): VNode {
  return (
    <LinksContext.Provider value={links}>
      <TodayContext.Provider value={today}>{body}</TodayContext.Provider>
    </LinksContext.Provider>
  );
}
