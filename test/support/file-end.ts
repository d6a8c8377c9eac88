/**
 * What helpers that files of tests share do when one of these ends. A worker loads a helper once for all files that it runs (vitest.shared.ts): a hook
 * that the helper registers while it is loaded would belong to the first of them alone.
 */

const ends: (() => void | Promise<void>)[] = [];

/** Does this at the end of each file from now on, whether or not it uses the helper: of what was not used, nothing is to be done. */
export function atEndOfFile(end: () => void | Promise<void>): void {
  ends.push(end);
}

/** For test/setup.ts. */
export async function endFile(): Promise<void> {
  for (const end of ends) await end();
}
