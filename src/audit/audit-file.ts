/**
 * The record of actions: one JSON document per line, in files in the user's home, never next to a store. Several programs can append at the same
 * time. Each outcome has a file of its own, so that however many requests are refused, they push out neither what was done nor what failed. A full
 * `audit.jsonl` is renamed to `audit.1.jsonl` and replaces the previous one; so are the others.
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
import type { AuditEntry } from "../api/audit.ts";
import { assertRegularFile, NON_BLOCKING, replaceablePath } from "../regular-file.ts";

/** Maximum size of a file in bytes: about two thousand lines. */
const MAX_BYTES = 1_048_576;

/** An older lock was left behind by a process that ended while renaming. */
const STALE_LOCK_MS = 60_000;

/** Names of the files without their endings. Earlier versions wrote every outcome into the first. */
const NAMES: Readonly<Record<AuditEntry["outcome"], string>> = {
  done: "audit",
  failed: "audit-failed",
  refused: "audit-refused",
};

const ENDINGS = [".1.jsonl", ".jsonl"];

const OUTCOMES = Object.keys(NAMES) as AuditEntry["outcome"][];

/** As a record, so that the compiler notices a missing one. */
const VIAS: Readonly<Record<AuditEntry["via"], true>> = { cli: true, server: true, agent: true };

export class AuditFile {
  /** Path of the file of completed actions; the other files are next to it. */
  readonly path: string;
  /** All files of the record. For each outcome, the older file comes first. */
  readonly files: readonly string[];
  readonly #folder: string;
  readonly #maxBytes: number;

  /**
   * @param folder created when the first line is written.
   * @param maxBytes of each file.
   */
  constructor(folder: string, maxBytes = MAX_BYTES) {
    this.#folder = folder;
    this.path = join(folder, `${NAMES.done}.jsonl`);
    this.files = OUTCOMES.flatMap((outcome) => this.filesOf(outcome));
    this.#maxBytes = maxBytes;
  }

  /** @throws UnusableFileError if something else has the name of the file; errors of node:fs: the folder cannot be created or written to, the disk is full. */
  append(entry: AuditEntry): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    // Lines of several programs do not mix: each is written at once, and the system appends it.
    const { O_RDWR, O_APPEND, O_CREAT } = constants;
    const path = this.#pathOf(entry.outcome, ".jsonl");
    const file = openSync(path, O_RDWR | O_APPEND | O_CREAT | NON_BLOCKING, 0o600);
    let bytes: number;
    try {
      const found = fstatSync(file);
      assertRegularFile(found);
      const { size } = found;
      // If the last line was cut short by a full disk, start a new one. Where another program is just writing it, that leaves an empty line.
      const text = `${endsWithLine(file, size) ? "" : "\n"}${JSON.stringify(entry)}\n`;
      const line = Buffer.from(text);
      const written = writeSync(file, line);
      if (written < line.length) throw new Error("the disk is full");
      bytes = size + written;
    } finally {
      closeSync(file);
    }
    if (bytes > this.#maxBytes) this.#rotate(entry.outcome);
  }

  /** The older one first. */
  filesOf(outcome: AuditEntry["outcome"]): string[] {
    return ENDINGS.map((ending) => this.#pathOf(outcome, ending));
  }

  /** Newest first; empty without a file. Invalid lines are skipped. @throws UnusableFileError; errors of node:fs. */
  async entries(outcomes: readonly AuditEntry["outcome"][] = OUTCOMES): Promise<AuditEntry[]> {
    const texts: string[] = [];
    for (const path of outcomes.flatMap((outcome) => this.filesOf(outcome)))
      texts.push(await tail(path, this.#maxBytes * 2));
    const entries = texts.flatMap((text) => text.split("\n").flatMap((line) => entryIn(line) ?? [])).reverse();
    return entries.sort((a, b) => Number(a.at < b.at) - Number(a.at > b.at));
  }

  #pathOf(outcome: AuditEntry["outcome"], ending: string): string {
    return join(this.#folder, `${NAMES[outcome]}${ending}`);
  }

  /** Only one process rotates, and only if the file is still too long. */
  #rotate(outcome: AuditEntry["outcome"]): void {
    const [path, older, lock] = [".jsonl", ".1.jsonl", ".lock"].map((ending) => this.#pathOf(outcome, ending)) as [
      string,
      string,
      string,
    ];
    try {
      closeSync(openSync(lock, "wx", 0o600));
    } catch {
      removeStaleLock(lock);
      return;
    }
    try {
      if (statSync(path).size > this.#maxBytes) renameSync(path, replaceablePath(older));
    } catch {
      // Windows cannot rename a file that is open elsewhere: the next append tries again.
    } finally {
      rmSync(lock, { force: true });
    }
  }
}

function removeStaleLock(lock: string): void {
  const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
  if (Date.now() - made > STALE_LOCK_MS) rmSync(lock, { force: true });
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
  if (TEXTS.some((name) => typeof entry[name] !== "string")) return null;
  if (!isNameIn(NAMES, entry.outcome) || !isNameIn(VIAS, entry.via)) return null;
  if (typeof entry.counters !== "object" || entry.counters === null || Array.isArray(entry.counters)) return null;
  return entry as unknown as AuditEntry;
}

function isNameIn(names: object, given: unknown): boolean {
  return typeof given === "string" && Object.hasOwn(names, given);
}
