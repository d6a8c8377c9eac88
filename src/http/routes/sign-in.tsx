import { renderBare } from "../../../templates/layout/render.tsx";
import { SignedInPage } from "../../../templates/pages/sign-in.tsx";
import { signInInput } from "../../inputs/sign-in.ts";
import { parseInput } from "../../services/input/input.ts";
import { CODE_SECONDS, type Entry } from "../access.ts";
import type { Route, RouteRequest } from "../context.ts";
import { failure } from "../failures.ts";
import { json, redirect } from "../respond.tsx";
import { ownPath, signInPage, whyNot } from "../sign-in.tsx";

const USED =
  "This address was already used or is older than 10 minutes. Restart the monitor for a new one, or enter the token.";

/** Maximum bytes of the form: a token and a path. */
const LONGEST_FORM = 16_384;

export const signInRoutes: Route[] = [
  {
    method: "GET",
    path: "/login",
    open: true,
    async handle(request) {
      const { server, query, method, headers, links } = request;
      const { code, next: asked } = parseInput(signInInput, query);
      const next = ownPath(asked, links);
      if (server.access === null) return redirect(next);
      // A HEAD request must not use up the code.
      if (code !== undefined && method === "GET") {
        const isRight = server.access.enterWithCode(code);
        return entered(request, isRight ? { entered: true } : { entered: false, wait: null }, next, USED);
      }
      if (!server.access.hasSession(headers)) return signInPage(request, { next, wrong: null, status: 200 });
      return signedInPage(request, null);
    },
  },
  {
    method: "POST",
    path: "/login",
    open: true,
    reads: true,
    bodyLimit: LONGEST_FORM,
    async handle(request) {
      const { token, next } = await request.body();
      const { access } = request.server;
      const path = ownPath(next?.at(-1), request.links);
      if (access === null) return redirect(path);
      return entered(request, access.enterWithToken(token?.at(-1) ?? "", request.peer), path, "The token is wrong.");
    },
  },
  {
    method: "POST",
    path: "/login/code",
    reads: true,
    async handle(request) {
      const { access } = request.server;
      const { links } = request;
      if (access === null) return redirect(links.dashboard());
      // The guards have checked that the origin is ours, scheme and port included.
      const origin = request.headers.get("origin") ?? `http://${request.headers.get("host")}`;
      const url = `${origin}${links.signIn({ code: access.newCode() })}`;
      if (request.wanted === "json") return json({ url, valid_seconds: CODE_SECONDS });
      return signedInPage(request, url);
    },
  },
];

function entered(request: RouteRequest, entry: Entry, next: string, wrong: string): Response {
  const { access } = request.server;
  if (entry.entered && access !== null) {
    const response = redirect(next);
    response.headers.set("set-cookie", access.newCookie(request.server.basePath));
    return response;
  }
  const wait = entry.entered ? null : entry.wait;
  const { status, words } = whyNot(wait, wrong);
  const headers: Record<string, string> = wait === null || wait === 0 ? {} : { "retry-after": String(wait) };
  if (request.wanted === "page") return signInPage(request, { next, wrong: words, status }, headers);
  const response = json(failure(status, words), status);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

function signedInPage({ links, nonce }: RouteRequest, url: string | null): Response {
  const html = renderBare(links, nonce, "Signed in", <SignedInPage url={url} minutes={CODE_SECONDS / 60} />);
  return new Response(html, { headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" } });
}
