import { AbandonedError, InvalidInputError, TooLargeError, UnreadBodyError } from "../errors.ts";
import { LogDecoder } from "../log-lines/decoder.ts";
import type { RawInput } from "../services/input/input.ts";
import { MAX_BODY_BYTES } from "./guards.ts";

export interface BodyLimits {
  /** Maximum milliseconds for a body to arrive. */
  deadlineMs: number;
  /** Maximum number of bodies being received at the same time. */
  atOnce: number;
}

/** The longest body, 10 MB, arrives in 30 s at 3 Mbit/s. */
const LIMITS: BodyLimits = { deadlineMs: 30_000, atOnce: 16 };

/** Reads request bodies, with limits on time, size and how many are read at once. */
export class Bodies {
  readonly #limits: BodyLimits;
  #reading = 0;

  constructor(limits: BodyLimits = LIMITS) {
    this.#limits = limits;
  }

  /**
   * The fields of a request body: a form (files as text), or a JSON object of strings, numbers, booleans and lists of them. An empty
   * body has none.
   *
   * @throws InvalidInputError for anything else; TooLargeError; UnreadBodyError; AbandonedError.
   */
  async read(request: Request, limit: number = MAX_BODY_BYTES): Promise<RawInput> {
    const bytes = await this.#bytesOf(request, limit);
    return fieldsOf(bytes, request.headers.get("content-type") ?? "");
  }

  async #bytesOf(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
    if (request.body === null) return new Uint8Array();
    const { deadlineMs, atOnce } = this.#limits;
    if (this.#reading >= atOnce) {
      throw new UnreadBodyError(
        `${atOnce} requests with a body are being received already; try again in a moment.`,
        429,
      );
    }
    this.#reading++;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const slow = new UnreadBodyError(
        `The body of the request took longer than ${deadlineMs / 1000} s to arrive.`,
        408,
      );
      timer = setTimeout(() => reject(slow), deadlineMs);
    });
    try {
      return await readBytes(request.body.getReader(), limit, late);
    } finally {
      clearTimeout(timer);
      this.#reading--;
    }
  }
}

async function fieldsOf(bytes: Uint8Array<ArrayBuffer>, given: string): Promise<RawInput> {
  if (bytes.byteLength === 0) return {};
  const type = given.split(";")[0]?.trim().toLowerCase();
  if (type === "multipart/form-data") return partsOf(bytes, given);
  const text = new TextDecoder().decode(bytes);
  if (type === "application/json") return jsonFields(text);
  if (type !== "application/x-www-form-urlencoded") {
    throw new InvalidInputError([
      {
        parameter: "content-type",
        value: type ?? "",
        accepted: "a body is read as application/x-www-form-urlencoded, multipart/form-data or application/json",
      },
    ]);
  }
  const form = new URLSearchParams(text);
  return Object.fromEntries([...new Set(form.keys())].map((name) => [name, form.getAll(name)]));
}

function jsonFields(text: string): RawInput {
  const refused = (accepted: string) =>
    new InvalidInputError([{ parameter: "body", value: text.slice(0, SHOWN), accepted }]);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refused("it must be a JSON object");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw refused("it must be a JSON object");
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, given]) => {
      const values: unknown[] = [given ?? []].flat();
      if (values.some((one) => !["string", "number", "boolean"].includes(typeof one))) {
        throw refused("its members must be strings, numbers, booleans or lists of them");
      }
      return values.length === 0 ? [] : [[name, values.map(String)]];
    }),
  );
}

/** How much of an unreadable body the error repeats. */
const SHOWN = 200;

/** The parts of a form with files. The caller has checked its size. */
async function partsOf(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<RawInput> {
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData().catch(() => {
    throw new InvalidInputError([{ parameter: "body", value: "", accepted: "it must be a valid multipart form" }]);
  });
  const fields = [...new Set(form.keys())].map(async (name) => {
    const values = form.getAll(name).map((value) => (typeof value === "string" ? value : textOf(value)));
    return [name, await Promise.all(values)] as const;
  });
  return Object.fromEntries(await Promise.all(fields));
}

/** A file is a log, in the encoding of the program that wrote it. */
async function textOf(file: File): Promise<string> {
  const decoder = new LogDecoder();
  return decoder.write(new Uint8Array(await file.arrayBuffer())) + decoder.end();
}

/**
 * Reads chunk by chunk, because a body of unknown length may never end. A body that is too long or too slow is left unread, not cancelled: cancelling
 * closes the socket before the answer is sent, and the server dies of an uncaught error. The answer closes the connection instead.
 */
async function readBytes(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limit: number,
  late: Promise<never>,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const read = () => Promise.race([reader.read().catch(brokeOff), late]);
  for (let next = await read(); !next.done; next = await read()) {
    bytes += next.value.byteLength;
    if (bytes > limit) throw new TooLargeError(limit);
    pieces.push(next.value);
  }
  return new Uint8Array(Buffer.concat(pieces));
}

/** Reading fails when the client is gone. */
function brokeOff(): never {
  throw new AbandonedError();
}
