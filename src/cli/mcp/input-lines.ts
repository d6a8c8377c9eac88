/**
 * The lines of an assistant's messages, before the protocol reads them: a line that is not a message gets an error instead of silence, and one that is too
 * long is dropped.
 */
import { Transform, type TransformCallback } from "node:stream";
import { isSpecType, parseJSONRPCMessage } from "@modelcontextprotocol/server";
import { grouped } from "../../pynenc/numbers.ts";

/** Bytes of a message. A million characters of pasted lines fit, however they are escaped. */
const MAX_BYTES = 8 * 1_048_576;

/** Codes of JSON-RPC 2.0. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;

/** Requests whose parameters the protocol would otherwise report as a defect of this program. */
const REQUESTS: Readonly<Record<string, (message: unknown) => boolean>> = {
  initialize: isSpecType.InitializeRequest,
  "tools/list": isSpecType.ListToolsRequest,
  "tools/call": isSpecType.CallToolRequest,
  "resources/list": isSpecType.ListResourcesRequest,
  "resources/templates/list": isSpecType.ListResourceTemplatesRequest,
  "resources/read": isSpecType.ReadResourceRequest,
};

const LINE_FEED = 0x0a;

/** Passes whole lines on that are messages of the protocol. */
export class InputLines extends Transform {
  readonly #answer: (line: string) => void;
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** The line is too long: the rest of it is dropped. */
  #dropping = false;

  /** @param answer receives an error as a line of the protocol. */
  constructor(answer: (line: string) => void, maxBytes = MAX_BYTES) {
    super();
    this.#answer = answer;
    this.#maxBytes = maxBytes;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    done();
  }

  #keep(piece: Buffer): void {
    if (this.#dropping || piece.length === 0) return;
    this.#bytes += piece.length;
    if (this.#bytes <= this.#maxBytes) {
      this.#pieces.push(piece);
      return;
    }
    this.#clear();
    this.#dropping = true;
    this.#refuse(INVALID_REQUEST, `A message may have at most ${grouped(this.#maxBytes)} bytes.`);
  }

  #endLine(): void {
    const line = Buffer.concat(this.#pieces).toString("utf8");
    this.#clear();
    // Of one that was too long nothing is left.
    this.#dropping = false;
    if (line.trim() === "") return;
    if (this.#isMessage(line)) this.push(`${line}\n`);
  }

  #isMessage(line: string): boolean {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#refuse(PARSE_ERROR, "This line is not JSON.");
      return false;
    }
    const id = idOf(message);
    try {
      parseJSONRPCMessage(message);
    } catch {
      // Lists of parameters are allowed by JSON-RPC, but not by this protocol.
      if (id !== null && parsesWithoutParams(message)) this.#refuseParams(id);
      else this.#refuse(INVALID_REQUEST, "This line is not a message of JSON-RPC 2.0.", id);
      return false;
    }
    const { method = "" } = message as { method?: string };
    const fits = id === null || !Object.hasOwn(REQUESTS, method) || REQUESTS[method]?.(message) === true;
    if (!fits) this.#refuseParams(id);
    return fits;
  }

  #clear(): void {
    this.#pieces = [];
    this.#bytes = 0;
  }

  #refuseParams(id: string | number): void {
    this.#refuse(INVALID_PARAMS, "The parameters of this request are not those of its method.", id);
  }

  #refuse(code: number, message: string, id: string | number | null = null): void {
    this.#answer(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`);
  }
}

/** Whether only the parameters keep it from being a request. */
function parsesWithoutParams(message: unknown): boolean {
  const { params, ...rest } = message as { params?: unknown };
  if (typeof params !== "object" || params === null) return false;
  try {
    parseJSONRPCMessage(rest);
    return true;
  } catch {
    return false;
  }
}

/** Id of a request; null if it is not known. The id of an answer is left out: it was chosen here, and means another request to the client. */
function idOf(message: unknown): string | number | null {
  if (typeof message !== "object" || message === null || !("id" in message && "method" in message)) return null;
  const { id } = message;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
