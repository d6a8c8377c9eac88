/**
 * Texts in the chunk form (storage-format.md 11.4): within the document that has them, or compressed and split over documents of another collection
 * because a document may have 16 MB at most.
 */
import { createInflate, type Inflate } from "node:zlib";
import { parsedJson } from "../../../pynenc/plain-json.ts";
import type { CutMark } from "../../../pynenc/records.ts";
import { cutToBytes } from "../../value-limit.ts";
import { bytesOf, membersOf, texts } from "./fields.ts";
import { boundedText } from "./queries.ts";
import type { CollectionReads } from "./reading.ts";

/** A text, cut to the bytes asked for. */
export type BoundedText = { text: string } & CutMark;

/** A few bytes may inflate to gigabytes. A text that is larger is reported with this size. */
const MOST_INFLATED = 100_000_000;

/** Chunks of one text: with the plugin's default each has 15 MB. */
const MOST_CHUNKS = 1_000;

/** Chunks read at once. */
const STEP = 2;

/**
 * The items of a document in the chunk form, each cut to `bytes`; null if there is no such form.
 *
 * @param baseKey key of its chunks without the name of the item (storage-format.md 11.4).
 */
export async function itemsOf(
  stored: unknown,
  chunks: CollectionReads,
  baseKey: string,
  bytes: number,
): Promise<Map<string, BoundedText> | null> {
  const { inline, chunked, all_chunked } = membersOf(stored);
  if (all_chunked === true) {
    const { text: json, whole_size } = await inflated(chunks, baseKey, MOST_INFLATED);
    const all = whole_size === undefined ? parsedJson(json) : null;
    return new Map(Object.entries(membersOf(all)).map(([name, value]) => [name, boundedText(value, bytes)]));
  }
  if (inline === undefined && chunked === undefined) return null;
  const items = new Map(Object.entries(membersOf(inline)).map(([name, value]) => [name, boundedText(value, bytes)]));
  for (const name of texts(chunked)) items.set(name, await inflated(chunks, `${baseKey}:${name}`, bytes));
  return items;
}

/** The text of these chunks, as far as they are complete and readable. */
async function inflated(chunks: CollectionReads, key: string, bytes: number): Promise<BoundedText> {
  const sink = new Inflating(bytes);
  for (let seq = 0; seq < MOST_CHUNKS && !sink.full; seq += STEP) {
    const some = await chunks.find({ chunk_key: key, seq: { $gte: seq } }, { sort: { seq: 1 }, limit: STEP });
    for (const [i, { seq: at, data }] of some.entries()) {
      const piece = bytesOf(data);
      if (at !== seq + i || piece === null || !(await sink.add(piece))) return sink.end();
    }
    if (some.length < STEP) break;
  }
  return sink.end();
}

/** Inflates one piece after the other, and keeps only the first bytes of what comes out. */
class Inflating {
  readonly #kept: Buffer[] = [];
  readonly #wanted: number;
  readonly #stream: Inflate;
  #size = 0;
  #failed = false;

  constructor(wanted: number) {
    this.#wanted = wanted;
    this.#stream = createInflate({ chunkSize: 65_536 });
    this.#stream.on("data", (part: Buffer) => {
      // One byte more shows that the text is longer.
      if (this.#size <= wanted) this.#kept.push(part.subarray(0, wanted + 1 - this.#size));
      this.#size += part.length;
      if (this.full) this.#stream.destroy();
    });
    this.#stream.on("error", () => {
      this.#failed = true;
    });
  }

  get full(): boolean {
    return this.#size > MOST_INFLATED;
  }

  /** False if nothing more can be read. */
  async add(piece: Uint8Array): Promise<boolean> {
    if (this.#failed || this.#stream.destroyed) return false;
    await new Promise<void>((done) => {
      this.#stream.once("close", done);
      this.#stream.write(piece, () => {
        this.#stream.off("close", done);
        // What came out of it is delivered in the same turn as this, or the next.
        setImmediate(done);
      });
    });
    return !this.#failed && !this.#stream.destroyed;
  }

  end(): BoundedText {
    this.#stream.destroy();
    const text = cutToBytes(Buffer.concat(this.#kept).toString("utf8"), this.#wanted);
    return this.#size > this.#wanted ? { text, whole_size: Math.min(this.#size, MOST_INFLATED) } : { text };
  }
}

/** The one item of a document that has a single value. */
export async function singleItemOf(
  stored: unknown,
  item: string,
  chunks: CollectionReads,
  baseKey: string,
  bytes: number,
): Promise<BoundedText | null> {
  return (await itemsOf(stored, chunks, baseKey, bytes))?.get(item) ?? null;
}
