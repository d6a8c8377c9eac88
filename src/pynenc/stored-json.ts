/**
 * JSON documents that hold stored JSON as it was written: `1.0` stays `1.0` and an integer of any length keeps its digits, which a
 * JavaScript number would not.
 */
import { randomUUID } from "node:crypto";

/** Texts of the document that is being written; null outside `writeJson`. */
let writing: { mark: string; texts: string[] } | null = null;

/** A stored text that is JSON. */
export class StoredJson {
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /** Null for a text that strict JSON does not allow: pickles, references, `NaN`. */
  static of(text: string): StoredJson | null {
    try {
      JSON.parse(text);
      return new StoredJson(text);
    } catch {
      return null;
    }
  }

  /** For `JSON.stringify`: inside `writeJson` a mark that is replaced by the text, elsewhere the value. */
  toJSON(): unknown {
    if (writing === null) return JSON.parse(this.text);
    return `${writing.mark}${writing.texts.push(this.text) - 1}`;
  }
}

/** `JSON.stringify` that writes each `StoredJson` in the value as it is stored. */
export function writeJson(value: unknown, indent = 0): string {
  // Stored text cannot contain a mark that did not exist when it was stored.
  const { mark, texts } = { mark: randomUUID(), texts: [] as string[] };
  writing = { mark, texts };
  try {
    const json = JSON.stringify(value, null, indent);
    return texts.length === 0
      ? json
      : json.replace(new RegExp(`"${mark}(\\d+)"`, "g"), (_, index) => texts[Number(index)] ?? "null");
  } finally {
    writing = null;
  }
}
