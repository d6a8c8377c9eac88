/**
 * What happens to connections before and beside the routes: how long a request may take to arrive, how many there may be, and the answers to what
 * is no HTTP. Those are written to the socket by hand, because no request object exists.
 */
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Failure } from "../api/problem.ts";
import { failure } from "./failures.ts";
import { newNonce, securityHeaders } from "./headers.ts";
import { jsonAnswer } from "./respond.tsx";

export interface ConnectionLimits {
  /** Milliseconds until the headers of a request have to be there. */
  headersMs: number;
  /** Milliseconds until all of it has to be there, also a body that nobody reads. Node looks for late ones every 30 s. */
  requestMs: number;
  /** Further connections are closed at once. */
  connections: number;
}

/** A body that is read has its own, shorter time (body.ts), so that a late one is answered in the form that the client reads. */
const LIMITS: ConnectionLimits = { headersMs: 10_000, requestMs: 40_000, connections: 500 };

/** The answer that is being written to a connection, or was the last. */
const answers = new WeakMap<Duplex, ServerResponse>();

export function guardConnections(server: Server, limits: ConnectionLimits = LIMITS): void {
  server.headersTimeout = limits.headersMs;
  server.requestTimeout = limits.requestMs;
  server.maxConnections = limits.connections;
  // Node would answer with nothing but 400; the guards say what is missing.
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
    // Destroyed, not only ended: the other side may never end its half.
    socket.end(rawAnswer(failureOfCode(error.code)), () => socket.destroy());
  });
}

/** A second answer in the middle of one would be read as a part of it. */
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
