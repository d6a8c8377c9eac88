/** Writes long output piece by piece. */
import { once } from "node:events";

/** Writes each piece once the reader has taken the previous one; stops early if the reader is gone (`| head`). */
export async function streamed<Piece extends string | Uint8Array>(
  pieces: AsyncIterable<Piece>,
  shown: (piece: Piece) => Piece,
): Promise<void> {
  let gone = false;
  const onError = () => {
    gone = true;
  };
  // program.ts decides what kind of error it is.
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
