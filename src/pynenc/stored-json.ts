/** Writes JSON documents with stored JSON embedded unchanged: `1.0` stays `1.0` and integers of any length keep their digits, unlike JavaScript numbers. */
import { randomUUID } from "node:crypto";

/** Texts of the document being written; null outside of `writeJson`. */
let writing: { mark: string; texts: string[] } | null = null;

/** A stored text that is valid JSON. */
export class StoredJson {
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /** Null for a text that is not strict JSON: pickles, references, `NaN`. */
  static of(text: string): StoredJson | null {
    try {
      JSON.parse(text);
      return new StoredJson(text);
    } catch {
      return null;
    }
  }

  /** For `JSON.stringify`: inside of `writeJson` a placeholder that is replaced by the text, elsewhere the parsed value. */
  toJSON(): unknown {
    if (writing === null) return JSON.parse(this.text);
    return `${writing.mark}${writing.texts.push(this.text) - 1}`;
  }
}

/** Like `JSON.stringify`, but writes each `StoredJson` in the value unchanged. */
export function writeJson(value: unknown, indent = 0): string {
  // Stored text cannot contain the placeholder, because it is newly generated.
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
