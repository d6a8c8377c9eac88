/**
 * The record of actions: one JSON document per line, in a file of the user and never next to a store. Any number of programs may append at the
 * same time. When the file is full it is renamed to `audit.1.jsonl`, replacing the previous one.
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

/** About two thousand lines. */
const MOST_BYTES = 1_048_576;

/** A lock older than this was left by a process that ended while renaming. */
const STALE_LOCK_MS = 60_000;

export class AuditFile {
  readonly path: string;
  readonly #folder: string;
  readonly #older: string;
  readonly #lock: string;
  readonly #mostBytes: number;

  /** @param folder is made when the first line is written. */
  constructor(folder: string, mostBytes = MOST_BYTES) {
    this.#folder = folder;
    this.path = join(folder, "audit.jsonl");
    this.#older = join(folder, "audit.1.jsonl");
    this.#lock = join(folder, "audit.lock");
    this.#mostBytes = mostBytes;
  }

  /** @throws what node:fs throws: the folder cannot be made or written to, the disk is full. */
  append(entry: AuditEntry): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    // Lines of several programs do not mix: each is one write, and the system puts it at the end. A pipe of that name would be waited for.
    const { O_RDWR, O_APPEND, O_CREAT, O_NONBLOCK = 0 } = constants;
    const file = openSync(this.path, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);
    let bytes: number;
    try {
      const { size } = fstatSync(file);
      // A line that was cut short, by a disk that was full, ends here and takes no other with it.
      const text = `${endsWithLine(file, size) ? "" : "\n"}${JSON.stringify(entry)}\n`;
      const line = Buffer.from(text);
      const written = writeSync(file, line);
      if (written < line.length) throw new Error("the disk is full");
      bytes = size + written;
    } finally {
      closeSync(file);
    }
    if (bytes > this.#mostBytes) this.#rotate();
  }

  /** Newest first; none where there is no file. Lines that are no entries are left out. @throws what node:fs throws. */
  async entries(): Promise<AuditEntry[]> {
    const texts = [await tail(this.#older, this.#mostBytes * 2), await tail(this.path, this.#mostBytes * 2)];
    return texts.flatMap((text) => text.split("\n").flatMap((line) => entryIn(line) ?? [])).reverse();
  }

  /** Only one process rotates, and only while the file is still too long. */
  #rotate(): void {
    try {
      closeSync(openSync(this.#lock, "wx", 0o600));
    } catch {
      this.#removeStaleLock();
      return;
    }
    try {
      if (statSync(this.path).size > this.#mostBytes) renameSync(this.path, this.#older);
    } catch {
      // Windows cannot rename a file that is open elsewhere: the next line tries again.
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

/** The end of a file, from the beginning of a line; empty where there is none. */
async function tail(path: string, most: number): Promise<string> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
  try {
    const { size } = await file.stat();
    const length = Math.min(size, most);
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
