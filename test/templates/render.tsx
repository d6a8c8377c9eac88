import { type HTMLElement, parse } from "node-html-parser";
import type { VNode } from "preact";
import { createLinks } from "../../src/presentation/links.ts";
import type { PageContext } from "../../templates/layout/page-context.ts";
import { renderForFile } from "../../templates/layout/render.tsx";

export function html(node: VNode, pinnedApp: string | null = null): string {
  return renderForFile(createLinks(pinnedApp), node);
}

/** Rendered and parsed again, so that tests look at what a browser would see. */
export function dom(node: VNode, pinnedApp: string | null = null): HTMLElement {
  return parse(html(node, pinnedApp), { comment: true });
}

/** Text without runs of blanks, references decoded. */
export function text(node: VNode): string {
  return dom(node).text.replace(/\s+/g, " ").trim();
}

export const HOSTILE = `"><script>alert(1)</script>'&\u202e\u001b[31m\0`;

export function pageContext(changes: Partial<PageContext> = {}): PageContext {
  return {
    links: createLinks(null),
    nonce: "n0nce",
    title: "Broker",
    nav: "broker",
    app: { app_id: "kitchen_sink" },
    apps: [
      { app_id: "kitchen_sink", phantom: false },
      { app_id: "kitchen-sink.two/β", phantom: true },
    ],
    path: "/broker/",
    location: "/srv/data/pynenc.db",
    past: null,
    read_only: false,
    sign_in: false,
    now: "2026-11-21T00:35:02.000000+00:00",
    clock_fixed: false,
    figures: true,
    time: null,
    problems: null,
    permalink: { href: "/broker/?app=kitchen_sink", moving: false },
    live: true,
    gaps: [],
    notice: null,
    version: "0.1.0",
    ...changes,
  };
}
