/**
 * Files whose names may belong to something else: a pipe keeps whoever opens it waiting, a device may have no end, and neither may be replaced by a
 * file. Nothing here waits, except for a pipe that the caller allows.
 */
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Added to the flags of an open that must not wait; 0 on Windows, which has no such pipes. */
export const NON_BLOCKING = constants.O_NONBLOCK ?? 0;

/** What is there cannot be used as a file. The message is a sentence fragment: `it is a pipe`. */
export class UnusableFileError extends Error {
  readonly reason: "kind" | "size";

  constructor(reason: "kind" | "size", message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The part of fs.Stats that says what something is. */
interface Kind {
  isFile(): boolean;
  isDirectory(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
}

/** @throws UnusableFileError for anything but a regular file. */
export function assertRegularFile(found: Kind): void {
  if (found.isFile()) return;
  throw new UnusableFileError("kind", `it is a ${kindWord(found)}`);
}

function kindWord(found: Kind): string {
  if (found.isDirectory()) return "folder";
  if (found.isFIFO()) return "pipe";
  return found.isSocket() ? "socket" : "device";
}

/**
 * The content of a regular file.
 *
 * @param pipeMs also accept a pipe, and wait this many milliseconds for its next bytes.
 * @throws UnusableFileError if it is not a regular file, or longer than `maxBytes`; errors of node:fs.
 */
export function readRegularFile(path: string, maxBytes: number, pipeMs = 0): Buffer {
  const file = openSync(path, constants.O_RDONLY | NON_BLOCKING);
  try {
    const found = fstatSync(file);
    const waits = pipeMs > 0 && found.isFIFO();
    if (!waits) assertRegularFile(found);
    const tooLong = () => new UnusableFileError("size", `it is longer than ${maxBytes} bytes`);
    if (found.size > maxBytes) throw tooLong();
    let bytes = Buffer.alloc(found.size + 1);
    let length = 0;
    for (;;) {
      const read = waits ? readWaiting(file, bytes, length, pipeMs) : readAt(file, bytes, length);
      if (read === 0) return bytes.subarray(0, length);
      length += read;
      // The file may have grown since its size was read.
      if (length > maxBytes) throw tooLong();
      if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(length * 2 + 4_096, maxBytes + 1));
    }
  } finally {
    closeSync(file);
  }
}

function readAt(file: number, bytes: Buffer, length: number): number {
  return readSync(file, bytes, length, bytes.length - length, null);
}

/** Before the first byte, an end only means that the writer is not there yet. */
function readWaiting(file: number, bytes: Buffer, length: number, milliseconds: number): number {
  for (const end = performance.now() + milliseconds; ; ) {
    try {
      const read = readAt(file, bytes, length);
      if (read > 0 || length > 0 || performance.now() > end) return read;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || performance.now() > end) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
}

/** As many as Linux follows. */
const MAX_LINKS = 40;

/**
 * The absolute path that a name leads to: symbolic links are followed, also to something that does not exist yet.
 *
 * @throws errors of node:fs, such as ENOENT if the folder does not exist.
 */
export function linkTarget(path: string): string {
  let target = resolve(path);
  for (let links = 0; links < MAX_LINKS; links++) {
    target = join(realpathSync(dirname(target)), basename(target));
    const next = linkAt(target);
    if (next === null) return target;
    target = resolve(dirname(target), next);
  }
  throw Object.assign(new Error("too many symbolic links"), { code: "ELOOP" });
}

function linkAt(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    // Nothing has that name, or it is not a link.
    return null;
  }
}

/**
 * The path at which a file may be replaced: `path`, or what it links to.
 *
 * @throws UnusableFileError if something other than a regular file is there; errors of node:fs.
 */
export function replaceablePath(path: string): string {
  const target = linkTarget(path);
  const found = statSync(target, { throwIfNoEntry: false });
  if (found !== undefined) assertRegularFile(found);
  return target;
}

/**
 * Writes a file of this user, and its folder if there is none. The file is replaced as a whole, so readers see either the old or the new one.
 *
 * @throws as `replaceablePath`
 */
export function replaceRegularFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const target = replaceablePath(path);
  const draft = `${target}.${process.pid}`;
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
