/** Logs in the encodings that shells write, in pieces that end anywhere. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { LogDecoder } from "../../src/log-lines/decoder.ts";
import { cases } from "../support/cases.ts";

type Encoding = "UTF-8" | "UTF-8 with a mark" | "UTF-16LE" | "UTF-16BE";
const ENCODINGS: readonly Encoding[] = ["UTF-8", "UTF-8 with a mark", "UTF-16LE", "UTF-16BE"];

function encoded(text: string, encoding: Encoding): Buffer {
  if (encoding === "UTF-8") return Buffer.from(text);
  const marked = `\ufeff${text}`;
  if (encoding === "UTF-8 with a mark") return Buffer.from(marked);
  const bytes = Buffer.from(marked, "utf16le");
  return encoding === "UTF-16LE" ? bytes : bytes.swap16();
}

/** Every piece comes in the same buffer, as from a file that is followed. */
function decoded(bytes: Buffer, sizes: readonly number[]): string {
  const decoder = new LogDecoder();
  const buffer = Buffer.alloc(bytes.length);
  let text = "";
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    const read = bytes.copy(buffer, 0, at, at + size);
    text += decoder.write(buffer.subarray(0, read));
    at += read;
  }
  return text + decoder.end();
}

it.each(ENCODINGS)("text in %s is decoded alike in pieces of any length", (encoding) => {
  const text = fc.string({ unit: "binary", maxLength: 30 }).filter((one) => !one.startsWith("\ufeff"));
  fc.assert(
    fc.property(text, fc.array(fc.integer({ min: 0, max: 5 })), (log, sizes) => {
      expect(decoded(encoded(log, encoding), sizes)).toBe(log);
    }),
    { numRuns: cases(200) },
  );
});

it.each(ENCODINGS)("a file in %s without text is empty", (encoding) => {
  expect(decoded(encoded("", encoding), [1])).toBe("");
});

it("a byte-order mark only counts at the beginning of a log", () => {
  expect(decoded(encoded("a\ufeffb", "UTF-16LE"), [])).toBe("a\ufeffb");
  expect(decoded(Buffer.from("a\ufeffb"), [2, 1])).toBe("a\ufeffb");
});

it.each([
  ["half a character at the end", [0xff, 0xfe, 0x61, 0x00, 0x62], "a\ufffd"],
  ["half of a pair at the end", [0xfe, 0xff, 0x00, 0x61, 0xd8, 0x3d], "a\ufffd"],
  ["half a byte-order mark", [0xef, 0xbb], "\ufffd"],
  ["bytes that are not UTF-8", [0x61, 0xff, 0x62], "a\ufffdb"],
])("%s is decoded as a replacement character, and the text before it stays", (_, bytes, text) => {
  expect(decoded(Buffer.from(bytes), [1, 1])).toBe(text);
});
