/** `-o file`: only ever leaves complete files, never replaces what the command reads. `-o -` is standard output. */
import { type BigIntStats, rmSync, statSync } from "node:fs";
import { constants, type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isatty } from "node:tty";
import { InvalidInputError, quote, systemReason, WriteFailedError } from "../errors.ts";
import { folded } from "../pynenc/folded.ts";
import { linkTarget } from "../regular-file.ts";
import type { Flags } from "./flags.ts";
import { streamed } from "./print/stream.ts";

export type Pieces<Piece extends string | Uint8Array = string> = AsyncIterable<Piece> | Iterable<Piece>;

/** A file that must not be replaced, and what it is: `the store`. */
export interface KeptFile {
  path: string;
  what: string;
}

/** The file that `-o` names; null for standard output. */
export function outFile({ out }: Flags): string | null {
  return out === undefined || out === "-" ? null : String(out);
}

/** With `--json`, stdout has one document about the file, so that needs a name. @throws InvalidInputError */
export function assertFileForJson(flags: Flags, { json }: { json: boolean }): void {
  if (!json || outFile(flags) !== null) return;
  const accepted = "it prints one document about the file that -o writes; name a file, or leave out --json";
  throw new InvalidInputError([{ parameter: "--json", value: "true", accepted }]);
}

/**
 * Whether `-o` can be written to. To be asked before the store is read, which may take long.
 *
 * @param kept compared by what they are, so that no link and no other spelling of their names leads to them.
 * @throws InvalidInputError
 */
export function assertOutFile(flags: Flags, kept: readonly KeptFile[]): void {
  const path = outFile(flags);
  if (path === null) return;
  const place = placeOf(path);
  const same = kept.find((one) => isSame(place, one.path));
  if (same !== undefined) throw refused(path, `it is ${same.what}, which must not be replaced`);
  assertMayWrite(path, place, flags.force === true);
}

/**
 * Writes to the file of `-o`, or to standard output. A file is written under a temporary name in the same folder and renamed after the last piece, so
 * half a file is never visible, an existing file stays until then, and its permissions and the links to it are kept. If the path is not that of a regular
 * file but of a pipe or a device, it is written to directly.
 *
 * @param shown what is printed of a piece on standard output.
 * @returns the path; null for standard output, and for a pipe whose reader left early.
 * @throws InvalidInputError if the file exists and `--force` is not given, or cannot be opened; WriteFailedError.
 */
export async function writeOut<Piece extends string | Uint8Array>(
  flags: Flags,
  pieces: Pieces<Piece>,
  shown: (piece: Piece) => Piece,
): Promise<string | null> {
  const path = outFile(flags);
  if (path === null) {
    await streamed(pieces, shown);
    return null;
  }
  const force = flags.force === true;
  const place = placeOf(path);
  assertMayWrite(path, place, force);
  if (place.found !== null && !place.found.isFile()) return (await writeThrough(path, pieces)) ? path : null;
  await writeWhole(path, place, pieces, force);
  return path;
}

/** Where a file is to be written, and what is there. */
interface Place {
  /** Symbolic links are followed. */
  target: string;
  found: BigIntStats | null;
}

function placeOf(path: string): Place {
  try {
    const found = statOf(path || ".");
    // What links of /proc lead to may have no name.
    return found !== null && !found.isFile() ? { target: path, found } : { target: linkTarget(path), found };
  } catch (error) {
    throw unopened(path, error);
  }
}

function statOf(path: string): BigIntStats | null {
  return statSync(path, { throwIfNoEntry: false, bigint: true }) ?? null;
}

function isSame({ target, found }: Place, kept: string): boolean {
  const other = foundAt(kept);
  if (found !== null && other !== null) return found.dev === other.dev && found.ino === other.ino;
  if (found !== null || other !== null) return false;
  // Neither exists, as a database's log does at times: the same name in the same folder. On some systems case does not count.
  const [folder, folderOfKept] = [foundAt(dirname(target)), foundAt(dirname(kept))];
  const name = (path: string) => folded(basename(path));
  return folder?.ino === folderOfKept?.ino && folder?.dev === folderOfKept?.dev && name(target) === name(kept);
}

/** Null also for what this user cannot look at, and therefore not replace. */
function foundAt(path: string): BigIntStats | null {
  try {
    return statOf(path);
  } catch {
    return null;
  }
}

/** @throws InvalidInputError */
function assertMayWrite(path: string, { found }: Place, force: boolean): void {
  if (found === null) return;
  if (found.isDirectory()) throw refused(path, "it is a folder");
  if (found.isBlockDevice()) throw refused(path, "it is a disk");
  if (found.isFile() && !force) throw refused(path, "it exists; --force replaces it");
}

/** @returns false if the reader of a pipe left early, which is not a failure. */
async function writeThrough(path: string, pieces: Pieces<string | Uint8Array>): Promise<boolean> {
  const file = await open(path, constants.O_WRONLY).catch((error: unknown) => {
    throw unopened(path, error);
  });
  try {
    // Terminals obey control characters; standard output has them escaped.
    if (isatty(file.fd)) throw refused(path, "it is a terminal; -o - prints");
    for await (const piece of pieces) await written(path, file.writeFile(piece));
    return true;
  } catch (error) {
    if (error instanceof WriteFailedError && (error.cause as NodeJS.ErrnoException).code === "EPIPE") return false;
    throw error;
  } finally {
    await file.close().catch(() => undefined);
  }
}

/** Signals that end the program; the unfinished file is then removed. */
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

async function writeWhole(
  path: string,
  { target, found }: Place,
  pieces: Pieces<string | Uint8Array>,
  force: boolean,
): Promise<void> {
  const partial = join(dirname(target), `.${basename(target)}.${process.pid}.part`);
  // Registered before the file is created, because a signal may arrive right after.
  const interrupted = (signal: NodeJS.Signals) => {
    rmSync(partial, { force: true });
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.once(signal, interrupted);
  try {
    const file = await open(partial, "wx", found === null ? 0o666 : 0o600).catch((error: unknown) => {
      throw unopened(path, error);
    });
    try {
      if (found !== null) await written(path, takeOver(file, found));
      for await (const piece of pieces) await written(path, file.writeFile(piece));
      await written(path, file.close());
      // Another program may have created it meanwhile.
      assertMayWrite(path, placeOf(path), force);
      await written(path, rename(partial, target));
    } catch (error) {
      await file.close().catch(() => undefined);
      await rm(partial, { force: true });
      throw error;
    }
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupted);
  }
}

/** Gives a file the permissions of the one that it will replace. Only the administrator can give it to another user. */
async function takeOver(file: FileHandle, { mode, uid, gid }: BigIntStats): Promise<void> {
  await file.chown(Number(uid), Number(gid)).catch(() => undefined);
  await file.chmod(Number(mode & 0o7777n));
}

/** Errors that mean that there is no room for the file, not that its name is wrong. */
const NO_ROOM: readonly unknown[] = ["ENOSPC", "EDQUOT", "EIO"];

function unopened(path: string, error: unknown): Error {
  if (NO_ROOM.includes((error as NodeJS.ErrnoException).code)) return new WriteFailedError(quote(path), error);
  return refused(path, `it could not be written: ${systemReason(error)}`);
}

async function written(path: string, done: Promise<void>): Promise<void> {
  await done.catch((error: unknown) => {
    throw new WriteFailedError(quote(path), error);
  });
}

function refused(path: string, accepted: string): InvalidInputError {
  return new InvalidInputError([{ parameter: "--out", value: path, accepted }]);
}
