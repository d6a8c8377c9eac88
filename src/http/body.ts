import { InvalidInputError, TooLargeError } from "../errors.ts";
import type { RawInput } from "../services/input.ts";
import { MAX_BODY_BYTES } from "./guards.ts";

/**
 * The fields of a request body: a form, or a JSON object of texts, numbers, booleans and lists of them. An empty body has none.
 *
 * @throws InvalidInputError for anything else; TooLargeError.
 */
export async function readBody(request: Request): Promise<RawInput> {
  const text = await readText(request, MAX_BODY_BYTES);
  if (text === "") return {};
  const type = (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (type === "application/json") return jsonFields(text);
  if (type !== "application/x-www-form-urlencoded") {
    throw new InvalidInputError([
      {
        parameter: "content-type",
        value: type ?? "",
        accepted: "a body is read as application/x-www-form-urlencoded or application/json",
      },
    ]);
  }
  const form = new URLSearchParams(text);
  return Object.fromEntries([...new Set(form.keys())].map((name) => [name, form.getAll(name)]));
}

function jsonFields(text: string): RawInput {
  const refused = (accepted: string) => new InvalidInputError([{ parameter: "body", value: text, accepted }]);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refused("it must be a JSON object");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw refused("it must be a JSON object");
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, given]) => {
      const values: unknown[] = Array.isArray(given) ? given : given === null ? [] : [given];
      if (values.some((one) => !["string", "number", "boolean"].includes(typeof one))) {
        throw refused("its members must be texts, numbers, booleans or lists of them");
      }
      return values.length === 0 ? [] : [[name, values.map(String)]];
    }),
  );
}

/** Reads piece by piece, because a body of unknown length may have no end. */
async function readText(request: Request, limit: number): Promise<string> {
  if (request.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += piece.byteLength;
    if (bytes > limit) throw new TooLargeError(limit);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}
