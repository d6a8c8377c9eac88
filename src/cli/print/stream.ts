/** Writes long output piece by piece, and says what could not be written. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { WriteFailedError } from "../../errors.ts";

/**
 * Handles failures of standard output and standard error. A reader such as `| head` may close the pipe early: that is not a failure, and the rest of
 * the output is dropped. If messages cannot be written, there is no place to say so: the command continues, and its exit code says that it failed.
 *
 * @param onLost is called once if standard output cannot be written for another reason, such as a full disk.
 */
export function guardOutput(onLost: (error: WriteFailedError) => void): void {
  const { stdout, stderr } = process;
  for (const stream of [stdout, stderr]) {
    // Each further write fails too, for as long as a server runs.
    let lost = false;
    writeWholly(stream);
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE" || lost) return;
      lost = true;
      if (stream === stderr) process.once("exit", failed);
      else onLost(new WriteFailedError("Standard output", error));
    });
  }
}

function failed(): void {
  process.exitCode ||= 1;
}

/** If a disk takes only a part of a piece, Node drops the rest without an error. Nothing is dropped here, and the error is reported. */
function writeWholly(stream: NodeJS.WriteStream & { _type?: string; fd?: number }): void {
  const { fd, _type } = stream;
  if (fd === undefined || _type !== "fs") return;
  stream._write = (piece: Uint8Array, _, done) => {
    try {
      writeFileSync(fd, piece);
    } catch (error) {
      return done(error as Error);
    }
    done();
  };
}

/** Writes each piece once the reader has taken the previous one; stops early if the reader is gone (`| head`). */
export async function streamed<Piece extends string | Uint8Array>(
  pieces: AsyncIterable<Piece> | Iterable<Piece>,
  shown: (piece: Piece) => Piece,
): Promise<void> {
  let gone = false;
  const onError = () => {
    gone = true;
  };
  // `guardOutput` decides what kind of error it is.
  process.stdout.on("error", onError);
  try {
    for await (const piece of pieces) {
      const taken = process.stdout.write(shown(piece));
      if (!taken && !gone) await roomIn(process.stdout).catch(onError);
      // An error of this write is reported in the next turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      if (gone) return;
    }
  } finally {
    process.stdout.off("error", onError);
  }
}

/** Resolves when the reader has taken what was written, or is gone. Removes its listeners: a slow reader causes thousands of waits. */
async function roomIn(stream: NodeJS.WriteStream): Promise<void> {
  const decided = new AbortController();
  const { signal } = decided;
  const waits = ["drain", "close"].map((event) => once(stream, event, { signal }));
  try {
    await Promise.race(waits);
  } finally {
    decided.abort();
    await Promise.allSettled(waits);
  }
}
