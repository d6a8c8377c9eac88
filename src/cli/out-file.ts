/** `-o file`: only ever leaves complete files. */
import { existsSync, rmSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { InvalidInputError } from "../errors.ts";

/**
 * Writes to a temporary name beside the file and renames it when the last piece is written: nobody sees half a file, and an
 * existing one stays until then.
 *
 * @param force replaces an existing file.
 * @throws InvalidInputError if it already exists or cannot be written.
 */
export async function writeWhole(
  path: string,
  pieces: AsyncIterable<string | Uint8Array> | Iterable<string>,
  force: boolean,
): Promise<void> {
  if (!force) refuseExisting(path);
  const partial = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
  // Registered before the file is created, because a signal may arrive right after.
  const interrupted = (signal: NodeJS.Signals) => {
    rmSync(partial, { force: true });
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.once(signal, interrupted);
  try {
    await writePart(partial, path, pieces);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupted);
  }
}

async function writePart(
  partial: string,
  path: string,
  pieces: AsyncIterable<string | Uint8Array> | Iterable<string>,
): Promise<void> {
  const file = await open(partial, "wx").catch((error: unknown) => {
    throw refused(path, `it could not be written (${codeOf(error)})`);
  });
  try {
    for await (const piece of pieces) await written(file, path, piece);
    await file.close();
    await rename(partial, path).catch((error: unknown) => {
      throw refused(path, `it could not be written (${codeOf(error)})`);
    });
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(partial, { force: true });
    throw error;
  }
}

/** Signals that end the program; the unfinished file is then removed. */
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** @throws InvalidInputError */
export function refuseExisting(path: string): void {
  if (existsSync(path)) throw refused(path, "it exists; --force replaces it");
}

async function written(file: FileHandle, path: string, piece: string | Uint8Array): Promise<void> {
  try {
    await file.writeFile(piece);
  } catch (error) {
    throw refused(path, `it could not be written (${codeOf(error)})`);
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "error";
}

function refused(path: string, accepted: string): InvalidInputError {
  return new InvalidInputError([{ parameter: "--out", value: path, accepted }]);
}
