/** What visitors without the token see: a sign-in page, and nothing of the store. */
import { renderBare } from "../../templates/layout/render.tsx";
import { SignInPage } from "../../templates/pages/sign-in.tsx";
import type { Links } from "../presentation/links.ts";
import type { RouteRequest } from "./context.ts";
import { failure } from "./failures.ts";
import { json } from "./respond.tsx";

const TITLE = "Sign in";

const HINT =
  "Send the token as Authorization: Bearer, or open the monitor in a browser with the one-time address that it printed when it was started.";

/** Why a token or a code was rejected. @param wait seconds, as in `Entry` */
export function whyNot(wait: number | null, wrong: string): { status: 401 | 429; words: string } {
  return wait === null || wait === 0
    ? { status: 401, words: wrong }
    : { status: 429, words: `Too many wrong tries. Try again in ${wait} s.` };
}

/** The answer to a request that requires signing in. */
export function notSignedIn(request: RouteRequest, wait: number | null): Response {
  const { method, pathname, headers, wanted, links } = request;
  const { status, words } = whyNot(wait, wait === null ? "This monitor needs a token." : "The token is wrong.");
  const extra: Record<string, string> = {
    "www-authenticate": 'Bearer realm="pynenc-monitor"',
    ...(wait !== null && wait > 0 && { "retry-after": String(wait) }),
  };
  if (wanted !== "page" || !headers.get("accept")?.includes("text/html")) {
    const response = json(failure(status, words, { hint: HINT }), status);
    for (const [name, value] of Object.entries(extra)) response.headers.set(name, value);
    return response;
  }
  const reads = method === "GET" || method === "HEAD";
  // Browsers do not send the cookie when following a link from another site; this page, being ours, requests the address again.
  if (reads && headers.get("sec-fetch-site") === "cross-site") extra.refresh = "0";
  const next = reads ? `${links.basePath}${pathname}${request.search}` : links.dashboard();
  return signInPage(request, { next, wrong: null, status: 401 }, extra);
}

export function signInPage(
  { links, nonce }: RouteRequest,
  { next, wrong, status }: { next: string; wrong: string | null; status: number },
  headers: Record<string, string> = {},
): Response {
  const html = renderBare(links, nonce, TITLE, <SignInPage next={next} wrong={wrong} />);
  return new Response(html, {
    status,
    headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store", ...headers },
  });
}

/** An address of this monitor, whatever was requested: a sign-in never redirects to another site, nor to one below another path of a proxy. */
export function ownPath(next: string | undefined, links: Links): string {
  const base = "http://monitor.invalid";
  if (next === undefined || !next.startsWith("/")) return links.dashboard();
  try {
    const { origin, pathname, search } = new URL(next, base);
    const isOwn = origin === base && !pathname.startsWith("//") && `${pathname}/`.startsWith(links.start());
    return isOwn ? `${pathname}${search}` : links.dashboard();
  } catch {
    return links.dashboard();
  }
}
