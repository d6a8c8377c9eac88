/** `/health`: whether the monitor answers and could read its store. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Health } from "../api/health.ts";
import { withoutBasePath } from "./base-path.ts";
import type { ServerContext } from "./context.ts";
import { refusalOf } from "./guards.ts";
import { newNonce, securityHeaders } from "./headers.ts";
import { jsonAnswer } from "./respond.tsx";

const PATH = "/health";

/** Frequent checks must not load the store, so they get the result of the last look at it. */
export async function health({ workspace, version }: Pick<ServerContext, "workspace" | "version">): Promise<Health> {
  return { status: "ok", ...(await workspace.lastCheck()), version };
}

/**
 * Answers GET and HEAD of `/health` and leaves everything else, including what the guards refuse, to `others`. The routes give the same answer at several
 * times the cost: with hundreds of clients, checks would queue up.
 */
export function healthFirst(server: ServerContext, others: RequestListener): RequestListener {
  return (request, response) => {
    if (!asksForHealth(request, server)) return others(request, response);
    health(server).then(
      (value) => write(value, request, response, server),
      () => others(request, response),
    );
  };
}

function asksForHealth({ method = "", url = "", headersDistinct }: IncomingMessage, server: ServerContext): boolean {
  const [pathname = ""] = url.split("?", 1);
  if ((method !== "GET" && method !== "HEAD") || withoutBasePath(pathname, server.basePath) !== PATH) return false;
  const headers = { get: (name: string) => headersDistinct[name]?.join(", ") ?? null };
  if (refusalOf({ method, pathname: PATH, headers }, server) !== null) return false;
  // Requests with a token are left to the routes, so that a wrong one does not count twice.
  return server.access === null || server.access.publicMetrics || server.access.hasSession(headers);
}

function write(value: Health, { method }: IncomingMessage, response: ServerResponse, server: ServerContext): void {
  const { body, headers } = jsonAnswer(value, 200);
  const length = Buffer.byteLength(body);
  response.writeHead(200, { ...headers, ...securityHeaders(newNonce()), "content-length": length });
  // Node omits the body of a HEAD answer.
  response.end(body);
  server.log.debug(`${method} ${PATH} 200`);
}
