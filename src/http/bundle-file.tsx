/** A bundle as one self-contained HTML file: no requests, no scripts, no links to anything outside. */
import { createHash } from "node:crypto";
import { type FunctionComponent, options, type VNode } from "preact";
import { renderForFile } from "../../templates/layout/render.tsx";
import {
  type BundleHead,
  BundleHeader,
  BundleLog,
  type BundlePart,
  BundlePartContent,
} from "../../templates/pages/bundle.tsx";
import type { View } from "../../templates/pages/view.ts";
import { WhyContent } from "../../templates/pages/why.tsx";
import type { WhyAnswer } from "../api/why.ts";
import { createLinks } from "../presentation/links.ts";
import { visibleLine } from "../presentation/text.ts";
import type { BundledLog } from "../services/exports/bundle-logs.ts";
import type { Assets } from "./assets.ts";

export interface Bundle {
  head: BundleHead;
  /** Explains the requested thing if it is not an invocation. */
  why: WhyAnswer | null;
  parts: readonly BundlePart[];
  logs: readonly BundledLog[];
}

/** Maximum bytes of all parts; further parts are left out. Browsers and mail servers handle this size well. */
const MOST_BYTES = 8_000_000;

/** The pages have a header and a menu beside their content. */
const OWN_STYLES = `
body { display: block; max-width: 90rem; margin: 0 auto; padding: 1.5rem; }
.bundle-part { display: flex; flex-direction: column; gap: 1rem; border-top: 3px solid var(--line); padding-top: 1rem; }
.main { padding: 0; }
.trail { display: none; }
a:not([href]) { color: inherit; text-decoration: none; }
.card-header .actions a:not([href]) { display: none; }
.bundle-log { overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

export function bundleFile({ head, why, parts, logs }: Bundle, assets: Assets): string {
  const links = createLinks(null);
  const within = new Map(parts.map(({ detail: { invocation_id: id } }) => [links.invocation(id), `#${id}`]));
  const view: Omit<View<unknown>, "model"> = { path: "", query: {}, now: head.made_at, readOnly: true };
  const drawn = (body: () => VNode) => inert(within, () => renderForFile(links, body()));
  const left_out = [...head.left_out];
  const pieces: string[] = [];
  let bytes = 0;
  for (const part of parts) {
    const piece = drawn(() => <BundlePartContent part={part} view={view} />);
    bytes += Buffer.byteLength(piece);
    if (bytes > MOST_BYTES && pieces.length > 0) break;
    pieces.push(piece);
  }
  if (pieces.length < parts.length) {
    left_out.push(
      `The file would be too large: ${parts.length - pieces.length} invocations are listed without their details.`,
    );
  }
  const top = drawn(() => <BundleHeader head={{ ...head, left_out }} />);
  const verdict = why === null ? "" : drawn(() => <WhyContent model={why} {...view} />);
  const lines = logs.map((log) => drawn(() => <BundleLog log={log} />));
  const styles = `${Buffer.from(assets.get("app.css")?.body ?? []).toString("utf8")}${OWN_STYLES}`;
  const title = renderForFile(links, <title>{`${visibleLine(head.about)} · ${visibleLine(head.app_id)}`}</title>);
  return [
    `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${policy(styles)}">`,
    `${title}\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">`,
    `<style>${styles}</style>\n</head>\n<body>\n<main class="main">`,
    top,
    verdict,
    ...pieces,
    ...lines,
    "</main>\n</body>\n</html>\n",
  ].join("\n");
}

/** Allows these styles and nothing else. */
function policy(styles: string): string {
  const hash = createHash("sha256").update(styles).digest("base64");
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
}

const Nothing: FunctionComponent = () => null;

const ACTIVE: readonly unknown[] = ["button", "form", "input", "select", "textarea", "script", "link", "iframe"];

/**
 * Renders without anything that needs the monitor: no buttons or forms, and links become text unless they lead to a part of the file.
 *
 * @param within anchors in the file by the address of the page.
 */
function inert(within: ReadonlyMap<string, string>, render: () => string): string {
  const before = options.vnode;
  options.vnode = (vnode) => {
    disarm(vnode as VNode<Record<string, unknown>>, within);
    before?.(vnode);
  };
  try {
    return render();
  } finally {
    if (before === undefined) delete options.vnode;
    else options.vnode = before;
  }
}

function disarm(vnode: VNode<Record<string, unknown>>, within: ReadonlyMap<string, string>): void {
  const { type, props } = vnode;
  if (typeof type !== "string") return;
  const isButton = type === "a" && String(props.class ?? "").includes("button");
  if (ACTIVE.includes(type) || isButton) {
    vnode.type = Nothing;
    return;
  }
  for (const name of Object.keys(props)) {
    // The anchors of cards are the same in every part.
    const repeated = name === "id" && String(props[name]).startsWith("card-");
    if (repeated || /^(hx-|data-|on)/.test(name)) delete props[name];
  }
  if (type !== "a") return;
  const place = within.get(String(props.href));
  if (place === undefined) delete props.href;
  else props.href = place;
}
