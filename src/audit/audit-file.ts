/**
 * The record of actions: one JSON document per line, in a file in the user's home, never next to a store. Several programs can append at the same
 * time. A full file is renamed to `audit.1.jsonl` and replaces the previous one.
 */
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { AuditEntry } from "../api/actions.ts";
import { assertRegularFile, NON_BLOCKING, replaceablePath } from "../regular-file.ts";

/** About two thousand lines. */
const MAX_BYTES = 1_048_576;

/** An older lock was left behind by a process that ended while renaming. */
const STALE_LOCK_MS = 60_000;

export class AuditFile {
  readonly path: string;
  /** All files of the record. */
  readonly files: readonly string[];
  readonly #folder: string;
  readonly #older: string;
  readonly #lock: string;
  readonly #maxBytes: number;

  /** @param folder created when the first line is written. */
  constructor(folder: string, maxBytes = MAX_BYTES) {
    this.#folder = folder;
    this.path = join(folder, "audit.jsonl");
    this.#older = join(folder, "audit.1.jsonl");
    this.files = [this.path, this.#older];
    this.#lock = join(folder, "audit.lock");
    this.#maxBytes = maxBytes;
  }

  /** @throws UnusableFileError if something else has the name of the file; errors of node:fs: the folder cannot be created or written to, the disk is full. */
  append(entry: AuditEntry): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    // Lines of several programs do not mix: each is written at once, and the system appends it.
    const { O_RDWR, O_APPEND, O_CREAT } = constants;
    const file = openSync(this.path, O_RDWR | O_APPEND | O_CREAT | NON_BLOCKING, 0o600);
    let bytes: number;
    try {
      const found = fstatSync(file);
      assertRegularFile(found);
      const { size } = found;
      // If the last line was cut short by a full disk, start a new one.
      const text = `${endsWithLine(file, size) ? "" : "\n"}${JSON.stringify(entry)}\n`;
      const line = Buffer.from(text);
      const written = writeSync(file, line);
      if (written < line.length) throw new Error("the disk is full");
      bytes = size + written;
    } finally {
      closeSync(file);
    }
    if (bytes > this.#maxBytes) this.#rotate();
  }

  /** Newest first; empty without a file. Invalid lines are skipped. @throws UnusableFileError; errors of node:fs. */
  async entries(): Promise<AuditEntry[]> {
    const texts = [await tail(this.#older, this.#maxBytes * 2), await tail(this.path, this.#maxBytes * 2)];
    return texts.flatMap((text) => text.split("\n").flatMap((line) => entryIn(line) ?? [])).reverse();
  }

  /** Only one process rotates, and only if the file is still too long. */
  #rotate(): void {
    try {
      closeSync(openSync(this.#lock, "wx", 0o600));
    } catch {
      this.#removeStaleLock();
      return;
    }
    try {
      if (statSync(this.path).size > this.#maxBytes) renameSync(this.path, replaceablePath(this.#older));
    } catch {
      // Windows cannot rename a file that is open elsewhere: the next append tries again.
    } finally {
      rmSync(this.#lock, { force: true });
    }
  }

  #removeStaleLock(): void {
    const made = statSync(this.#lock, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (Date.now() - made > STALE_LOCK_MS) rmSync(this.#lock, { force: true });
  }
}

function endsWithLine(file: number, size: number): boolean {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last.toString() === "\n";
}

/** The end of a file, starting at the beginning of a line; empty without a file. */
async function tail(path: string, limit: number): Promise<string> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | NON_BLOCKING);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
  try {
    const found = await file.stat();
    assertRegularFile(found);
    const { size } = found;
    const length = Math.min(size, limit);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const text = buffer.toString("utf8", 0, bytesRead);
    return length < size ? text.slice(text.indexOf("\n") + 1) : text;
  } finally {
    await file.close();
  }
}

const OUTCOMES: readonly unknown[] = ["done", "refused", "failed"] satisfies AuditEntry["outcome"][];
const TEXTS = ["id", "at", "app_id", "location", "action", "who", "message"] as const;

/** The file can contain anything, because other programs can write to it. */
function entryIn(line: string): AuditEntry | null {
  if (line.trim() === "") return null;
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof read !== "object" || read === null) return null;
  const entry = read as Record<string, unknown>;
  if (TEXTS.some((name) => typeof entry[name] !== "string") || !OUTCOMES.includes(entry.outcome)) return null;
  if (entry.via !== "cli" && entry.via !== "server") return null;
  if (typeof entry.counters !== "object" || entry.counters === null || Array.isArray(entry.counters)) return null;
  return entry as unknown as AuditEntry;
}
