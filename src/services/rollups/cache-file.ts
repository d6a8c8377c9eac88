/**
 * Caches folded history for the next start, in a file in the user's cache folder, never next to a store. Failures here are harmless, because the
 * history can be read again.
 */
import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { readRegularFile, replaceablePath } from "../../regular-file.ts";
import { historyFile, type StoreAddress } from "../../stores/connect.ts";
import type { SavedFold } from "./follower.ts";

/** Increased whenever the saved data or the counting rules change. Files with another format are ignored. */
const FORMAT = 13;

const FIRST_LINE = `pynenc-monitor figures over time, format ${FORMAT}\n`;

/** Maximum file size. A history of 1 million invocations takes about a tenth of it. */
const MAX_BYTES = 128_000_000;
/** Limit for all files together. The least recently written ones are removed first. */
const MAX_BYTES_IN_FOLDER = 512_000_000;

/** Milliseconds after which an unfinished file is considered abandoned by its process. */
const STALE = 60_000;

const NAME = "figures-";
const SUFFIX = ".bin";

export interface CacheLimits {
  file: number;
  folder: number;
}

export class CacheFile {
  readonly path: string;
  readonly #folder: string;
  readonly #limits: CacheLimits;

  /**
   * @param folder is created by the first write.
   * @param key identifies the store and the app (`cacheKey`).
   */
  constructor(folder: string, key: string, limits: CacheLimits = { file: MAX_BYTES, folder: MAX_BYTES_IN_FOLDER }) {
    this.#folder = folder;
    this.#limits = limits;
    this.path = join(folder, `${NAME}${digest(key).toString("hex").slice(0, 32)}${SUFFIX}`);
  }

  /** Null if there is no file, or it is incomplete or was not written by `write`. */
  read(): SavedFold | null {
    try {
      const bytes = readRegularFile(this.path, this.#limits.file);
      const head = bytes.subarray(0, FIRST_LINE.length + DIGEST_BYTES);
      const body = bytes.subarray(head.length);
      return head.equals(headOf(body)) ? (deserialize(body) as SavedFold) : null;
    } catch {
      return null;
    }
  }

  /** Replaces the file atomically, unless another process is doing so or the size limit is exceeded. @returns whether it was replaced. */
  write(saved: SavedFold): boolean {
    const body = serialize(saved);
    if (FIRST_LINE.length + DIGEST_BYTES + body.length > this.#limits.file) return false;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      return this.#replace(headOf(body), body);
    } catch {
      return false;
    }
  }

  #replace(...parts: readonly Buffer[]): boolean {
    // The temporary file also is the lock: only one process can create it.
    const target = replaceablePath(this.path);
    const temporary = `${target}.new`;
    let file: number;
    try {
      file = openSync(temporary, "wx", 0o600);
    } catch (error) {
      removeStale(temporary);
      throw error;
    }
    try {
      try {
        for (const part of parts) writeFileSync(file, part);
      } finally {
        closeSync(file);
      }
      renameSync(temporary, target);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
    this.#removeOldest();
    return true;
  }

  #removeOldest(): void {
    const files = readdirSync(this.#folder)
      .filter((name) => name.startsWith(NAME) && name.endsWith(SUFFIX))
      .flatMap((name) => {
        const path = join(this.#folder, name);
        const stat = statSync(path, { throwIfNoEntry: false });
        return stat?.isFile() !== true ? [] : [{ path, bytes: stat.size, written: stat.mtimeMs }];
      })
      .sort((a, b) => b.written - a.written);
    let bytes = 0;
    for (const file of files) {
      bytes += file.bytes;
      if (bytes > this.#limits.folder && file.path !== this.path) rmSync(file.path, { force: true });
    }
  }
}

/** Identifies the history of an app by its location, without passwords. */
export function cacheKey(address: StoreAddress, app_id: string): string {
  const location = address.kind === "sqlite" ? historyFile(address) : address.endpoints.state_backend.location;
  return JSON.stringify([address.kind, location, app_id]);
}

const DIGEST_BYTES = 32;

function headOf(body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(FIRST_LINE), digest(body)]);
}

function digest(data: string | Buffer): Buffer {
  return createHash("sha256").update(data).digest();
}

function removeStale(path: string): void {
  const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
  if (Date.now() - written > STALE) rmSync(path, { force: true });
}
