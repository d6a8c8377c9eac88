/** Long work of the main thread, one piece per turn of its event loop, so that what is answered from memory, as `/health`, waits for one piece at most. */

const waiting: (() => void)[] = [];

/** @param work done after all that was put here before it, and alone in its turn. */
export function inATurnOfItsOwn(work: () => void): void {
  waiting.push(work);
  if (waiting.length === 1) setImmediate(next);
}

/** Resolves in a turn in which no other piece is done. */
export function ownTurn(): Promise<void> {
  return new Promise(inATurnOfItsOwn);
}

function next(): void {
  const work = waiting.shift();
  if (waiting.length > 0) setImmediate(next);
  work?.();
}
