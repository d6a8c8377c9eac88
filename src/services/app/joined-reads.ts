/** Reads of one answer that overlap in time see one snapshot: it begins with the first of them and ends after the last. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { AppReads, AppStore } from "../../stores/ports/store.ts";

type Read = (fn: (reads: AppReads) => Promise<void>) => Promise<void>;

/** A snapshot that has begun, with the context in which its reads run. */
interface Begun {
  reads: AppReads;
  inside: <T>(fn: () => T) => T;
}

interface Snapshot {
  begun: Promise<Begun>;
  readers: number;
  end(): void;
}

/** @param read opens a snapshot. */
export function joinedReads(read: Read): AppStore["read"] {
  let current: Snapshot | null = null;
  return async (fn) => {
    current ??= opened(read);
    const mine = current;
    mine.readers++;
    try {
      const { reads, inside } = await mine.begun;
      return await inside(() => fn(reads));
    } finally {
      mine.readers--;
      if (mine.readers === 0) {
        mine.end();
        if (current === mine) current = null;
      }
    }
  };
}

function opened(read: Read): Snapshot {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const begun = new Promise<Begun>((resolve, reject) => {
    const whole = read(async (reads) => {
      resolve({ reads, inside: AsyncLocalStorage.snapshot() });
      await ended;
    });
    // After the beginning, what fails are the calls of the readers.
    whole.catch(reject);
  });
  return { begun, readers: 0, end };
}
