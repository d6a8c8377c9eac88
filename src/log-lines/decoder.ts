/** Text from the bytes of a log, by its byte-order mark: UTF-8 without one. PowerShell 5.1 writes UTF-16 when output is redirected into a file. */

const MARKS = [
  { mark: [0xef, 0xbb, 0xbf], encoding: "utf-8" },
  { mark: [0xff, 0xfe], encoding: "utf-16le" },
  { mark: [0xfe, 0xff], encoding: "utf-16be" },
] as const;

/** Bytes may arrive in pieces of any length. What is not valid becomes U+FFFD. */
export class LogDecoder {
  /** Null until the encoding is known. */
  #decoder: TextDecoder | null = null;
  /** The first bytes, while they may be the beginning of a mark. */
  #head: Uint8Array = new Uint8Array();

  /** The characters that these bytes complete; the mark is left out. */
  write(bytes: Uint8Array): string {
    if (this.#decoder !== null) return this.#decoder.decode(bytes, { stream: true });
    // A copy: the caller may use its buffer again.
    this.#head = Buffer.concat([this.#head, bytes]);
    return MARKS.some(({ mark }) => this.#head.length < mark.length && this.#starts(mark)) ? "" : this.#begin();
  }

  /** The rest, when no more bytes follow. */
  end(): string {
    return (this.#decoder === null ? this.#begin() : "") + (this.#decoder?.decode() ?? "");
  }

  #begin(): string {
    const found = MARKS.find(({ mark }) => this.#head.length >= mark.length && this.#starts(mark));
    this.#decoder = new TextDecoder(found?.encoding, { ignoreBOM: true });
    return this.#decoder.decode(this.#head.subarray(found?.mark.length ?? 0), { stream: true });
  }

  /** Whether the first bytes are those of the mark, as far as they are there. */
  #starts(mark: readonly number[]): boolean {
    return mark.slice(0, this.#head.length).every((byte, n) => this.#head[n] === byte);
  }
}
