/** What `monitor logs` reads: chunks of text from a file or standard input, existing or newly written. */
import { createReadStream } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { InvalidInputError } from "../errors.ts";
import { LogDecoder } from "../log-lines/decoder.ts";
import { assertRegularFile, UnusableFileError } from "../regular-file.ts";
import { conflict } from "./exported.ts";

/** A chunk of the log; `""` when nothing new has arrived. */
export type LogPieces = AsyncIterable<string>;

const PIECE_BYTES = 1 << 18;
/** Interval of polling a followed file. Watching is unreliable on network drives and in containers. */
const LOOK_MS = 200;

/** The current content of the file, or a pipe or standard input until its end. @throws InvalidInputError if it cannot be read */
export async function* wholeLog(file: string): LogPieces {
  const source = file === "-" ? process.stdin : createReadStream(file, { highWaterMark: PIECE_BYTES });
  const decoder = new LogDecoder();
  try {
    for await (const piece of source) yield decoder.write(piece);
  } catch (error) {
    throw unreadable("<file>", file, error, ", or - for standard input");
  }
  yield decoder.end();
}

/**
 * The file and everything appended to it, until `signal` aborts. After a rotation, reads the rest of the old file, then the new one from its start.
 * A truncated file is also read from its start.
 *
 * @throws InvalidInputError if there is no such file at the beginning, or a pipe or a device
 */
export async function* followedLog(file: string, signal: AbortSignal): LogPieces {
  await assertLogFile("<file>", file);
  let tail: Tail | null = await Tail.open(file).catch((error) => {
    throw unreadable("<file>", file, error);
  });
  try {
    while (!signal.aborted) {
      const piece: string = (await tail?.more()) ?? "";
      yield piece;
      if (piece !== "") continue;
      if (tail === null || (await tail.isReplaced(file))) {
        const next = await Tail.open(file).catch(() => null);
        // Lines written to the old file just before the rotation.
        const rest: string = next === null ? "" : ((await tail?.more()) ?? "");
        if (rest !== "") yield rest;
        if (next !== null) {
          await tail?.close();
          tail = next;
          continue;
        }
      }
      await wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await tail?.close();
  }
}

/** An open file and how far it was read. */
class Tail {
  readonly #handle: FileHandle;
  #decoder = new LogDecoder();
  #position = 0;
  readonly #buffer = Buffer.alloc(PIECE_BYTES);

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async open(file: string): Promise<Tail> {
    return new Tail(await open(file, "r"));
  }

  /** The next chunk; empty at the end. */
  async more(): Promise<string> {
    const { size } = await this.#handle.stat();
    if (size < this.#position) {
      this.#position = 0;
      this.#decoder = new LogDecoder();
    }
    const { bytesRead } = await this.#handle.read(this.#buffer, 0, PIECE_BYTES, this.#position);
    this.#position += bytesRead;
    return this.#decoder.write(this.#buffer.subarray(0, bytesRead));
  }

  /** Another file has this name now. A missing file does not count: it may come back. */
  async isReplaced(file: string): Promise<boolean> {
    const [own, named] = await Promise.all([this.#handle.stat(), stat(file).catch(() => null)]);
    return named !== null && (named.ino !== own.ino || named.dev !== own.dev);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** For a log that is read more than once, which a pipe cannot be. @throws InvalidInputError */
export async function assertLogFile(parameter: string, file: string): Promise<void> {
  try {
    assertRegularFile(await stat(file));
  } catch (error) {
    throw unreadable(parameter, file, error);
  }
}

function unreadable(parameter: string, file: string, error: unknown, also = "") {
  if (error instanceof UnusableFileError) return conflict(parameter, file, `expected a file; ${error.message}`);
  const why = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  const accepted = `expected a readable file${also}${why}`;
  if (!/^[0-9a-f]{4}[0-9a-f-]*$/i.test(file)) return conflict(parameter, file, accepted);
  const hint = `Stores hold no log lines, so an id has none of its own. To see what is stored: monitor show ${file}`;
  return new InvalidInputError([{ parameter, value: file, accepted }], hint);
}
