/** Long output, piece by piece. */
import { once } from "node:events";

/** Writes each piece when the reader has taken the one before; ends early when the reader has gone (`| head`). */
export async function streamed(pieces: AsyncIterable<string>, shown: (piece: string) => string): Promise<void> {
  let gone = false;
  const onError = () => {
    gone = true;
  };
  // What kind of error it is, is judged in program.ts.
  process.stdout.on("error", onError);
  try {
    for await (const piece of pieces) {
      const taken = process.stdout.write(shown(piece));
      if (!taken && !gone)
        await Promise.race([once(process.stdout, "drain"), once(process.stdout, "close")]).catch(onError);
      // An error of this write is told in the next turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      if (gone) return;
    }
  } finally {
    process.stdout.off("error", onError);
  }
}
