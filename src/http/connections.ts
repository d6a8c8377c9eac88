/**
 * Handles connections outside of routes: time limits for requests, the number of connections, and answers to input that
 * is not HTTP. These are written directly to the socket, because no request object exists.
 */
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Failure } from "../api/problem.ts";
import { failure } from "./failures.ts";
import { newNonce, securityHeaders } from "./headers.ts";
import { jsonAnswer } from "./respond.tsx";

export interface ConnectionLimits {
  /** Maximum milliseconds for the headers of a request to arrive. */
  headersMs: number;
  /** Maximum milliseconds for a complete request, even if its body is not read. Node checks every 30 s. */
  requestMs: number;
  /** Further connections are closed at once. */
  connections: number;
}

/** Bodies that are read have a shorter limit of their own (body.ts), so that the error comes in the format that the client accepts. */
const LIMITS: ConnectionLimits = { headersMs: 10_000, requestMs: 40_000, connections: 500 };

/** The current or latest answer on each connection. */
const answers = new WeakMap<Duplex, ServerResponse>();

export function guardConnections(server: Server, limits: ConnectionLimits = LIMITS): void {
  server.headersTimeout = limits.headersMs;
  server.requestTimeout = limits.requestMs;
  server.maxConnections = limits.connections;
  // Node would answer with a bare 400; the guards say what is missing.
  Object.assign(server, { requireHostHeader: false });
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    answers.set(request.socket, response);
  });
  server.on("checkExpectation", (_: IncomingMessage, response: ServerResponse) => {
    const { body, headers } = refusal(failure(417, "Only Expect: 100-continue is supported."));
    response.writeHead(417, headers).end(body);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === "ECONNRESET" || !socket.writable || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    // Destroy instead of end: the other side may never close its half.
    socket.end(rawAnswer(failureOfCode(error.code)), () => socket.destroy());
  });
}

/** An error written in the middle of another answer would be read as part of it. */
function isAnswering(socket: Duplex): boolean {
  const answer = answers.get(socket);
  return answer?.headersSent === true && !answer.writableFinished;
}

function failureOfCode(code: string | undefined): Failure {
  if (code === "HPE_HEADER_OVERFLOW") return failure(431, "The headers of a request may have at most 16 KB in all.");
  if (code === "HPE_CHUNK_EXTENSIONS_OVERFLOW") return failure(413, "The chunk extensions of the body are too long.");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return failure(408, "The request took too long to arrive.");
  return failure(400, "This is not a valid HTTP request.");
}

function refusal(failure: Failure): { body: string; headers: Record<string, string> } {
  const { body, headers } = jsonAnswer(failure, failure.status);
  const length = String(Buffer.byteLength(body));
  return {
    body,
    headers: { ...headers, ...securityHeaders(newNonce()), "content-length": length, connection: "close" },
  };
}

function rawAnswer(failure: Failure): string {
  const { body, headers } = refusal(failure);
  const lines = Object.entries({ date: new Date().toUTCString(), ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return [`HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}`, ...lines, "", body].join("\r\n");
}
