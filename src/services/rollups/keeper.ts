/** Saves the fold of a follower in a file, so that the next start only reads newer entries. */
import type { CacheFile } from "./cache-file.ts";
import type { Follower } from "./follower.ts";

/** Milliseconds between two saves. */
const SAVE_EVERY = 300_000;

export class Keeper {
  readonly #follower: Follower;
  readonly #file: Pick<CacheFile, "read" | "write">;
  /** `foldedRange` of the file; null if not known. */
  #savedRange: string | null = null;
  /** Milliseconds of `performance.now()`; null before the first save. */
  #savedAt: number | null = null;
  #stepping = false;

  constructor(follower: Follower, file: Pick<CacheFile, "read" | "write">) {
    this.#follower = follower;
    this.#file = file;
  }

  /**
   * Continues from the file if it belongs to the stored history. If the store cannot be read, nothing is known about the file: call this again.
   *
   * @throws StoreUnreachableError
   */
  async resume(): Promise<void> {
    const saved = this.#file.read();
    if (saved !== null && (await this.#follower.resume(saved))) this.#savedRange = this.#follower.foldedRange;
  }

  /** A step of the follower. Saves the fold once the past has been read, and regularly after that. */
  async step(): Promise<boolean> {
    this.#stepping = true;
    let more: boolean;
    try {
      more = await this.#follower.step();
    } finally {
      this.#stepping = false;
    }
    const due = this.#savedAt === null ? !more : performance.now() - this.#savedAt >= SAVE_EVERY;
    if (due) this.save();
    return more;
  }

  /** Does nothing during a step, when entries may be partly counted. */
  save(): void {
    const { foldedRange } = this.#follower;
    if (this.#stepping || foldedRange === this.#savedRange) return;
    const saved = this.#follower.saved();
    if (saved === null) return;
    this.#savedAt = performance.now();
    if (this.#file.write(saved)) this.#savedRange = foldedRange;
  }
}
