/** Keeps what a follower has folded in a file, so that the next start reads only what was written since. */
import { StoreUnreachableError } from "../../errors.ts";
import type { CacheFile } from "./cache-file.ts";
import type { Follower } from "./follower.ts";

/** Milliseconds between two times that it is saved. */
const SAVE_EVERY = 300_000;

export class Keeper {
  readonly #follower: Follower;
  readonly #file: Pick<CacheFile, "read" | "write">;
  /** Of what is in the file; null while that is not known. */
  #savedRange: string | null = null;
  /** Milliseconds, by `performance.now()`; null before the first time. */
  #savedAt: number | null = null;
  #stepping = false;

  constructor(follower: Follower, file: Pick<CacheFile, "read" | "write">) {
    this.#follower = follower;
    this.#file = file;
  }

  /**
   * Goes on from the file, if it is of the history that is stored now.
   *
   * @throws StoreUnreachableError
   */
  async resume(): Promise<void> {
    const saved = this.#file.read();
    if (saved === null) return;
    try {
      if (await this.#follower.resume(saved)) this.#savedRange = this.#follower.foldedRange;
    } catch (error) {
      if (error instanceof StoreUnreachableError) throw error;
      // What is in the file is not what it should be.
    }
  }

  /** A step of the follower; once the past is read, and then from time to time, what it has folded is saved. */
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

  /** Not within a step: a part of what it reads may be counted already. */
  save(): void {
    const { foldedRange } = this.#follower;
    if (this.#stepping || foldedRange === this.#savedRange) return;
    const saved = this.#follower.saved();
    if (saved === null) return;
    this.#savedAt = performance.now();
    if (this.#file.write(saved)) this.#savedRange = foldedRange;
  }
}
